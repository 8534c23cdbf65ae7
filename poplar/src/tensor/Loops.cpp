// SPDX-License-Identifier: MIT
#include "tensor/Loops.hpp"
#include "base/Arithmetic.hpp"
#include "base/CheckedSize.hpp"
#include "base/Error.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>

namespace poplar::tensor {

static void failPieces(std::uint64_t limit) {
  throw poplar_error(base::str("A view of a tensor falls apart into more than ",
                               base::thousands(limit),
                               " pieces. Copy the data to a variable of the shape that is wanted "
                               "first."));
}

void requirePieces(std::uint64_t count) {
  constexpr std::uint64_t limit = 1 << 24;
  if (count > limit)
    failPieces(limit);
}

void requireRanges(const std::vector<Loop> &loops, std::uint64_t limit) {
  std::optional<std::uint64_t> ranges = 1;
  for (std::size_t i = 0; ranges && i < loops.size(); ++i)
    if (i + 1 < loops.size() || loops[i].stride != 1)
      ranges = base::checkedProduct(*ranges, loops[i].extent, limit);
  if (!ranges)
    failPieces(limit);
}

static std::size_t sizeOfWalk(const std::vector<Loop> &loops, std::size_t from = 0) {
  std::size_t size = 1;
  for (auto i = from; i < loops.size(); ++i)
    size *= loops[i].extent;
  return size;
}

std::int64_t offsetAt(const std::vector<Loop> &loops, std::size_t position) {
  std::int64_t offset = 0;
  for (std::size_t i = loops.size(); i-- > 0;) {
    offset += std::int64_t(position % loops[i].extent) * loops[i].stride;
    position /= loops[i].extent;
  }
  return offset;
}

static std::vector<Loop> tail(const std::vector<Loop> &loops, std::size_t from) {
  return {loops.begin() + from, loops.end()};
}

static void cutLevel(const std::vector<Loop> &loops, std::size_t level, std::size_t lo,
                     std::size_t hi, std::size_t begin, std::int64_t offset,
                     std::vector<Part> &out) {
  if (level == loops.size()) {
    out.push_back({begin, 1, offset, {}});
    return;
  }
  auto inner = sizeOfWalk(loops, level + 1);
  auto loop = loops[level];
  auto at = [&](std::size_t i) { return offset + std::int64_t(i) * loop.stride; };
  if (lo / inner == (hi - 1) / inner && (hi - lo) < inner)
    return cutLevel(loops, level + 1, lo % inner, lo % inner + (hi - lo), begin, at(lo / inner),
                    out);
  auto first = base::ceilDiv(lo, inner), last = hi / inner;
  if (lo < first * inner)
    cutLevel(loops, level + 1, lo % inner, inner, begin, at(lo / inner), out);
  if (first < last) {
    auto rest = tail(loops, level + 1);
    if (last - first > 1)
      rest.insert(rest.begin(), Loop{last - first, loop.stride, loop.dim});
    out.push_back({begin + first * inner - lo, (last - first) * inner, at(first), rest});
  }
  if (last * inner < hi)
    cutLevel(loops, level + 1, 0, hi - last * inner, begin + last * inner - lo, at(last), out);
}

std::vector<Part> cutLoops(const std::vector<Loop> &loops, std::size_t lo, std::size_t hi) {
  std::vector<Part> out;
  cutLevel(loops, 0, lo, hi, lo, 0, out);
  return out;
}

std::vector<Part> stepLoops(const std::vector<Loop> &loops, std::size_t extent, std::size_t first,
                            std::size_t step) {
  std::vector<Part> out;
  if (first >= extent)
    return out;
  auto count = base::ceilDiv(extent - first, step);
  std::vector<Loop> outer, inner;
  if (loops.size() <= 1) {
    auto stride = loops.empty() ? 0 : loops[0].stride;
    out.push_back({first, count, std::int64_t(first) * stride, {}});
    if (count > 1)
      out.back().loops.push_back({count, stride * std::int64_t(step), loops[0].dim});
  } else if (splitLoops(loops, step, outer, inner) && extent % step == 0) {
    // Every inner walk of `step` positions gives one element.
    out.push_back({first, count, offsetAt(inner, first), outer});
  } else {
    requirePieces(count);
    for (std::size_t i = 0; i < count; ++i)
      out.push_back({first + i * step, 1, offsetAt(loops, first + i * step), {}});
  }
  return out;
}

bool splitLoops(const std::vector<Loop> &loops, std::size_t innerSize, std::vector<Loop> &outer,
                std::vector<Loop> &inner) {
  std::size_t level = loops.size(), size = 1;
  while (level > 0 && size * loops[level - 1].extent <= innerSize)
    size *= loops[--level].extent;
  if (innerSize % size != 0)
    return false;
  outer.assign(loops.begin(), loops.begin() + level);
  inner.assign(loops.begin() + level, loops.end());
  auto missing = innerSize / size;
  if (missing == 1)
    return true;
  if (level == 0 || loops[level - 1].extent % missing != 0)
    return false;
  auto loop = loops[level - 1]; // one loop belongs to both
  outer.pop_back();
  outer.push_back({loop.extent / missing, loop.stride * std::int64_t(missing), loop.dim});
  inner.insert(inner.begin(), Loop{missing, loop.stride, loop.dim});
  return true;
}

std::vector<Part> peelLoops(const std::vector<Loop> &loops, std::size_t extent) {
  OPENIPU_CHECK(!loops.empty(), "a walk of one element always divides");
  std::vector<Part> out;
  // A single loop is cut into elements; a nest into the iterations of its outermost loop.
  auto rest = tail(loops, 1);
  auto inner = extent / loops[0].extent;
  requirePieces(loops[0].extent);
  for (std::size_t i = 0; i < loops[0].extent; ++i)
    out.push_back({i * inner, inner, std::int64_t(i) * loops[0].stride, rest});
  return out;
}

std::vector<Loop> mergedLoops(const std::vector<Loop> &loops) {
  std::vector<Loop> out;
  for (auto loop : loops) {
    if (!out.empty() && out.back().stride == std::int64_t(loop.extent) * loop.stride)
      out.back() = {out.back().extent * loop.extent, loop.stride, loop.dim};
    else
      out.push_back(loop);
  }
  return out;
}

std::vector<Loop> ascendingLoops(const std::vector<Loop> &loops) {
  std::vector<Loop> out;
  for (auto loop : loops)
    if (loop.stride != 0) {
      loop.stride = std::abs(loop.stride);
      out.push_back(loop);
    }
  std::stable_sort(out.begin(), out.end(),
                   [](const Loop &a, const Loop &b) { return a.stride > b.stride; });
  return mergedLoops(out);
}

std::int64_t lowestOffset(const Piece &piece) {
  auto offset = piece.offset;
  for (const auto &loop : piece.loops)
    if (loop.stride < 0)
      offset += std::int64_t(loop.extent - 1) * loop.stride;
  return offset;
}

} // namespace poplar::tensor
