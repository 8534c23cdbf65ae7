// SPDX-License-Identifier: MIT
// What all optimisers share. The kinds are in sgd.hpp, adam.hpp and adaptive.hpp.
#ifndef POPART_OPTIMIZER_HPP
#define POPART_OPTIMIZER_HPP
#include <popart/clipnormsettings.hpp>
#include <popart/datatype.hpp>
#include <popart/debugcontext.hpp>
#include <popart/optimizervalue.hpp>

namespace popart {

enum class OptimizerType { SGD = 0, Adam, Adaptive, NTYPES };

class Optimizer {
public:
  virtual ~Optimizer();
  virtual OptimizerType type() const = 0;
  virtual std::string type_s() const = 0;
  virtual std::unique_ptr<Optimizer> clone() const = 0;
  // popart::runtime_error, saying why, if `other` cannot take this one's place in a running
  // session.
  virtual void validReplacement(const Optimizer &other) const;
  // What a compiled program depends on: structure and constant values. Part of the cache's hash.
  virtual std::string structure() const = 0;

  const OptimizerValue &lossScaling() const { return lossScaling_; }
  float getLossScalingVal() const { return lossScaling_.val(); }
  float getFinalLossScalingVal() const { return lossScaling_.val(); }
  const std::vector<ClipNormSettings> &getClipNormSettings() const { return clipNorm_; }

protected:
  Optimizer(OptimizerValue lossScaling, const std::vector<ClipNormSettings> &clipNorm);

private:
  OptimizerValue lossScaling_;
  std::vector<ClipNormSettings> clipNorm_;
};

} // namespace popart
#endif
