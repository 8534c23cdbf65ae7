// SPDX-License-Identifier: MIT
#include "reduce/Layout.hpp"
#include "base/Arithmetic.hpp"
#include <algorithm>
#include <limits>

namespace popops::reduction {

namespace {

constexpr std::size_t longestRun = 8192; // floats summed before the sum goes to double
constexpr std::size_t goodVector = 256;  // columns that hide the latency of their own sums

std::vector<Dim> dimensions(std::span<const std::size_t> shape,
                            std::span<const std::int64_t> inStrides,
                            std::span<const std::int64_t> outStrides,
                            const std::vector<bool> &reduced) {
  std::vector<Dim> dims;
  for (std::size_t i = 0, kept = 0; i < shape.size(); ++i) {
    Dim dim{shape[i], inStrides[i], reduced[i] ? 0 : outStrides[kept], reduced[i]};
    kept += !reduced[i];
    if (dim.size != 1)
      dims.push_back(dim);
  }
  return dims;
}

void turnRound(Layout &layout) {
  for (auto &dim : layout.dims) {
    if (dim.in >= 0)
      continue;
    auto last = std::int64_t(dim.size) - 1;
    layout.inOffset += dim.in * last;
    layout.outOffset += dim.out * last;
    dim.in = -dim.in;
    dim.out = -dim.out;
  }
}

// A broadcast dimension repeats everything inside it, so it goes outermost.
std::int64_t rank(const Dim &dim) {
  return dim.in == 0 ? std::numeric_limits<std::int64_t>::max() : dim.in;
}

bool mergeable(const Dim &outer, const Dim &inner) {
  auto size = std::int64_t(inner.size);
  return outer.reduced == inner.reduced && outer.in == inner.in * size &&
         outer.out == inner.out * size;
}

std::vector<Dim> merged(const std::vector<Dim> &dims) {
  std::vector<Dim> result;
  for (const auto &dim : dims) {
    if (result.empty() || !mergeable(result.back(), dim)) {
      result.push_back(dim);
      continue;
    }
    auto size = result.back().size * dim.size;
    result.back() = dim;
    result.back().size = size;
  }
  return result;
}

// The innermost dimension of a kind, taken out.
bool takeInnermost(std::vector<Dim> &dims, bool reduced, Dim &taken) {
  if (dims.empty() || dims.back().reduced != reduced)
    return false;
  taken = dims.back();
  dims.pop_back();
  return true;
}

void takeRuns(Walk &walk, std::vector<Dim> &dims) {
  Dim dim;
  if (takeInnermost(dims, true, dim)) {
    walk.rowsReduce = true;
    walk.units = dim.size;
    walk.unitStride = dim.in;
    walk.segment = std::max<std::size_t>(1, std::min(dim.size, longestRun));
    if (takeInnermost(dims, false, dim)) {
      walk.columns = dim.size;
      walk.columnIn = dim.in;
      walk.columnOut = dim.out;
    }
  } else if (takeInnermost(dims, false, dim)) {
    walk.columns = dim.size;
    walk.columnIn = dim.in;
    walk.columnOut = dim.out;
    bool rowsTouch = !dims.empty() && dims.back().reduced && dim.in == 1 &&
                     dims.back().in == std::int64_t(dim.size);
    if (rowsTouch && dim.size > 0 && dim.size < goodVector) {
      walk.units = dims.back().size;
      walk.unitStride = dims.back().in;
      walk.segment =
          std::max<std::size_t>(1, std::min(walk.units, base::ceilDiv(goodVector, dim.size)));
      dims.pop_back();
    }
  }
}

} // namespace

Layout layoutOf(std::span<const std::size_t> shape, std::span<const std::int64_t> inStrides,
                std::span<const std::int64_t> outStrides, const std::vector<bool> &reduced) {
  Layout layout;
  layout.dims = dimensions(shape, inStrides, outStrides, reduced);
  turnRound(layout);
  std::stable_sort(layout.dims.begin(), layout.dims.end(),
                   [](const Dim &a, const Dim &b) { return rank(a) > rank(b); });
  layout.dims = merged(layout.dims);
  return layout;
}

Walk walkOf(const Layout &layout) {
  Walk walk;
  auto dims = layout.dims;
  takeRuns(walk, dims);
  for (const auto &dim : dims) {
    (dim.reduced ? walk.reduced : walk.kept).push_back(dim);
    (dim.reduced ? walk.reducedCount : walk.keptCount) *= dim.size;
  }
  return walk;
}

} // namespace popops::reduction
