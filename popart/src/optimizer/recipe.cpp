// SPDX-License-Identifier: MIT
#include "optimizer/recipe.hpp"

#include "base/Text.hpp"
#include <popart/adam.hpp>
#include <popart/adaptive.hpp>
#include <popart/error.hpp>
#include <popart/ruleoptimizer.hpp>
#include <popart/sgd.hpp>

namespace popart::optimizer {

namespace {

// UNDEFINED is the type of the weight.
DataType typeOr(DataType given, DataType weight, const char *what) {
  if (given == DataType::UNDEFINED)
    return weight;
  if (given != DataType::FLOAT && given != DataType::FLOAT16)
    throw error("The optimizer's {} is {}; it must be FLOAT, FLOAT16 or UNDEFINED (the type of the "
                "weight).",
                what, nameOf(given));
  return given;
}

double valueOf(const Scalars &scalars, const std::string &name) {
  for (const auto &s : scalars)
    if (s.name == name)
      return s.value;
  throw internal_error("There is no scalar {}.", name);
}

Recipe ofSgd(const SGD &sgd, const TensorId &weight, DataType type, const Context &context) {
  Recipe r;
  r.accumType = typeOr(sgd.getAccumType(), type, "accumType");
  if (!sgd.requiresAccl(weight)) {
    r.op = "SGD0VarUpdate";
    r.scalars = {"weightDecayScaleFactor0", "scaledLearningRate0"};
    return r;
  }
  const DataType velocity = typeOr(sgd.getAccl1Type(), type, "accl1Type");
  if (sgd.getSGDAccumulatorAndMomentum() == SGDAccumulatorAndMomentum::Combined) {
    r.op = "SGD1VarUpdate";
    r.inVelocity = accumulatesInVelocity(sgd, weight, context);
    r.scalars = {"dampeningScaleFactor1", "scaledLearningRate1", "scaledMomentum1",
                 "scaledWeightDecay1"};
    // The velocity holds the weight decay of the step to come.
    r.states = {{"Accl", velocity, valueOf(scalarsOf(sgd, weight, context), "scaledWeightDecay1")}};
  } else {
    r.op = "SGD2VarUpdate";
    r.scalars = {"dampeningScaleFactor2", "scaledLearningRate2", "scaledMomentum2",
                 "scaledWeightDecay1"};
    r.states = {{"Accl1", velocity}};
  }
  if (sgd.enableNesterov(weight)) {
    r.attributes.set("nesterov", std::int64_t(1));
    for (const char *name : {"nesterovGradientScaling", "nesterovWeightDecay", "sgdMomentum"})
      r.scalars.push_back(name);
  }
  return r;
}

Recipe ofAdam(const Adam &adam, DataType type) {
  const AdamMode mode = adam.getMode();
  Recipe r;
  r.op = "AdamVarUpdate";
  r.accumType = typeOr(adam.getAccumType(), type, "accumType");
  r.states = {{"Accl1", typeOr(adam.getAccl1Type(), type, "accl1Type")},
              {"Accl2", typeOr(adam.getAccl2Type(), type, "accl2Type")}};
  r.scalars = {"learningRate", "weightDecay",         "adamBeta1",    "adamBeta2",
               "adamEps",      "adamGradientScaling", "maxWeightNorm"};
  const bool decay = adam.getWeightDecayMode() == WeightDecayMode::Decay;
  r.alone = mode == AdamMode::Lamb || mode == AdamMode::LambNoBias;
  r.attributes.set("decay", std::int64_t(decay));
  r.attributes.set("adamax", std::int64_t(mode == AdamMode::AdaMax));
  r.attributes.set("lamb", std::int64_t(r.alone));
  if (adam.epsBeforeCorrection() && mode == AdamMode::Adam)
    r.attributes.set("epsBeforeCorrection", std::int64_t(1));
  if (!r.alone)
    r.scalars.pop_back(); // maxWeightNorm is Lamb's
  if (mode == AdamMode::Adam || mode == AdamMode::Lamb)
    r.corrected = {"adamBeta1", "adamBeta2"};
  else if (mode == AdamMode::AdaMax)
    r.corrected = {"adamBeta1"};
  return r;
}

Recipe ofAdaptive(const Adaptive &adaptive, const TensorId &weight, DataType type) {
  const AdaptiveMode mode = adaptive.getMode();
  const bool second = mode == AdaptiveMode::CenteredRMSProp || mode == AdaptiveMode::AdaDelta;
  const bool tf = adaptive.useRMSPropTFVariant() &&
                  (mode == AdaptiveMode::RMSProp || mode == AdaptiveMode::CenteredRMSProp);
  const auto momentum = adaptive.momentums().get(weight);
  const bool smooth = !momentum.isConst() || momentum.val() != 0;
  const bool decay = adaptive.getWeightDecayMode() == WeightDecayMode::Decay;
  constexpr const char *names[] = {"AdaGrad", "RMSProp", "CenteredRMSProp", "AdaDelta"};
  Recipe r;
  r.op = "AdaptiveVarUpdate";
  r.accumType = typeOr(adaptive.getAccumType(), type, "accumType");
  r.states = {{"Accl1", typeOr(adaptive.getAccl1Type(), type, "accl1Type"), 0, tf ? 1.0 : 0.0}};
  if (second)
    r.states.push_back({"Accl2", typeOr(adaptive.getAccl2Type(), type, "accl2Type")});
  if (smooth)
    r.states.push_back({"Accl3", typeOr(adaptive.getAccl3Type(), type, "accl3Type")});
  r.scalars = {"learningRate", "weightDecay", "adaptiveAlpha", "adaptiveEps",
               "adaptiveGradientScaling"};
  if (smooth)
    r.scalars.push_back("adaptiveMomentum");
  r.attributes.set("mode", std::string(names[static_cast<int>(mode)]));
  r.attributes.set("momentum", std::int64_t(smooth));
  r.attributes.set("tf", std::int64_t(tf));
  r.attributes.set("decay", std::int64_t(decay));
  return r;
}

Recipe ofRule(const RuleOptimizer &optimizer, DataType type) {
  const auto &rule = optimizer.rule();
  Recipe r;
  r.op = "RuleVarUpdate";
  r.accumType = typeOr(optimizer.getAccumType(), type, "accumType");
  std::vector<std::string> names;
  for (const auto &state : rule.states) {
    names.push_back(state.name);
    r.states.push_back({base::str("Accl", names.size()),
                        typeOr(optimizer.getStateType(), type, "stateType"), 0, state.value});
  }
  r.attributes.set("states", names);
  r.attributes.set("formula", rule.formula);
  for (const auto &number : rule.numbers)
    r.scalars.push_back(number.name);
  r.scalars.push_back("gradientScaling");
  return r;
}

} // namespace

Recipe recipeOf(const Optimizer &optimizer, const TensorId &weight, DataType type,
                const Context &context) {
  if (const auto *sgd = dynamic_cast<const SGD *>(&optimizer))
    return ofSgd(*sgd, weight, type, context);
  if (const auto *adam = dynamic_cast<const Adam *>(&optimizer))
    return ofAdam(*adam, type);
  if (const auto *rule = dynamic_cast<const RuleOptimizer *>(&optimizer))
    return ofRule(*rule, type);
  return ofAdaptive(dynamic_cast<const Adaptive &>(optimizer), weight, type);
}

} // namespace popart::optimizer
