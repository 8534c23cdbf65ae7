// SPDX-License-Identifier: MIT
// Several tensors of one shape walked together in the order in which the first one lies in memory:
// dimensions sorted by its strides, reversed ones turned round, and neighbours joined where they
// join for all. Transposed and channels-last tensors so become long rows.
#pragma once
#include "openipu/Kernel.hpp"
#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace popops {

struct Walk {
  std::vector<std::size_t> sizes; // outermost first; never empty: a scalar is one row of one
  struct Operand {
    std::int64_t start = 0;            // element where the walk begins
    std::vector<std::int64_t> strides; // elements, one per dimension
    bool flat = false;                 // position i of the walk is element start + i
    bool one = false;                  // always the same element
  };
  std::vector<Operand> operands;

  std::size_t inner() const { return sizes.back(); }
  std::size_t rows() const; // positions / inner()
  // Element of an operand where a row starts.
  std::int64_t rowStart(std::size_t operand, std::size_t row) const;
  // f(element, step, n) for `count` rows from `row` on: n rows that start `step` elements apart.
  template <class F>
  void eachStretch(std::size_t operand, std::size_t row, std::size_t count, F f) const {
    const bool outer = sizes.size() > 1;
    const std::size_t extent = outer ? sizes[sizes.size() - 2] : 1;
    const std::int64_t step = outer ? operands[operand].strides[sizes.size() - 2] : 0;
    while (count) {
      const std::size_t n = std::min(count, extent - row % extent);
      f(rowStart(operand, row), step, n);
      row += n;
      count -= n;
    }
  }
};

// All operands have the shape of the first.
Walk walkTogether(std::span<const openipu::KernelOperand *const> operands);

} // namespace popops
