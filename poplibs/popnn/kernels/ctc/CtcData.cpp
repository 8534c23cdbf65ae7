// SPDX-License-Identifier: MIT
// Operands of the CTC kernels.
#include "ctc/CtcData.hpp"
#include "base/Threads.hpp"
#include <algorithm>
#include <cmath>

namespace popnn::ctc {

namespace {

void logSoftmax(const float *from, float *to, std::size_t n) {
  const float most = *std::max_element(from, from + n);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i)
    sum += std::exp(double(from[i]) - most);
  const double shift = most + std::log(sum);
  for (std::size_t i = 0; i < n; ++i)
    to[i] = float(from[i] - shift);
}

} // namespace

LogProbs::LogProbs(const openipu::KernelOperand &data, bool logits) : floats_(data) {
  data_ = floats_.data();
  if (!logits)
    return;
  const std::size_t classes = data.shape[2], rows = data.shape[0] * data.shape[1];
  own_.resize(rows * classes);
  base::parallelFor(rows, std::max<std::size_t>(1, 4096 / (classes + 1)),
                    [&](std::size_t begin, std::size_t end, unsigned) {
                      for (auto r = begin; r < end; ++r)
                        logSoftmax(data_ + r * classes, own_.data() + r * classes, classes);
                    });
  data_ = own_.data();
}

std::vector<std::size_t> integers(const openipu::KernelOperand &operand, std::size_t limit) {
  std::vector<std::size_t> out(operand.elements);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto value = operand.as<const std::uint32_t>()[std::int64_t(i) * operand.strides[0]];
    const bool negative = operand.type == openipu::TypeId::Int && std::int32_t(value) < 0;
    out[i] = negative ? 0 : std::min<std::size_t>(value, limit);
  }
  return out;
}

std::vector<std::uint32_t> labelsOf(const openipu::KernelOperand &labels, std::size_t b,
                                    std::size_t length) {
  std::vector<std::uint32_t> out(length);
  for (std::size_t i = 0; i < length; ++i) {
    const auto at = std::int64_t(b) * labels.strides[0] + std::int64_t(i) * labels.strides[1];
    out[i] = labels.type == openipu::TypeId::UnsignedShort ? labels.as<const std::uint16_t>()[at]
                                                           : labels.as<const std::uint32_t>()[at];
  }
  return out;
}

} // namespace popnn::ctc
