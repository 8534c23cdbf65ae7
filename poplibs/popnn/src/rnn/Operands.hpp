// SPDX-License-Identifier: MIT
// Operands of a kernel one after the other, some of them left out: the attributes say which, as
// bits, so that both sides count alike.
#pragma once
#include "openipu/Attributes.hpp"
#include "openipu/Kernel.hpp"
#include "openipu/Operation.hpp"
#include <stdexcept>

namespace popnn::rnn {

class Operands {
public:
  explicit Operands(std::span<const openipu::KernelOperand> operands) : operands_(operands) {}
  const openipu::KernelOperand &next() {
    if (next_ == operands_.size())
      throw std::runtime_error("A recurrent layer has fewer operands than its attributes tell: the "
                               "executable is damaged. Compile it again.");
    return operands_[next_++];
  }
  const openipu::KernelOperand *nextIf(bool present) { return present ? &next() : nullptr; }

private:
  std::span<const openipu::KernelOperand> operands_;
  std::size_t next_ = 0;
};

// Collects the uses of an operation; `bits` remembers which optional tensors are there.
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
