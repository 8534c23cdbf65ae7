// SPDX-License-Identifier: MIT
#include "analysis/Placement.hpp"
#include "base/Error.hpp"
#include <cstdlib>
#include <numeric>

namespace poplar::analysis {

using namespace executable;

std::uint64_t Pattern::elementsBelow(std::uint64_t position) const {
  if (position <= begin)
    return 0;
  auto distance = position - begin;
  if (count == 1)
    return std::min(distance, block);
  auto blocks = distance / stride;
  return blocks >= count ? elements()
                         : blocks * block + std::min(distance - blocks * stride, block);
}

std::uint64_t Pattern::blocksWithin(std::uint64_t lo, std::uint64_t hi) const {
  auto before = elementsBelow(lo), upTo = elementsBelow(hi);
  return upTo == before ? 0 : (upTo - 1) / block - before / block + 1;
}

Pattern patternOf(const Run &run) {
  auto count = std::uint64_t(run.count);
  if (count <= 1 || run.stride == 0)
    return {std::uint64_t(run.offset), 1, 1, 1};
  auto begin = run.stride < 0 ? run.offset + std::int64_t(count - 1) * run.stride : run.offset;
  auto stride = std::uint64_t(std::llabs(run.stride));
  return stride == 1 ? Pattern{std::uint64_t(begin), count, 1, count}
                     : Pattern{std::uint64_t(begin), 1, count, stride};
}

std::uint64_t SidePattern::patterns() const {
  std::uint64_t product = 1;
  for (auto [extent, stride] : outer)
    product *= extent;
  return product;
}

SidePattern sideOf(const Move &move, Side side) {
  SidePattern out;
  auto begin = side == Side::From ? move.fromOffset : move.toOffset;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> loops; // stride, extent
  for (const auto &loop : move.loops) {
    auto stride = side == Side::From ? loop.from : loop.to;
    if (stride == 0 || loop.extent == 1)
      continue;
    if (stride < 0)
      begin += stride * std::int64_t(loop.extent - 1);
    loops.push_back({std::uint64_t(std::llabs(stride)), loop.extent});
  }
  std::sort(loops.begin(), loops.end());
  std::uint64_t block = 1;
  std::size_t used = 0;
  for (; used != loops.size() && loops[used].first <= block;
       ++used) // also loops that overlap themselves
    block += loops[used].first * (loops[used].second - 1);
  out.inner = {std::uint64_t(begin), block, 1, block};
  if (used != loops.size()) {
    out.inner.stride = loops[used].first;
    out.inner.count = loops[used++].second;
  }
  for (; used != loops.size(); ++used)
    out.outer.insert(out.outer.begin(), {loops[used].second, loops[used].first});
  return out;
}

std::size_t Placement::find(std::uint32_t var, std::uint64_t element) {
  const auto &mapping = image_.variables[var].mapping.list();
  auto &last = places_[var].last;
  auto holds = [&](std::size_t i) {
    return i < mapping.size() && mapping[i].begin <= element && element < mapping[i].end;
  };
  if (holds(last))
    return last;
  if (holds(last + 1))
    return ++last;
  auto after =
      std::upper_bound(mapping.begin(), mapping.end(), element,
                       [](std::uint64_t x, const MappedRange &range) { return x < range.begin; });
  OPENIPU_CHECK(after != mapping.begin() && element < std::prev(after)->end,
                "element of " + image_.variables[var].name);
  return last = std::size_t(after - mapping.begin()) - 1;
}

const std::vector<std::uint32_t> &Placement::byTile(std::uint32_t var) {
  const auto &mapping = image_.variables[var].mapping.list();
  auto &ordered = places_[var].byTile;
  if (ordered.empty()) {
    ordered.resize(mapping.size());
    std::iota(ordered.begin(), ordered.end(), 0u);
    std::stable_sort(ordered.begin(), ordered.end(),
                     [&](auto a, auto b) { return mapping[a].tile < mapping[b].tile; });
  }
  return ordered;
}

} // namespace poplar::analysis
