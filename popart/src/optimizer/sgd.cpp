// SPDX-License-Identifier: MIT
#include <popart/sgd.hpp>

#include "base/Text.hpp"
#include "optimizer/checks.hpp"
#include <algorithm>
#include <popart/error.hpp>

namespace popart {

using optimizer::ParameterMap;
using optimizer::valueOr;

SGD::SGD(OptimizerValue learningRate, OptimizerValue weightDecay, OptimizerValue momentum,
         OptimizerValue dampening, OptimizerValue velocityScaling, OptimizerValue lossScaling,
         OptimizerValue nesterov, const std::vector<ClipNormSettings> &clipNorm,
         SGDAccumulatorAndMomentum accMm, DataType accumType, DataType accl1Type,
         const DebugContext &debugContext)
    : Optimizer(lossScaling, clipNorm, debugContext), accMm_(accMm), accumType_(accumType),
      accl1Type_(accl1Type) {
  addParameter("learningRate", learningRate, optimizer::learningRate);
  addParameter("weightDecay", weightDecay, optimizer::notNegative);
  addParameter("momentum", momentum, optimizer::notNegative);
  addParameter("dampening", dampening, optimizer::notNegative);
  addParameter("velocityScaling", velocityScaling, optimizer::positive);
  addParameter("nesterov", nesterov, optimizer::anything);
  checkDefaults();
}
SGD::SGD(OptimizerValue learningRate, OptimizerValue weightDecay, OptimizerValue momentum,
         OptimizerValue dampening, OptimizerValue velocityScaling, OptimizerValue lossScaling,
         const std::vector<ClipNormSettings> &clipNorm, SGDAccumulatorAndMomentum accMm,
         DataType accumType, DataType accl1Type, const DebugContext &debugContext)
    : SGD(learningRate, weightDecay, momentum, dampening, velocityScaling, lossScaling,
          getUnsetNesterov(), clipNorm, accMm, accumType, accl1Type, debugContext) {}

namespace {
const ParameterMap &known(const ParameterMap &params) {
  return optimizer::onlyKnown(params,
                              {"defaultLearningRate", "defaultWeightDecay", "defaultMomentum",
                               "defaultDampening", "defaultVelocityScaling", "lossScaling",
                               "nesterov"},
                              "SGD");
}
} // namespace

SGD::SGD(const ParameterMap &p, const std::vector<ClipNormSettings> &clipNorm,
         SGDAccumulatorAndMomentum accMm, DataType accumType, DataType accl1Type,
         const DebugContext &debugContext)
    : SGD(valueOr(known(p), "defaultLearningRate", getUnsetLearningRate()),
          valueOr(p, "defaultWeightDecay", getUnsetWeightDecay()),
          valueOr(p, "defaultMomentum", getUnsetMomentum()),
          valueOr(p, "defaultDampening", getUnsetDampening()),
          valueOr(p, "defaultVelocityScaling", getUnsetVelocityScaling()),
          valueOr(p, "lossScaling", getUnsetLossScaling()),
          valueOr(p, "nesterov", getUnsetNesterov()), clipNorm, accMm, accumType, accl1Type,
          debugContext) {}

std::unique_ptr<Optimizer> SGD::clone() const { return std::make_unique<SGD>(*this); }

void SGD::insertSpecific(const TensorId &weight, OptimizerValue learningRate,
                         OptimizerValue weightDecay, OptimizerValue momentum,
                         OptimizerValue dampening, OptimizerValue velocityScaling,
                         OptimizerValue nesterov) {
  insert(weight, {{"learningRate", learningRate},
                  {"weightDecay", weightDecay},
                  {"momentum", momentum},
                  {"dampening", dampening},
                  {"velocityScaling", velocityScaling},
                  {"nesterov", nesterov}});
}

void SGD::checkTogether(const TensorId &weight) const {
  const float dampening = dampenings().get(weight).val();
  if (enableNesterov(weight) && dampening > 0)
    throw error(base::str("SGD: nesterov", weight.empty() ? "" : " of \"" + weight + "\"",
                          " is on, but dampening is ", dampening,
                          ". Nesterov's momentum takes no dampening; set it to zero."));
}

bool SGD::requiresAccl(const TensorId &weight) const {
  const auto momentum = momentums().get(weight);
  return !momentum.isConst() || momentum.val() != 0;
}
bool SGD::hasMomentum() const {
  const auto &specific = momentums().getSpecifics();
  return requiresAccl("") || std::any_of(specific.begin(), specific.end(), [&](const auto &entry) {
           return requiresAccl(entry.first);
         });
}
bool SGD::enableNesterov(const TensorId &weight) const {
  return nesterovs().get(weight).val() != 0;
}

// Nesterov's rule is another program, so that it may not come or go even if it is not constant.
std::vector<std::pair<std::string, std::string>> SGD::modes() const {
  std::vector<std::pair<std::string, std::string>> out{
      {"accumulatorAndMomentum",
       accMm_ == SGDAccumulatorAndMomentum::Combined ? "Combined" : "Separate"},
      {"accumType", nameOf(accumType_)},
      {"accl1Type", nameOf(accl1Type_)},
      {"nesterov", enableNesterov("") ? "on" : "off"}};
  std::string own; // weights that differ from the default
  for (const auto &[id, value] : nesterovs().getSpecifics())
    if (enableNesterov(id) != enableNesterov(""))
      own += (own.empty() ? "" : ",") + id;
  out.emplace_back("the set of weights with another nesterov", "{" + own + "}");
  return out;
}

} // namespace popart
