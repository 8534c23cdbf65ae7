// SPDX-License-Identifier: MIT
// Operands of one dimension as the arithmetic likes them.
#pragma once
#include "openipu/Kernel.hpp"
#include "popsparse/Buckets.hpp"

namespace popsparse::dynamic {

using openipu::KernelOperand;

// The words of one pass, from the operand.
std::vector<std::uint16_t> wordsOf(const KernelOperand &meta, std::uint64_t begin,
                                   const BucketLayout &layout);
// A vector operand as a matrix of one row.
struct AsRow {
  std::size_t shape[2];
  std::int64_t strides[2];
  KernelOperand operand;
  explicit AsRow(const KernelOperand &vector);
};

} // namespace popsparse::dynamic
