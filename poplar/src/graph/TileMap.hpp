// SPDX-License-Identifier: MIT
// The tile mapping of one variable: a run-length list over its elements. Later assignments override
// earlier ones; neighbouring ranges on one tile are kept as one.
#pragma once
#include "executable/Image.hpp"
#include <map>

namespace poplar::graph {

class TileMap {
public:
  void set(std::uint64_t begin, std::uint64_t end, std::uint32_t tile);
  // visit(begin, end, tile) over [begin, end); gaps are visited with tile `executable::none`.
  template <class Visit> void forEach(std::uint64_t begin, std::uint64_t end, Visit &&visit) const {
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin() && std::prev(at)->second.end > begin)
      --at;
    for (; begin < end; ++at) {
      if (at == ranges_.end() || at->first >= end)
        return visit(begin, end, executable::none);
      if (at->first > begin)
        visit(begin, at->first, executable::none);
      auto from = std::max(begin, at->first), to = std::min(end, at->second.end);
      visit(from, to, at->second.tile);
      begin = to;
    }
  }
  std::vector<executable::MappedRange> list() const;

private:
  struct Range {
    std::uint64_t end;
    std::uint32_t tile;
  };
  std::map<std::uint64_t, Range> ranges_;
};

} // namespace poplar::graph
