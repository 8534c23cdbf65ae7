// SPDX-License-Identifier: MIT
// Operands of the CTC kernels: probabilities, labels and lengths as plain arrays.
#pragma once
#include "openipu/Kernel.hpp"
#include "poplin/Dense.hpp"
#include <cstdint>
#include <vector>

namespace popnn::ctc {

// [time][batch][classes] of log probabilities; logits are turned into them.
class LogProbs {
public:
  LogProbs(const openipu::KernelOperand &data, bool logits);
  const float *data() const { return data_; }

private:
  poplin::dense::Floats floats_;
  std::vector<float> own_;
  const float *data_ = nullptr;
};

// A vector of integers, each at most `limit`; negative ones are 0.
std::vector<std::size_t> integers(const openipu::KernelOperand &operand, std::size_t limit);
// Row b of [batch][max length], the first `length` of it.
std::vector<std::uint32_t> labelsOf(const openipu::KernelOperand &labels, std::size_t b,
                                    std::size_t length);

} // namespace popnn::ctc
