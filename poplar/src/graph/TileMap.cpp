// SPDX-License-Identifier: MIT
#include "graph/TileMap.hpp"

namespace poplar::graph {

void TileMap::set(std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
  if (begin >= end)
    return;
  // Cut away what lies in [begin, end), keeping the ends that stick out.
  auto at = ranges_.lower_bound(begin);
  if (at != ranges_.begin()) {
    auto before = std::prev(at);
    if (before->second.end > end)
      ranges_.emplace_hint(at, end, before->second);
    before->second.end = std::min(before->second.end, begin);
  }
  while (at != ranges_.end() && at->first < end) {
    if (at->second.end > end)
      ranges_.emplace(end, at->second);
    at = ranges_.erase(at);
  }
  at = ranges_.lower_bound(begin);
  if (at != ranges_.end() && at->first == end && at->second.tile == tile) {
    end = at->second.end;
    at = ranges_.erase(at);
  }
  if (at != ranges_.begin()) {
    auto before = std::prev(at);
    if (before->second.end == begin && before->second.tile == tile) {
      before->second.end = end;
      return;
    }
  }
  ranges_.emplace_hint(at, begin, Range{end, tile});
}

std::vector<executable::MappedRange> TileMap::list() const {
  std::vector<executable::MappedRange> out;
  out.reserve(ranges_.size());
  for (const auto &[begin, range] : ranges_)
    out.push_back({begin, range.end, range.tile});
  return out;
}

} // namespace poplar::graph
