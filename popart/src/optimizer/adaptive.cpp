// SPDX-License-Identifier: MIT
#include <popart/adaptive.hpp>

#include "optimizer/checks.hpp"
#include <popart/error.hpp>

namespace popart {

using optimizer::ParameterMap;
using optimizer::valueOr;

namespace {
const ParameterMap &known(const ParameterMap &params) {
  return optimizer::onlyKnown(params,
                              {"defaultLearningRate", "defaultWeightDecay", "defaultAlpha",
                               "defaultMomentum", "defaultEps", "lossScaling"},
                              "Adaptive");
}
std::string text(AdaptiveMode mode) {
  switch (mode) {
  case AdaptiveMode::AdaGrad:
    return "AdaGrad";
  case AdaptiveMode::RMSProp:
    return "RMSProp";
  case AdaptiveMode::CenteredRMSProp:
    return "CenteredRMSProp";
  case AdaptiveMode::AdaDelta:
    return "AdaDelta";
  }
  throw error("Adaptive: unknown mode {}.", static_cast<int>(mode));
}
} // namespace

Adaptive::Adaptive(OptimizerValue learningRate, OptimizerValue weightDecay, OptimizerValue alpha,
                   OptimizerValue momentum, OptimizerValue eps, OptimizerValue lossScaling,
                   AdaptiveMode mode, WeightDecayMode decay, DataType accum, DataType accl1,
                   DataType accl2, DataType accl3, bool tfVariant, const DebugContext &debugContext,
                   const std::vector<ClipNormSettings> &clipNorm)
    : Optimizer(lossScaling, clipNorm, debugContext), mode_(mode), decay_(decay), accumType_(accum),
      accl1Type_(accl1), accl2Type_(accl2), accl3Type_(accl3), tfVariant_(tfVariant) {
  addParameter("learningRate", learningRate, optimizer::learningRate);
  addParameter("weightDecay", weightDecay, optimizer::notNegative);
  addParameter("alpha", alpha, optimizer::atMostOne);
  addParameter("momentum", momentum, optimizer::notNegative);
  addParameter("eps", eps, optimizer::epsilon);
  checkDefaults();
}
Adaptive::Adaptive(const ParameterMap &p, AdaptiveMode mode, WeightDecayMode decay, DataType accum,
                   DataType accl1, DataType accl2, DataType accl3, bool tfVariant,
                   const DebugContext &debugContext, const std::vector<ClipNormSettings> &clipNorm)
    : Adaptive(valueOr(known(p), "defaultLearningRate", getUnsetLearningRate()),
               valueOr(p, "defaultWeightDecay", getUnsetWeightDecay()),
               valueOr(p, "defaultAlpha", getUnsetAlpha()),
               valueOr(p, "defaultMomentum", getUnsetMomentum()),
               valueOr(p, "defaultEps", getUnsetEps()),
               valueOr(p, "lossScaling", getUnsetLossScaling()), mode, decay, accum, accl1, accl2,
               accl3, tfVariant, debugContext, clipNorm) {}

std::unique_ptr<Optimizer> Adaptive::clone() const { return std::make_unique<Adaptive>(*this); }

void Adaptive::insertSpecific(const TensorId &weight, OptimizerValue learningRate,
                              OptimizerValue weightDecay, OptimizerValue alpha,
                              OptimizerValue momentum, OptimizerValue eps) {
  insert(weight, {{"learningRate", learningRate},
                  {"weightDecay", weightDecay},
                  {"alpha", alpha},
                  {"momentum", momentum},
                  {"eps", eps}});
}

std::vector<std::pair<std::string, std::string>> Adaptive::modes() const {
  return {{"mode", text(mode_)},
          {"weight decay mode", decay_ == WeightDecayMode::Decay ? "Decay" : "L2Regularization"},
          {"accumType", nameOf(accumType_)},
          {"accl1Type", nameOf(accl1Type_)},
          {"accl2Type", nameOf(accl2Type_)},
          {"accl3Type", nameOf(accl3Type_)},
          {"rmspropTFVariant", tfVariant_ ? "on" : "off"}};
}

} // namespace popart
