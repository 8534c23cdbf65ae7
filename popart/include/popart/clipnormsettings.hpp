// SPDX-License-Identifier: MIT
// Gradients of these weights are scaled down together when their common norm exceeds a maximum.
#ifndef POPART_CLIPNORMSETTINGS_HPP
#define POPART_CLIPNORMSETTINGS_HPP
#include <popart/names.hpp>

namespace popart {

class ClipNormSettings {
public:
  enum class Mode { ClipSpecifiedWeights, ClipAllWeights };
  ClipNormSettings(const std::vector<TensorId> &ids, float norm)
      : weightIds(ids), maxNorm(norm), mode_(Mode::ClipSpecifiedWeights) {}
  static ClipNormSettings clipWeights(const std::vector<TensorId> &ids, float maxNorm) {
    return ClipNormSettings(ids, maxNorm);
  }
  static ClipNormSettings clipAllWeights(float maxNorm) {
    ClipNormSettings settings({}, maxNorm);
    settings.mode_ = Mode::ClipAllWeights;
    return settings;
  }
  const std::vector<TensorId> &getWeightIds() const { return weightIds; }
  float getMaxNorm() const { return maxNorm; }
  Mode getMode() const { return mode_; }
  bool operator==(const ClipNormSettings &other) const {
    return weightIds == other.weightIds && maxNorm == other.maxNorm && mode_ == other.mode_;
  }
  bool operator!=(const ClipNormSettings &other) const { return !(*this == other); }

  std::vector<TensorId> weightIds;
  float maxNorm;

private:
  Mode mode_;
};

} // namespace popart
#endif
