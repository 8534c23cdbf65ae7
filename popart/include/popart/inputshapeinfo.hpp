// SPDX-License-Identifier: MIT
// Types and shapes of inputs that a model leaves open.
#ifndef POPART_INPUTSHAPEINFO_HPP
#define POPART_INPUTSHAPEINFO_HPP
#include <popart/tensorinfo.hpp>

namespace popart {

class InputShapeInfo {
public:
  // Says what an input is; overwrites.
  void add(TensorId id, const TensorInfo &info) { infos_[id] = info; }
  const TensorInfo &get(TensorId id) const; // throws popart::error if nothing was said
  bool has(TensorId id) const { return infos_.count(id) != 0; } // whether something was said of it
  std::vector<TensorId> getAllTensorIds() const;                // inputs that something was said of
  const std::map<TensorId, TensorInfo> &getInfos() const { return infos_; } // all of it, by name

private:
  std::map<TensorId, TensorInfo> infos_;
};

} // namespace popart
#endif
