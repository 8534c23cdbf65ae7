// SPDX-License-Identifier: MIT
// Types and shapes of inputs that a model leaves open.
#ifndef POPART_INPUTSHAPEINFO_HPP
#define POPART_INPUTSHAPEINFO_HPP
#include <popart/tensorinfo.hpp>

namespace popart {

class InputShapeInfo {
public:
  void add(TensorId id, const TensorInfo &info) { infos_[id] = info; }
  const TensorInfo &get(TensorId id) const;
  bool has(TensorId id) const { return infos_.count(id) != 0; }
  std::vector<TensorId> getAllTensorIds() const;
  const std::map<TensorId, TensorInfo> &getInfos() const { return infos_; }

private:
  std::map<TensorId, TensorInfo> infos_;
};

} // namespace popart
#endif
