// SPDX-License-Identifier: MIT
#include "popops/Strided.hpp"
#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace popops {
namespace {

struct Dim {
  std::size_t size;
  std::vector<std::int64_t> strides; // one per operand
};

bool joins(const Dim &outer, const Dim &inner) {
  for (std::size_t k = 0; k < outer.strides.size(); ++k)
    if (outer.strides[k] != inner.strides[k] * std::int64_t(inner.size))
      return false;
  return true;
}

std::vector<Dim> dimensionsOf(std::span<const openipu::KernelOperand *const> operands) {
  std::vector<Dim> dims;
  for (std::size_t d = 0; d < operands[0]->shape.size(); ++d)
    if (operands[0]->shape[d] != 1) {
      dims.push_back({operands[0]->shape[d], {}});
      for (const auto *operand : operands)
        dims.back().strides.push_back(operand->strides[d]);
    }
  std::stable_sort(dims.begin(), dims.end(), [](const Dim &a, const Dim &b) {
    return std::abs(a.strides[0]) > std::abs(b.strides[0]);
  });
  return dims;
}

} // namespace

std::size_t Walk::rows() const {
  return std::accumulate(sizes.begin(), sizes.end() - 1, std::size_t(1), std::multiplies<>());
}

std::int64_t Walk::rowStart(std::size_t operand, std::size_t row) const {
  const auto &strides = operands[operand].strides;
  std::int64_t at = operands[operand].start;
  for (std::size_t d = sizes.size() - 1; d-- > 0 && row;) {
    at += std::int64_t(row % sizes[d]) * strides[d];
    row /= sizes[d];
  }
  return at;
}

Walk walkTogether(std::span<const openipu::KernelOperand *const> operands) {
  Walk walk;
  walk.operands.resize(operands.size());
  std::vector<Dim> joined;
  for (auto &dim : dimensionsOf(operands)) {
    if (dim.strides[0] < 0)
      for (std::size_t k = 0; k < operands.size(); ++k) {
        walk.operands[k].start += dim.strides[k] * (std::int64_t(dim.size) - 1);
        dim.strides[k] = -dim.strides[k];
      }
    if (!joined.empty() && joins(joined.back(), dim)) {
      joined.back().size *= dim.size;
      joined.back().strides = dim.strides;
    } else
      joined.push_back(dim);
  }
  if (joined.empty())
    joined.push_back({operands[0]->elements, std::vector<std::int64_t>(operands.size(), 0)});
  for (const auto &dim : joined)
    walk.sizes.push_back(dim.size);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    auto &operand = walk.operands[k];
    std::int64_t expected = 1;
    operand.flat = operand.one = true;
    for (std::size_t d = joined.size(); d-- > 0;) {
      operand.strides.insert(operand.strides.begin(), joined[d].strides[k]);
      const bool single = joined[d].size <= 1;
      operand.flat &= single || joined[d].strides[k] == expected;
      operand.one &= single || joined[d].strides[k] == 0;
      expected *= std::int64_t(joined[d].size);
    }
  }
  return walk;
}

} // namespace popops
