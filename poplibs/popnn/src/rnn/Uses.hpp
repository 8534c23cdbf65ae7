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

  void out(const poplar::Tensor &t) { outputs.push_back(openipu::out(t)); }
  void in(const poplar::Tensor &t) { inputs.push_back(openipu::in(t)); }
  void outIf(bool present, std::uint32_t bit, const poplar::Tensor &t) {
    if (present) {
      bits |= bit;
      out(t);
    }
  }
  void inIf(bool present, std::uint32_t bit, const poplar::Tensor &t) {
    if (present) {
      bits |= bit;
      in(t);
    }
  }
  std::vector<openipu::Used> all() const {
    auto uses = outputs;
    uses.insert(uses.end(), inputs.begin(), inputs.end());
    return uses;
  }
};

} // namespace popnn::rnn
