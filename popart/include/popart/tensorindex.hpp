// SPDX-License-Identifier: MIT
// The tensors at the inputs or outputs of an operator, by index.
#ifndef POPART_TENSORINDEX_HPP
#define POPART_TENSORINDEX_HPP
#include <popart/tensor.hpp>

namespace popart {

class TensorIndexMap {
public:
  bool hasIndex(int i) const { return tensors_.count(i) != 0; }
  Tensor *tensor(int i); // popart::error if there is none
  const Tensor *tensor(int i) const;
  const TensorId &id(int i) const { return tensor(i)->id; }
  int n() const { return static_cast<int>(tensors_.size()); }
  int maxIndex() const { return tensors_.empty() ? -1 : tensors_.rbegin()->first; }
  const std::map<int, Tensor *> &tensorMap() const { return tensors_; }
  std::map<int, TensorId> tensorIdMap() const;
  std::vector<Tensor *> tensors() const;
  std::vector<int> indices(Tensor *tensor) const;
  bool contains(Tensor *tensor) const { return !indices(tensor).empty(); }

  void insert(int i, Tensor *tensor) { tensors_[i] = tensor; }
  void reset(int i, Tensor *tensor) { tensors_[i] = tensor; }
  void erase(int i) { tensors_.erase(i); }
  void clear() { tensors_.clear(); }

private:
  std::map<int, Tensor *> tensors_;
};

} // namespace popart
#include <popart/op.hpp> // which needs what is above
#endif
