// SPDX-License-Identifier: MIT
#include "optimizer/recipe.hpp"

#include "base/Text.hpp"
#include <algorithm>
#include <bit>
#include <mutex>
#include <popart/adam.hpp>
#include <popart/adaptive.hpp>
#include <popart/error.hpp>
#include <popart/ruleoptimizer.hpp>
#include <popart/sgd.hpp>

namespace popart::optimizer {

namespace {

// UNDEFINED is the type of the weight.
DataType typeOr(DataType given, DataType weight, const std::string &what) {
  if (given == DataType::UNDEFINED)
    return weight;
  if (given != DataType::FLOAT && given != DataType::FLOAT16)
    throw error("The optimizer's {} is {}; it must be FLOAT, FLOAT16 or UNDEFINED (the type of the "
                "weight).",
                what, nameOf(given));
  return given;
}
// By slot, in order.
void setTypes(Recipe &recipe, DataType weight, DataType accum, const std::vector<DataType> &accl) {
  recipe.accumType = typeOr(accum, weight, "accumType");
  for (auto &state : recipe.states) {
    const std::size_t n = state.slot == "Accl" ? 1 : std::stoul(state.slot.substr(4));
    state.type = typeOr(accl.at(n - 1), weight, base::str("accl", n, "Type"));
  }
}

// Nesterov's rule, clipping and automatic loss scaling need the gradient by itself, and a velocity
// that is added up over replicas must have the same number of them for all weights that share
// scalars.
bool accumulatesInVelocity(const SGD &sgd, const TensorId &weight, const Context &c) {
  return c.accumulation && !sgd.enableNesterov(weight) && sgd.getClipNormSettings().empty() &&
         !c.automaticLossScaling.enabled && c.sharedBy.empty() && !c.locations.mayShard();
}

Recipe ofSgd(const SGD &sgd, const TensorId &weight, DataType type, const Context &c) {
  const bool momentum = sgd.requiresAccl(weight),
             combined = sgd.getSGDAccumulatorAndMomentum() == SGDAccumulatorAndMomentum::Combined,
             gathered = momentum && combined && accumulatesInVelocity(sgd, weight, c);
  Recipe recipe = chosen("SGD", {{"plain", !momentum},
                                 {"combined", momentum && combined},
                                 {"separate", momentum && !combined},
                                 {"nesterov", momentum && sgd.enableNesterov(weight)},
                                 {"gathered", gathered}});
  recipe.inVelocity = gathered;
  setTypes(recipe, type, sgd.getAccumType(), {sgd.getAccl1Type()});
  return recipe;
}

Recipe ofAdam(const Adam &optimizer, DataType type) {
  const AdamMode mode = optimizer.getMode();
  const bool adamax = mode == AdamMode::AdaMax,
             lamb = mode == AdamMode::Lamb || mode == AdamMode::LambNoBias,
             both = mode == AdamMode::Adam || mode == AdamMode::Lamb;
  Recipe recipe =
      chosen("Adam", {{"l2", optimizer.getWeightDecayMode() == WeightDecayMode::L2Regularization},
                      {"adamax", adamax},
                      {"lamb", lamb},
                      {"first", both || adamax},
                      {"second", both},
                      {"early", optimizer.epsBeforeCorrection() && mode == AdamMode::Adam},
                      {"scaled", optimizer.useScaledOptimizerState()}});
  setTypes(recipe, type, optimizer.getAccumType(),
           {optimizer.getAccl1Type(), optimizer.getAccl2Type()});
  return recipe;
}

Recipe ofAdaptive(const Adaptive &optimizer, const TensorId &weight, DataType type) {
  const auto is = [&](AdaptiveMode mode) { return optimizer.getMode() == mode; };
  const auto momentum = optimizer.momentums().get(weight);
  const bool centred = is(AdaptiveMode::CenteredRMSProp), delta = is(AdaptiveMode::AdaDelta),
             smooth = !momentum.isConst() || momentum.val() != 0,
             tf = optimizer.useRMSPropTFVariant() && (is(AdaptiveMode::RMSProp) || centred);
  Recipe recipe = chosen(
      "Adaptive", {{"AdaGrad", is(AdaptiveMode::AdaGrad)},
                   {"AdaDelta", delta},
                   {"centred", centred},
                   {"second", centred || delta},
                   {"smooth", smooth},
                   {"tf", tf},
                   {"within", smooth && tf},
                   {"l2", optimizer.getWeightDecayMode() == WeightDecayMode::L2Regularization}});
  setTypes(recipe, type, optimizer.getAccumType(),
           {optimizer.getAccl1Type(), optimizer.getAccl2Type(), optimizer.getAccl3Type()});
  return recipe;
}

Recipe read(const OptimizerRule &rule) {
  std::vector<Recipe::State> states;
  for (const auto &state : rule.states)
    states.push_back({state.name, base::str("Accl", states.size() + 1), state.value});
  std::vector<std::string> scalars;
  for (const auto &number : rule.numbers)
    scalars.push_back(number.name + " = " + number.name);
  scalars.push_back("gradientScaling = 1 / (lossScaling * divisor)");
  return read("RuleVarUpdate", states, scalars, rule.formula, "gradientScaling");
}
Recipe ofRule(const RuleOptimizer &optimizer, DataType type) {
  const auto &rule = optimizer.rule();
  std::string key = "RuleVarUpdate " + base::list(rule.formula, ";");
  for (const auto *named : {&rule.states, &rule.numbers})
    for (const auto &[name, value] : *named)
      key += base::str(' ', name, '=', std::bit_cast<std::uint32_t>(value));
  Recipe recipe = once(key, [&] { return read(rule); });
  recipe.accumType = typeOr(optimizer.getAccumType(), type, "accumType");
  for (auto &state : recipe.states)
    state.type = typeOr(optimizer.getStateType(), type, "stateType");
  return recipe;
}

} // namespace

Recipe read(const std::string &op, const std::vector<Recipe::State> &states,
            const std::vector<std::string> &scalars, const std::vector<std::string> &formula,
            const std::string &gradientScaling) {
  Recipe recipe{op, states, {}, formula, gradientScaling};
  auto read = std::make_shared<std::vector<ops::Assignment>>();
  for (const auto &line : scalars)
    read->push_back(ops::readAssignment(line));
  recipe.scalars = std::move(read);
  auto &all = recipe.corrected;
  for (const auto &line : formula)
    for (const auto &name : ops::namesOf(ops::readAssignment(line).value)) {
      recipe.alone |= ops::argumentOf(name, "norm") || name == "trust_ratio";
      if (ops::argumentOf(name, "correction") &&
          std::find(all.begin(), all.end(), name) == all.end())
        all.push_back(name);
    }
  return recipe;
}

Recipe once(const std::string &key, const std::function<Recipe()> &make) {
  static std::mutex mutex;
  static std::map<std::string, Recipe> all;
  const std::lock_guard lock(mutex);
  const auto it = all.find(key);
  return it != all.end() ? it->second : all.emplace(key, make()).first->second;
}

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
