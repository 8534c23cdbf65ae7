// SPDX-License-Identifier: MIT
// Adam and its relatives, on s = gradient / loss scale (+ weightDecay w with L2Regularization):
//   m <- beta1 m + (1 - beta1) s         v <- beta2 v + (1 - beta2) s^2   (AdaMax: max(beta2 v,
//   |s|)) x = m' / (sqrt(v') + eps) (+ weightDecay w with Decay)                 w <- w -
//   learningRate x
// where m' and v' are corrected for their start at zero (not in the NoBias modes), and Lamb scales
// x by min(|w|, maxWeightNorm) / |x|.
#ifndef POPART_ADAM_HPP
#define POPART_ADAM_HPP
#include <popart/optimizer.hpp>

namespace popart {

// Which of the formulas above; NoBias: m and v are not corrected.
enum class AdamMode { Adam = 0, AdamNoBias, AdaMax, Lamb, LambNoBias };

class Adam : public Optimizer {
public:
  Adam(OptimizerValue defaultLearningRate, OptimizerValue defaultWeightDecay,
       OptimizerValue defaultBeta1, OptimizerValue defaultBeta2, OptimizerValue defaultEps,
       OptimizerValue lossScaling, OptimizerValue maxWeightNorm, AdamMode adamMode,
       WeightDecayMode decayMode, DataType accumType, DataType accl1Type, DataType accl2Type,
       const std::vector<ClipNormSettings> &clipNormSettings = {},
       bool scaledOptimizerState = false, const DebugContext &debugContext = {});
  Adam(OptimizerValue defaultLearningRate, OptimizerValue defaultWeightDecay,
       OptimizerValue defaultBeta1, OptimizerValue defaultBeta2, OptimizerValue defaultEps,
       OptimizerValue lossScaling, AdamMode adamMode, WeightDecayMode decayMode, DataType accumType,
       DataType accl1Type, DataType accl2Type,
       const std::vector<ClipNormSettings> &clipNormSettings = {},
       bool scaledOptimizerState = false, const DebugContext &debugContext = {});
  // The same with weight decay mode Decay.
  Adam(OptimizerValue defaultLearningRate, OptimizerValue defaultWeightDecay,
       OptimizerValue defaultBeta1, OptimizerValue defaultBeta2, OptimizerValue defaultEps,
       OptimizerValue lossScaling, OptimizerValue maxWeightNorm, AdamMode adamMode,
       DataType accumType, DataType accl1Type, DataType accl2Type,
       const std::vector<ClipNormSettings> &clipNormSettings = {},
       bool scaledOptimizerState = false, const DebugContext &debugContext = {});
  Adam(OptimizerValue defaultLearningRate, OptimizerValue defaultWeightDecay,
       OptimizerValue defaultBeta1, OptimizerValue defaultBeta2, OptimizerValue defaultEps,
       OptimizerValue lossScaling, AdamMode adamMode, DataType accumType, DataType accl1Type,
       DataType accl2Type, const std::vector<ClipNormSettings> &clipNormSettings = {},
       bool scaledOptimizerState = false, const DebugContext &debugContext = {});
  // {"defaultLearningRate", {0.1f, true}} ...: value, and whether it is constant.
  Adam(const std::map<std::string, std::pair<float, bool>> &params, AdamMode adamMode,
       WeightDecayMode decayMode, DataType accumType, DataType accl1Type, DataType accl2Type,
       const std::vector<ClipNormSettings> &clipNormSettings = {},
       bool scaledOptimizerState = false, const DebugContext &debugContext = {});
  Adam(const std::map<std::string, std::pair<float, bool>> &params, AdamMode adamMode,
       DataType accumType, DataType accl1Type, DataType accl2Type,
       const std::vector<ClipNormSettings> &clipNormSettings = {},
       bool scaledOptimizerState = false, const DebugContext &debugContext = {});

  OptimizerType type() const override { return OptimizerType::Adam; }
  std::string type_s() const override { return "Adam"; }
  std::unique_ptr<Optimizer> clone() const override;

  using Optimizer::insertSpecific;
  void insertSpecific(const TensorId &weight, OptimizerValue learningRate,
                      OptimizerValue weightDecay, OptimizerValue beta1, OptimizerValue beta2,
                      OptimizerValue eps, OptimizerValue maxWeightNorm);
  // The number of updates done before the first one of the session, for all weights or one.
  void setStep(std::int64_t step) { steps_[""] = step; }
  void setStep(const TensorId &weight, std::int64_t step) { steps_[weight] = step; }
  // Updates done before the first one of the session.
  std::int64_t getStep(const TensorId &weight) const;

  // The default of a hyper-parameter, and the values of weights that have their own.
  const OptimizerValueMap &learningRates() const { return parameter("learningRate"); }
  const OptimizerValueMap &weightDecays() const { return parameter("weightDecay"); }
  const OptimizerValueMap &beta1s() const { return parameter("beta1"); }
  const OptimizerValueMap &beta2s() const { return parameter("beta2"); }
  const OptimizerValueMap &epss() const { return parameter("eps"); }
  const OptimizerValueMap &maxWeightNorms() const { return parameter("maxWeightNorm"); }
  AdamMode getMode() const { return mode_; } // which of the formulas
  // Whether weight decay enters the state.
  WeightDecayMode getWeightDecayMode() const { return decay_; }
  // Whether m and v are held times the loss scale.
  bool useScaledOptimizerState() const { return scaledState_; }
  // Not of PopART: eps is added to the root of v in front of its correction, as Keras has it.
  void setEpsBeforeCorrection(bool on) { epsBeforeCorrection_ = on; }
  bool epsBeforeCorrection() const { return epsBeforeCorrection_; } // see setEpsBeforeCorrection
  // Types of accumulated gradients, of m and of v.
  DataType getAccumType() const { return accumType_; }
  DataType getAccl1Type() const { return accl1Type_; }
  DataType getAccl2Type() const { return accl2Type_; }

  // What a hyper-parameter is if nobody says it, here in PopART's order.
  static OptimizerValue getUnsetLearningRate() { return {0.1f, true}; }
  static OptimizerValue getUnsetWeightDecay() { return {0.0f, true}; }
  static OptimizerValue getUnsetBeta1() { return {0.9f, true}; }
  static OptimizerValue getUnsetBeta2() { return {0.999f, true}; }
  static OptimizerValue getUnsetEps() { return {1e-6f, true}; }
  static OptimizerValue getUnsetLossScaling() { return {1.0f, true}; }
  static OptimizerValue getUnsetMaxWeightNorm() { return {10.0f, true}; }

protected:
  std::vector<std::pair<std::string, std::string>> modes() const override;

private:
  AdamMode mode_;
  WeightDecayMode decay_;
  DataType accumType_, accl1Type_, accl2Type_;
  bool scaledState_, epsBeforeCorrection_ = false;
  std::map<TensorId, std::int64_t> steps_; // "" is all others
};

} // namespace popart
#endif
