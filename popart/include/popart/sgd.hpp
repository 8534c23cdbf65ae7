// SPDX-License-Identifier: MIT
// Stochastic gradient descent, with momentum, dampening, weight decay and Nesterov's look ahead.
// The velocity v is held `velocityScaling` times larger; dampening holds for weight decay as well:
//   v <- momentum v + (1 - dampening) (g + weightDecay w)      w <- w - learningRate v
#ifndef POPART_SGD_HPP
#define POPART_SGD_HPP
#include <popart/optimizer.hpp>

namespace popart {

// With momentum: gradients are accumulated in the velocity itself (hyper-parameters that change
// then reach the velocity one step later), or in a tensor of their own.
enum class SGDAccumulatorAndMomentum { Combined = 0, Separate };

class SGD : public Optimizer {
public:
  SGD(OptimizerValue defaultLearningRate, OptimizerValue defaultWeightDecay,
      OptimizerValue defaultMomentum, OptimizerValue defaultDampening,
      OptimizerValue defaultVelocityScaling, OptimizerValue lossScaling, OptimizerValue nesterov,
      const std::vector<ClipNormSettings> &clipNormSettings = {},
      SGDAccumulatorAndMomentum sgdAccMm = SGDAccumulatorAndMomentum::Combined,
      DataType accumType = DataType::UNDEFINED, DataType accl1Type = DataType::UNDEFINED,
      const DebugContext &debugContext = {});
  SGD(OptimizerValue defaultLearningRate, OptimizerValue defaultWeightDecay,
      OptimizerValue defaultMomentum, OptimizerValue defaultDampening,
      OptimizerValue defaultVelocityScaling, OptimizerValue lossScaling,
      const std::vector<ClipNormSettings> &clipNormSettings = {},
      SGDAccumulatorAndMomentum sgdAccMm = SGDAccumulatorAndMomentum::Combined,
      DataType accumType = DataType::UNDEFINED, DataType accl1Type = DataType::UNDEFINED,
      const DebugContext &debugContext = {});
  // {"defaultLearningRate", {0.1f, true}} ...: value, and whether it is constant.
  SGD(const std::map<std::string, std::pair<float, bool>> &params,
      const std::vector<ClipNormSettings> &clipNormSettings = {},
      SGDAccumulatorAndMomentum sgdAccMm = SGDAccumulatorAndMomentum::Combined,
      DataType accumType = DataType::UNDEFINED, DataType accl1Type = DataType::UNDEFINED,
      const DebugContext &debugContext = {});

  OptimizerType type() const override { return OptimizerType::SGD; }
  std::string type_s() const override { return "SGD"; }
  std::unique_ptr<Optimizer> clone() const override;

  using Optimizer::insertSpecific;
  void insertSpecific(const TensorId &weight, OptimizerValue learningRate,
                      OptimizerValue weightDecay, OptimizerValue momentum, OptimizerValue dampening,
                      OptimizerValue velocityScaling, OptimizerValue nesterov = {0, true});

  // Whether the weight (any weight) has a velocity: its momentum may be other than zero.
  bool requiresAccl(const TensorId &weight) const;
  bool hasMomentum() const; // whether the momentum of any weight may be other than zero
  bool enableNesterov(const TensorId &weight) const; // whether the weight looks ahead

  // The default of a hyper-parameter, and the values of weights that have their own.
  const OptimizerValueMap &learningRates() const { return parameter("learningRate"); }
  const OptimizerValueMap &weightDecays() const { return parameter("weightDecay"); }
  const OptimizerValueMap &momentums() const { return parameter("momentum"); }
  const OptimizerValueMap &dampenings() const { return parameter("dampening"); }
  const OptimizerValueMap &velocityScalings() const { return parameter("velocityScaling"); }
  const OptimizerValueMap &nesterovs() const { return parameter("nesterov"); }
  // Where gradients are accumulated.
  SGDAccumulatorAndMomentum getSGDAccumulatorAndMomentum() const { return accMm_; }
  // Types of accumulated gradients and of the velocity; UNDEFINED: that of the weight.
  DataType getAccumType() const { return accumType_; }
  DataType getAccl1Type() const { return accl1Type_; }

  // What a hyper-parameter is if nobody says it.
  static OptimizerValue getUnsetLearningRate() { return {0.1f, true}; }
  static OptimizerValue getUnsetWeightDecay() { return {0.0f, true}; }
  static OptimizerValue getUnsetMomentum() { return {0.0f, true}; }
  static OptimizerValue getUnsetDampening() { return {0.0f, true}; }
  static OptimizerValue getUnsetVelocityScaling() { return {1.0f, true}; }
  static OptimizerValue getUnsetLossScaling() { return {1.0f, true}; }
  static OptimizerValue getUnsetNesterov() { return {0.0f, true}; }

protected:
  std::vector<std::pair<std::string, std::string>> modes() const override;
  void checkTogether(const TensorId &weight) const override;

private:
  SGDAccumulatorAndMomentum accMm_;
  DataType accumType_, accl1Type_;
};

// Everything constant, no momentum.
class ConstSGD : public SGD {
public:
  explicit ConstSGD(float learningRate, float weightDecay = 0, float lossScaling = 1,
                    const std::vector<ClipNormSettings> &clipNormSettings = {})
      : SGD({learningRate, true}, {weightDecay, true}, getUnsetMomentum(), getUnsetDampening(),
            getUnsetVelocityScaling(), {lossScaling, true}, clipNormSettings) {}
};

} // namespace popart
#endif
