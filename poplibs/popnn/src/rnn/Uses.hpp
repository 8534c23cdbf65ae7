// SPDX-License-Identifier: MIT
// The tensors of an operation one after the other, some of them left out: the other side of
// kernels/rnn/Operands.hpp.
#pragma once
#include "openipu/Operation.hpp"

namespace popnn::rnn {

// Collects them; `bits` remembers which optional tensors are there.
struct Uses {
  std::vector<openipu::Used> outputs, inputs;
  std::uint32_t bits = 0;

  void out(const poplar::Tensor &t, std::uint32_t bit = 0) {
    bits |= bit;
    outputs.push_back(openipu::out(t));
  }
  void in(const poplar::Tensor &t, std::uint32_t bit = 0) {
    bits |= bit;
    inputs.push_back(openipu::in(t));
  }
  void inIf(bool present, const poplar::Tensor &t, std::uint32_t bit) {
    if (present)
      in(t, bit);
  }
  void inIf(const poplar::Tensor *t, std::uint32_t bit) {
    if (t)
      in(*t, bit);
  }
  std::vector<openipu::Used> all() const {
    auto uses = outputs;
    uses.insert(uses.end(), inputs.begin(), inputs.end());
    return uses;
  }
};

// Attributes of a cell's kernel with these tensors.
template <class Of> std::string attributes(Of of, const Uses &uses) {
  of.present = uses.bits;
  return of.write();
}

} // namespace popnn::rnn
