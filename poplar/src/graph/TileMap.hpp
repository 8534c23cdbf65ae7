// SPDX-License-Identifier: MIT
// The tile mapping of one variable: a run-length list over its elements. Later assignments override
// earlier ones; neighbouring ranges on one tile are kept as one. Assignments in ascending order, as
// most are, only lengthen the list; others wait until somebody asks.
#pragma once
#include "executable/Image.hpp"
#include <algorithm>
#include <vector>

namespace poplar::graph {

class TileMap {
public:
  using Range = executable::MappedRange;

  void set(std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
    if (begin >= end)
      return;
    if (waiting_.empty() && (ranges_.empty() || ranges_.back().end <= begin))
      append(ranges_, {begin, end, tile});
    else
      waiting_.push_back({begin, end, tile});
  }
  // visit(begin, end, tile) over [begin, end); gaps are visited with tile `executable::none`.
  template <class Visit> void forEach(std::uint64_t begin, std::uint64_t end, Visit &&visit) const {
    const auto &ranges = list();
    auto at = std::partition_point(ranges.begin(), ranges.end(),
                                   [&](const Range &range) { return range.end <= begin; });
    for (; begin < end; ++at) {
      if (at == ranges.end() || at->begin >= end)
        return visit(begin, end, executable::none);
      if (at->begin > begin)
        visit(begin, at->begin, executable::none);
      auto from = std::max(begin, at->begin), to = std::min(end, at->end);
      visit(from, to, at->tile);
      begin = to;
    }
  }
  const std::vector<Range> &list() const;

private:
  static void append(std::vector<Range> &ranges, const Range &next) {
    if (!ranges.empty() && ranges.back().end == next.begin && ranges.back().tile == next.tile)
      ranges.back().end = next.end;
    else
      ranges.push_back(next);
  }
  void settle() const;
  static std::vector<Range> overlaid(const std::vector<Range> &below, const Range &above);
  static std::vector<Range> overlaid(std::vector<Range> assignments);

  mutable std::vector<Range> ranges_;  // sorted, disjoint
  mutable std::vector<Range> waiting_; // assigned after them, in that order
};

} // namespace poplar::graph
