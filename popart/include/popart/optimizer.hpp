// SPDX-License-Identifier: MIT
// What all optimisers share. The kinds are in sgd.hpp, adam.hpp and adaptive.hpp.
#ifndef POPART_OPTIMIZER_HPP
#define POPART_OPTIMIZER_HPP
#include <functional>
#include <popart/clipnormsettings.hpp>
#include <popart/commgroup.hpp>
#include <popart/datatype.hpp>
#include <popart/debugcontext.hpp>
#include <popart/optimizervaluemap.hpp>

namespace popart {

// Which optimiser it is; NTYPES: one of rules.
enum class OptimizerType { SGD = 0, Adam, Adaptive, NTYPES };
// Whether weight decay is added to the gradient (and enters the state), or taken off the weight.
enum class WeightDecayMode { Decay = 0, L2Regularization };

// How weights change: hyper-parameters for all weights, and others for some. Throws popart::error
// for values that cannot be.
class Optimizer {
public:
  virtual ~Optimizer();
  virtual OptimizerType type() const = 0;               // which optimiser it is
  virtual std::string type_s() const = 0;               // the same as text
  virtual std::unique_ptr<Optimizer> clone() const = 0; // a copy
  // popart::runtime_error, saying why, if `other` cannot take this one's place in a running
  // session.
  virtual void validReplacement(const Optimizer &other) const;
  // What a compiled program depends on: structure and constant values. Part of the cache's hash.
  virtual std::string structure() const;

  // Values of one weight's own; names are those of the defaults without "default". What is left
  // out takes the default. popart::error for unknown names and values that make no sense.
  void insertSpecific(const TensorId &weight,
                      const std::map<std::string, std::pair<float, bool>> &params);
  // Whether a weight (any weight) has values of its own.
  bool hasSpecific(const TensorId &weight) const;
  bool hasSpecific() const;

  // What the loss is multiplied with, so that half holds its gradients.
  const OptimizerValue &lossScaling() const { return lossScaling_; }
  float getLossScalingVal() const { return lossScaling_.val(); }
  float getFinalLossScalingVal() const { return lossScaling_.val(); }
  // Norms that gradients are clipped to.
  const std::vector<ClipNormSettings> &getClipNormSettings() const { return clipNorm_; }
  // The debug name it was made with.
  const DebugContext &getDebugContext() const { return debugContext_; }

  // One kind of hyper-parameter: "learningRate", "beta1" ...
  struct Parameter {
    std::string name;         // of a specific value; the default is called defaultLearningRate
    OptimizerValueMap values; // the default and those of weights
    // Throws popart::error for a value that cannot be.
    std::function<void(const std::string &who, const OptimizerValue &)> check;
  };
  // In the order of the optimiser.
  const std::vector<Parameter> &parameters() const { return parameters_; }
  // By name; popart::error if there is none.
  const OptimizerValueMap &parameter(const std::string &name) const;

protected:
  using ParameterMap = std::map<std::string, std::pair<float, bool>>;
  Optimizer(OptimizerValue lossScaling, const std::vector<ClipNormSettings> &clipNorm,
            const DebugContext &debugContext);
  void addParameter(const std::string &name, OptimizerValue byDefault,
                    std::function<void(const std::string &, const OptimizerValue &)> check);
  void insert(const TensorId &weight, const std::map<std::string, OptimizerValue> &values);
  // What beside the hyper-parameters must be the same: modes and types, as text.
  virtual std::vector<std::pair<std::string, std::string>> modes() const = 0;
  // Checks that concern several values of one weight ("" is the default).
  virtual void checkTogether(const TensorId &weight) const;
  // Checks the defaults; for the end of constructors.
  void checkDefaults() const;

private:
  OptimizerValue lossScaling_;
  std::vector<ClipNormSettings> clipNorm_;
  DebugContext debugContext_;
  std::vector<Parameter> parameters_;
};

} // namespace popart
#endif
