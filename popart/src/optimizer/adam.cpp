// SPDX-License-Identifier: MIT
#include <popart/adam.hpp>

#include "optimizer/checks.hpp"
#include <popart/error.hpp>

namespace popart {

using optimizer::ParameterMap;
using optimizer::valueOr;

namespace {
using Value = OptimizerValue;
using Clips = std::vector<ClipNormSettings>;

const ParameterMap &known(const ParameterMap &params) {
  return optimizer::onlyKnown(params,
                              {"defaultLearningRate", "defaultWeightDecay", "defaultBeta1",
                               "defaultBeta2", "defaultEps", "lossScaling", "defaultMaxWeightNorm",
                               "maxWeightNorm"},
                              "Adam");
}
std::string text(AdamMode mode) {
  switch (mode) {
  case AdamMode::Adam:
    return "Adam";
  case AdamMode::AdamNoBias:
    return "AdamNoBias";
  case AdamMode::AdaMax:
    return "AdaMax";
  case AdamMode::Lamb:
    return "Lamb";
  case AdamMode::LambNoBias:
    return "LambNoBias";
  }
  throw error("Adam: unknown mode {}.", static_cast<int>(mode));
}
} // namespace

Adam::Adam(Value learningRate, Value weightDecay, Value beta1, Value beta2, Value eps,
           Value lossScaling, Value maxWeightNorm, AdamMode mode, WeightDecayMode decay,
           DataType accum, DataType accl1, DataType accl2, const Clips &clipNorm, bool scaledState,
           const DebugContext &debugContext)
    : Optimizer(lossScaling, clipNorm, debugContext), mode_(mode), decay_(decay), accumType_(accum),
      accl1Type_(accl1), accl2Type_(accl2), scaledState_(scaledState) {
  addParameter("learningRate", learningRate, optimizer::learningRate);
  addParameter("weightDecay", weightDecay, optimizer::notNegative);
  const bool first = mode != AdamMode::AdamNoBias && mode != AdamMode::LambNoBias,
             second = first && mode != AdamMode::AdaMax; // whose bias is corrected
  addParameter("beta1", beta1, first ? optimizer::belowOne : optimizer::atMostOne);
  addParameter("beta2", beta2, second ? optimizer::belowOne : optimizer::atMostOne);
  addParameter("eps", eps, optimizer::epsilon);
  addParameter("maxWeightNorm", maxWeightNorm, optimizer::notNegative);
  checkDefaults();
}
Adam::Adam(Value learningRate, Value weightDecay, Value beta1, Value beta2, Value eps,
           Value lossScaling, AdamMode mode, WeightDecayMode decay, DataType accum, DataType accl1,
           DataType accl2, const Clips &clipNorm, bool scaledState,
           const DebugContext &debugContext)
    : Adam(learningRate, weightDecay, beta1, beta2, eps, lossScaling, getUnsetMaxWeightNorm(), mode,
           decay, accum, accl1, accl2, clipNorm, scaledState, debugContext) {}
Adam::Adam(Value learningRate, Value weightDecay, Value beta1, Value beta2, Value eps,
           Value lossScaling, Value maxWeightNorm, AdamMode mode, DataType accum, DataType accl1,
           DataType accl2, const Clips &clipNorm, bool scaledState,
           const DebugContext &debugContext)
    : Adam(learningRate, weightDecay, beta1, beta2, eps, lossScaling, maxWeightNorm, mode,
           WeightDecayMode::Decay, accum, accl1, accl2, clipNorm, scaledState, debugContext) {}
Adam::Adam(Value learningRate, Value weightDecay, Value beta1, Value beta2, Value eps,
           Value lossScaling, AdamMode mode, DataType accum, DataType accl1, DataType accl2,
           const Clips &clipNorm, bool scaledState, const DebugContext &debugContext)
    : Adam(learningRate, weightDecay, beta1, beta2, eps, lossScaling, getUnsetMaxWeightNorm(), mode,
           WeightDecayMode::Decay, accum, accl1, accl2, clipNorm, scaledState, debugContext) {}
Adam::Adam(const ParameterMap &p, AdamMode mode, WeightDecayMode decay, DataType accum,
           DataType accl1, DataType accl2, const Clips &clipNorm, bool scaledState,
           const DebugContext &debugContext)
    : Adam(valueOr(known(p), "defaultLearningRate", getUnsetLearningRate()),
           valueOr(p, "defaultWeightDecay", getUnsetWeightDecay()),
           valueOr(p, "defaultBeta1", getUnsetBeta1()), valueOr(p, "defaultBeta2", getUnsetBeta2()),
           valueOr(p, "defaultEps", getUnsetEps()),
           valueOr(p, "lossScaling", getUnsetLossScaling()),
           valueOr(p, "defaultMaxWeightNorm", valueOr(p, "maxWeightNorm", getUnsetMaxWeightNorm())),
           mode, decay, accum, accl1, accl2, clipNorm, scaledState, debugContext) {}
Adam::Adam(const ParameterMap &p, AdamMode mode, DataType accum, DataType accl1, DataType accl2,
           const Clips &clipNorm, bool scaledState, const DebugContext &debugContext)
    : Adam(p, mode, WeightDecayMode::Decay, accum, accl1, accl2, clipNorm, scaledState,
           debugContext) {}

std::unique_ptr<Optimizer> Adam::clone() const { return std::make_unique<Adam>(*this); }

void Adam::insertSpecific(const TensorId &weight, Value learningRate, Value weightDecay,
                          Value beta1, Value beta2, Value eps, Value maxWeightNorm) {
  insert(weight, {{"learningRate", learningRate},
                  {"weightDecay", weightDecay},
                  {"beta1", beta1},
                  {"beta2", beta2},
                  {"eps", eps},
                  {"maxWeightNorm", maxWeightNorm}});
}

std::int64_t Adam::getStep(const TensorId &weight) const {
  auto it = steps_.find(weight);
  if (it == steps_.end())
    it = steps_.find("");
  return it == steps_.end() ? 0 : it->second;
}

std::vector<std::pair<std::string, std::string>> Adam::modes() const {
  return {{"mode", text(mode_)},
          {"weight decay mode", decay_ == WeightDecayMode::Decay ? "Decay" : "L2Regularization"},
          {"accumType", nameOf(accumType_)},
          {"accl1Type", nameOf(accl1Type_)},
          {"accl2Type", nameOf(accl2Type_)},
          {"scaledOptimizerState", scaledState_ ? "on" : "off"},
          {"epsBeforeCorrection", epsBeforeCorrection_ ? "on" : "off"}};
}

} // namespace popart
