// SPDX-License-Identifier: MIT
// Which input element meets which kernel element for an output element, as tables. All transforms
// of a convolution (truncation, dilation, padding, flips, stride) end here: kernels see pairs that
// meet, and pairs that do not because one of them is a zero.
#pragma once
#include "openipu/Kernel.hpp"
#include "poplin/kernels/Convolution.hpp"
#include <cstdint>
#include <vector>

namespace poplin::conv {

using kernels::Dim;
using kernels::Geometry;

// Throws std::runtime_error unless the operand is of float or half and has these sizes.
void checkOperand(const openipu::KernelOperand &operand, const std::vector<std::uint64_t> &shape);
std::vector<std::uint64_t> inputShape(const Geometry &g), weightShape(const Geometry &g),
    outputShape(const Geometry &g);

// All dimensions but the last count as one ("rows"), because what differs along a row is only the
// last. Offsets are in elements, for given strides of the input's dimensions.
struct Table {
  static constexpr std::int64_t none = std::int64_t(-1) << 60; // stays negative when added to

  std::size_t outputs = 0, kernels = 0;
  std::vector<std::int64_t> offsets; // [output][kernel]; none where they do not meet
  std::int64_t at(std::size_t o, std::size_t k) const { return offsets[o * kernels + k]; }
};
struct Tables {
  Table rows, last;
};
Tables tables(const Geometry &g, const std::vector<std::int64_t> &inputStrides);
// Offsets of output elements, for given strides of the output's dimensions.
void outputOffsets(const Geometry &g, const std::vector<std::int64_t> &strides,
                   std::vector<std::int64_t> &rows, std::vector<std::int64_t> &last);
// Outputs in an order in which neighbours meet the same kernel elements; 0, 1, ... when the input
// is not dilated.
std::vector<std::uint32_t> order(const Table &table, bool dilated);

} // namespace poplin::conv
