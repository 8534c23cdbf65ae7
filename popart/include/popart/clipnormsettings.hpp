// SPDX-License-Identifier: MIT
// Gradients of these weights are scaled down together when their common norm exceeds a maximum.
#ifndef POPART_CLIPNORMSETTINGS_HPP
#define POPART_CLIPNORMSETTINGS_HPP
#include <popart/names.hpp>

namespace popart {

class ClipNormSettings {
public:
  // Whether some weights' gradients are clipped together, or all of them.
  enum class Mode { ClipSpecifiedWeights, ClipAllWeights };
  ClipNormSettings(const std::vector<TensorId> &ids, float norm)
      : weightIds(ids), maxNorm(norm), mode_(Mode::ClipSpecifiedWeights) {}
  // The gradients of these weights together have at most this norm.
  static ClipNormSettings clipWeights(const std::vector<TensorId> &ids, float maxNorm) {
    return ClipNormSettings(ids, maxNorm);
  }
  // All gradients together have at most this norm.
  static ClipNormSettings clipAllWeights(float maxNorm) {
    ClipNormSettings settings({}, maxNorm);
    settings.mode_ = Mode::ClipAllWeights;
    return settings;
  }
  const std::vector<TensorId> &getWeightIds() const { return weightIds; } // empty for all weights
  float getMaxNorm() const { return maxNorm; } // the norm that is allowed
  Mode getMode() const { return mode_; }       // which weights it is about
  bool operator==(const ClipNormSettings &other) const {
    return weightIds == other.weightIds && maxNorm == other.maxNorm && mode_ == other.mode_;
  }
  bool operator!=(const ClipNormSettings &other) const { return !(*this == other); }

  std::vector<TensorId> weightIds; // of ClipSpecifiedWeights
  float maxNorm;                   // the norm that is allowed

private:
  Mode mode_;
};

} // namespace popart
#endif
