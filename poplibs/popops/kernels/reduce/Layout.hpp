// SPDX-License-Identifier: MIT
// How a reduction walks through memory: the dimensions of the input from the longest stride to the
// shortest, neighbours merged, reversed ones turned round. What the views of the caller look like
// no longer matters from here on; only what lies where.
#pragma once
#include "base/Arithmetic.hpp"
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace popops::reduction {

struct Dim {
  std::size_t size;
  std::int64_t in, out; // strides in elements; out is 0 for a reduced dimension
  bool reduced;
};

struct Layout {
  std::vector<Dim> dims;                    // outermost first; none of size 1
  std::int64_t inOffset = 0, outOffset = 0; // of the first element, where dimensions were reversed
};

// outStrides: one per dimension of the input that stays, in order.
Layout layoutOf(std::span<const std::size_t> shape, std::span<const std::int64_t> inStrides,
                std::span<const std::int64_t> outStrides, const std::vector<bool> &reduced);

// The walk: `columns` outputs side by side at a time, for each of the `kept` indices, over rows of
// partials. A row contributes to every column: one element each if the innermost dimension stays,
// else a run of `units` elements. Runs are cut into segments; if the innermost dimension stays but
// is short, a segment is as many rows as make a good vector.
struct Walk {
  bool rowsReduce = false; // the innermost dimension is a reduced one
  std::size_t columns = 1;
  std::int64_t columnIn = 0, columnOut = 0;
  std::size_t units = 1, segment = 1; // units in a run, and in one segment of it
  std::int64_t unitStride = 0;
  std::vector<Dim> kept, reduced;
  std::size_t keptCount = 1, reducedCount = 1;

  std::size_t segments() const { return base::ceilDiv(units, segment); }
  std::size_t rows() const { return reducedCount * segments(); }
  std::size_t elements() const { return keptCount * columns * reducedCount * units; }
};
Walk walkOf(const Layout &layout);

} // namespace popops::reduction
