// SPDX-License-Identifier: MIT
#include "compile/RangeSet.hpp"
#include <algorithm>

namespace poplar::compile {

void RangeSet::add(std::uint64_t begin, std::uint64_t end) {
  if (begin >= end)
    return;
  if (!ranges_.empty() && sorted_) {
    auto &last = ranges_.back();
    if (begin >= last.begin && begin <= last.end) {
      last.end = std::max(last.end, end);
      return;
    }
    sorted_ = begin > last.end;
  }
  ranges_.push_back({begin, end});
}

void RangeSet::normalise() const {
  if (sorted_)
    return;
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range &a, const Range &b) { return a.begin < b.begin; });
  std::size_t kept = 0;
  for (const auto &range : ranges_)
    if (kept && range.begin <= ranges_[kept - 1].end)
      ranges_[kept - 1].end = std::max(ranges_[kept - 1].end, range.end);
    else
      ranges_[kept++] = range;
  ranges_.resize(kept);
  sorted_ = true;
}

const std::vector<Range> &RangeSet::ranges() const {
  normalise();
  return ranges_;
}

void RangeSet::unite(const RangeSet &other) {
  const auto &more = other.ranges();
  if (more.empty())
    return;
  if (ranges().empty() || more.front().begin >= ranges_.back().begin) {
    for (const auto &range : more)
      add(range.begin, range.end);
    return;
  }
  ranges_.insert(ranges_.end(), more.begin(), more.end());
  sorted_ = false;
  normalise();
}

void RangeSet::subtract(const RangeSet &other) {
  const auto &less = other.ranges();
  if (less.empty() || ranges().empty())
    return;
  std::vector<Range> left;
  auto cut = less.begin();
  for (auto range : ranges_) {
    while (cut != less.end() && cut->end <= range.begin)
      ++cut;
    for (auto at = cut; at != less.end() && at->begin < range.end; ++at) {
      if (at->begin > range.begin)
        left.push_back({range.begin, at->begin});
      range.begin = std::min(range.end, std::max(range.begin, at->end));
    }
    if (range.begin < range.end)
      left.push_back(range);
  }
  ranges_ = std::move(left);
}

void RangeSet::intersect(const RangeSet &other) {
  const auto &mine = ranges(), &theirs = other.ranges();
  std::vector<Range> both;
  for (auto a = mine.begin(), b = theirs.begin(); a != mine.end() && b != theirs.end();) {
    auto begin = std::max(a->begin, b->begin), end = std::min(a->end, b->end);
    if (begin < end)
      both.push_back({begin, end});
    (a->end < b->end ? ++a : ++b);
  }
  ranges_ = std::move(both);
}

bool RangeSet::covers(std::uint64_t begin, std::uint64_t end) const {
  if (begin >= end)
    return true;
  const auto &all = ranges();
  auto after = std::upper_bound(all.begin(), all.end(), begin,
                                [](auto x, const Range &r) { return x < r.begin; });
  return after != all.begin() && std::prev(after)->end >= end;
}

bool RangeSet::intersects(std::uint64_t begin, std::uint64_t end) const {
  const auto &all = ranges();
  auto at = std::upper_bound(all.begin(), all.end(), begin,
                             [](auto x, const Range &r) { return x < r.end; });
  return at != all.end() && at->begin < end;
}

std::uint64_t RangeSet::size() const {
  std::uint64_t sum = 0;
  for (const auto &range : ranges())
    sum += range.end - range.begin;
  return sum;
}

} // namespace poplar::compile
