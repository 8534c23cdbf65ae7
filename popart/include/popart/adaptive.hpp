// SPDX-License-Identifier: MIT
// Optimisers that divide by a running size of the gradient s (unscaled; + weightDecay w with
// L2Regularization):
//   v1 = alpha v1 + (1 - alpha) s^2  (AdaGrad: v1 + s^2)        x = s / (sqrt(v1) + eps)
// Centered subtracts the square of the mean gradient v2 under the root; AdaDelta multiplies by
// the running size of x; v3 = momentum v3 + x smooths the result. RMSProp's variant of TensorFlow
// has v1 = 1 at first, eps under the root, and v3 = momentum v3 + learningRate x, beside which
// WeightDecayMode::Decay takes weightDecay w.
#ifndef POPART_ADAPTIVE_HPP
#define POPART_ADAPTIVE_HPP
#include <popart/optimizer.hpp>

namespace popart {

// Which of the formulas above.
enum class AdaptiveMode { AdaGrad = 0, RMSProp, CenteredRMSProp, AdaDelta };

class Adaptive : public Optimizer {
public:
  Adaptive(OptimizerValue defaultLearningRate, OptimizerValue defaultWeightDecay,
           OptimizerValue defaultAlpha, OptimizerValue defaultMomentum, OptimizerValue defaultEps,
           OptimizerValue lossScaling, AdaptiveMode adaptiveMode, WeightDecayMode decayMode,
           DataType accumType, DataType accl1Type, DataType accl2Type, DataType accl3Type,
           bool rmspropTFVariant = false, const DebugContext &debugContext = {},
           const std::vector<ClipNormSettings> &clipNormSettings = {});
  // {"defaultLearningRate", {0.01f, true}} ...: value, and whether it is constant.
  Adaptive(const std::map<std::string, std::pair<float, bool>> &params, AdaptiveMode adaptiveMode,
           WeightDecayMode decayMode, DataType accumType, DataType accl1Type, DataType accl2Type,
           DataType accl3Type, bool rmspropTFVariant = false, const DebugContext &debugContext = {},
           const std::vector<ClipNormSettings> &clipNormSettings = {}); // not of PopART

  OptimizerType type() const override { return OptimizerType::Adaptive; }
  std::string type_s() const override { return "Adaptive"; }
  std::unique_ptr<Optimizer> clone() const override;

  using Optimizer::insertSpecific;
  void insertSpecific(const TensorId &weight, OptimizerValue learningRate,
                      OptimizerValue weightDecay, OptimizerValue alpha, OptimizerValue momentum,
                      OptimizerValue eps);

  // The default of a hyper-parameter, and the values of weights that have their own.
  const OptimizerValueMap &learningRates() const { return parameter("learningRate"); }
  const OptimizerValueMap &weightDecays() const { return parameter("weightDecay"); }
  const OptimizerValueMap &alphas() const { return parameter("alpha"); }
  const OptimizerValueMap &momentums() const { return parameter("momentum"); }
  const OptimizerValueMap &epss() const { return parameter("eps"); }
  AdaptiveMode getMode() const { return mode_; } // which of the formulas
  // Whether weight decay enters the state.
  WeightDecayMode getWeightDecayMode() const { return decay_; }
  // Eps under the root, as TensorFlow has it.
  bool useRMSPropTFVariant() const { return tfVariant_; }
  // Types of accumulated gradients and of the states, in the order of the formula.
  DataType getAccumType() const { return accumType_; }
  DataType getAccl1Type() const { return accl1Type_; }
  DataType getAccl2Type() const { return accl2Type_; }
  DataType getAccl3Type() const { return accl3Type_; }

  // What a hyper-parameter is if nobody says it.
  static OptimizerValue getUnsetLearningRate() { return {0.01f, true}; }
  static OptimizerValue getUnsetWeightDecay() { return {0.0f, true}; }
  static OptimizerValue getUnsetAlpha() { return {0.99f, true}; }
  static OptimizerValue getUnsetMomentum() { return {0.0f, true}; }
  static OptimizerValue getUnsetEps() { return {1e-6f, true}; }
  static OptimizerValue getUnsetLossScaling() { return {1.0f, true}; }

protected:
  std::vector<std::pair<std::string, std::string>> modes() const override;

private:
  AdaptiveMode mode_;
  WeightDecayMode decay_;
  DataType accumType_, accl1Type_, accl2Type_, accl3Type_;
  bool tfVariant_;
};

} // namespace popart
#endif
