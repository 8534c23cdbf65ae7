// SPDX-License-Identifier: MIT
// The tensors at the inputs or outputs of an operator, by index.
#ifndef POPART_TENSORINDEX_HPP
#define POPART_TENSORINDEX_HPP
#include <popart/tensor.hpp>

namespace popart {

// The inputs or the outputs of an operator: tensors by position.
class TensorIndexMap {
public:
  // Whether there is one at a position.
  bool hasIndex(int i) const { return tensors_.count(i) != 0; }
  Tensor *tensor(int i); // popart::error if there is none
  const Tensor *tensor(int i) const;
  const TensorId &id(int i) const { return tensor(i)->id; } // the name of the tensor at a position
  int n() const { return static_cast<int>(tensors_.size()); } // how many there are
  // -1 if there are none.
  int maxIndex() const { return tensors_.empty() ? -1 : tensors_.rbegin()->first; }
  const std::map<int, Tensor *> &tensorMap() const { return tensors_; } // all of them
  std::map<int, TensorId> tensorIdMap() const;                          // all names
  std::vector<Tensor *> tensors() const;          // in the order of the positions
  std::vector<int> indices(Tensor *tensor) const; // positions of a tensor
  // Whether it is at any position.
  bool contains(Tensor *tensor) const { return !indices(tensor).empty(); }

  void insert(int i, Tensor *tensor) { tensors_[i] = tensor; } // puts it at a position
  void reset(int i, Tensor *tensor) { tensors_[i] = tensor; }  // puts it at a position
  void erase(int i) { tensors_.erase(i); }                     // empties a position
  void clear() { tensors_.clear(); }

private:
  std::map<int, Tensor *> tensors_;
};

} // namespace popart
#include <popart/op.hpp> // which needs what is above
#endif
