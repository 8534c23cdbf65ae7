// SPDX-License-Identifier: MIT
#include "graph/TileMap.hpp"
#include "base/Fork.hpp"
#include <queue>

namespace poplar::graph {

const std::vector<TileMap::Range> &TileMap::list() const {
  static base::ForkMutex settling; // several threads may compile one graph
  std::lock_guard lock(settling);
  if (!waiting_.empty())
    settle();
  return ranges_;
}

void TileMap::settle() const {
  constexpr std::size_t few = 4;
  if (waiting_.size() <= few) {
    for (const auto &range : waiting_)
      ranges_ = overlaid(ranges_, range);
  } else {
    ranges_.insert(ranges_.end(), waiting_.begin(), waiting_.end());
    ranges_ = overlaid(std::move(ranges_));
  }
  waiting_.clear();
}

std::vector<TileMap::Range> TileMap::overlaid(const std::vector<Range> &below, const Range &above) {
  std::vector<Range> out;
  out.reserve(below.size() + 2);
  bool placed = false;
  auto place = [&] {
    if (!placed)
      append(out, above);
    placed = true;
  };
  for (const auto &range : below) {
    if (range.begin < above.begin)
      append(out, {range.begin, std::min(range.end, above.begin), range.tile});
    if (range.end > above.begin)
      place();
    if (range.end > above.end)
      append(out, {std::max(range.begin, above.end), range.end, range.tile});
  }
  place();
  return out;
}

// Sweeps over the elements; of the assignments that hold one, the latest counts.
std::vector<TileMap::Range> TileMap::overlaid(std::vector<Range> assignments) {
  std::vector<std::size_t> order(assignments.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return assignments[a].begin < assignments[b].begin;
  });
  std::vector<Range> out;
  std::priority_queue<std::size_t> open; // the latest on top
  std::uint64_t at = 0;
  for (std::size_t next = 0; next < order.size() || !open.empty();) {
    while (!open.empty() && assignments[open.top()].end <= at)
      open.pop();
    if (open.empty()) {
      if (next == order.size())
        break;
      at = std::max(at, assignments[order[next]].begin);
    }
    for (; next < order.size() && assignments[order[next]].begin <= at; ++next)
      open.push(order[next]);
    while (!open.empty() && assignments[open.top()].end <= at)
      open.pop();
    if (open.empty())
      continue;
    const auto &top = assignments[open.top()];
    auto end = top.end;
    if (next < order.size())
      end = std::min(end, assignments[order[next]].begin);
    append(out, {at, end, top.tile});
    at = end;
  }
  return out;
}

} // namespace poplar::graph
