// SPDX-License-Identifier: MIT
#include "analysis/RangeSet.hpp"
#include <algorithm>

namespace poplar::analysis {

static constexpr std::size_t mostInChunk = 128; // 2 KiB: moved in less time than finding it takes

std::uint64_t &RangeSet::work() {
  static thread_local std::uint64_t count = 0;
  return count;
}

RangeSet::Position RangeSet::firstEndingAfter(std::uint64_t x) const {
  const auto chunk = std::partition_point(chunks_.begin(), chunks_.end(),
                                          [&](const Chunk &c) { return c.back().end <= x; });
  if (chunk == chunks_.end())
    return {chunks_.size(), 0};
  const auto range = std::partition_point(chunk->begin(), chunk->end(),
                                          [&](const Range &r) { return r.end <= x; });
  return {std::size_t(chunk - chunks_.begin()), std::size_t(range - chunk->begin())};
}

const Range *RangeSet::at(Position p) const {
  return p.chunk == chunks_.size() ? nullptr : &chunks_[p.chunk][p.index];
}

void RangeSet::next(Position &p) const {
  ++work();
  if (++p.index == chunks_[p.chunk].size())
    p = {p.chunk + 1, 0};
}

// Puts `with` in the place of the ranges from `from` to before `to`.
void RangeSet::splice(Position from, Position to, std::span<const Range> with) {
  if (from.chunk == chunks_.size()) { // behind the last
    if (chunks_.empty())
      chunks_.emplace_back();
    from = {chunks_.size() - 1, chunks_.back().size()};
    to = {chunks_.size(), 0};
  }
  auto &chunk = chunks_[from.chunk];
  const bool within = to.chunk == from.chunk;
  work() += chunk.size() - from.index;
  const auto begin = chunk.begin() + std::ptrdiff_t(from.index);
  const auto end = within ? chunk.begin() + std::ptrdiff_t(to.index) : chunk.end();
  const auto common = std::min(with.size(), std::size_t(end - begin));
  const auto rest = std::copy_n(with.begin(), common, begin);
  if (common < with.size())
    chunk.insert(rest, with.begin() + std::ptrdiff_t(common), with.end());
  else
    chunk.erase(rest, end);
  if (!within) {
    if (to.index) {
      auto &last = chunks_[to.chunk];
      work() += last.size();
      last.erase(last.begin(), last.begin() + std::ptrdiff_t(to.index));
    }
    const auto first = chunks_.begin() + std::ptrdiff_t(from.chunk);
    chunks_.erase(first + 1, chunks_.begin() + std::ptrdiff_t(to.chunk));
  }
  tidy(from.chunk);
}

// After a change: an empty chunk goes, a long one is cut. What grows at the end leaves full chunks
// behind.
void RangeSet::tidy(std::size_t index) {
  auto &chunk = chunks_[index];
  const auto here = chunks_.begin() + std::ptrdiff_t(index);
  if (chunk.empty()) {
    chunks_.erase(here);
  } else if (chunk.size() > mostInChunk) {
    const auto cut = index + 1 == chunks_.size() ? mostInChunk : chunk.size() / 2;
    Chunk second(chunk.begin() + std::ptrdiff_t(cut), chunk.end());
    chunk.resize(cut);
    chunks_.insert(here + 1, std::move(second));
  }
}

void RangeSet::add(std::uint64_t begin, std::uint64_t end) {
  if (begin >= end)
    return;
  if (!chunks_.empty()) {
    auto &last = chunks_.back().back();
    if (begin >= last.begin && begin <= last.end) {
      last.end = std::max(last.end, end);
      return;
    }
  }
  const auto from = begin ? firstEndingAfter(begin - 1) : Position{0, 0}; // a neighbour joins too
  auto to = from;
  Range all{begin, end};
  for (auto *r = at(to); r && r->begin <= end; next(to), r = at(to))
    all = {std::min(all.begin, r->begin), std::max(all.end, r->end)};
  splice(from, to, {&all, 1});
}

void RangeSet::remove(std::uint64_t begin, std::uint64_t end) {
  if (begin >= end)
    return;
  const auto from = firstEndingAfter(begin);
  auto to = from;
  Range left[2];
  std::size_t kept = 0;
  std::uint64_t last = 0;
  for (auto *r = at(to); r && r->begin < end; next(to), r = at(to)) {
    if (r->begin < begin)
      left[kept++] = {r->begin, begin};
    last = r->end;
  }
  if (last == 0)
    return;
  if (last > end)
    left[kept++] = {end, last};
  splice(from, to, {left, kept});
}

void RangeSet::unite(const RangeSet &other) {
  if (&other == this)
    return;
  if (empty()) {
    chunks_ = other.chunks_;
    return;
  }
  for (const auto &chunk : other.chunks_)
    for (const auto &range : chunk)
      add(range.begin, range.end);
}

void RangeSet::subtract(const RangeSet &other) {
  if (&other == this)
    chunks_.clear();
  for (const auto &chunk : other.chunks_)
    for (const auto &range : chunk)
      remove(range.begin, range.end);
}

void RangeSet::intersect(const RangeSet &other) {
  const auto mine = ranges(), theirs = other.ranges();
  RangeSet both;
  for (auto a = mine.begin(), b = theirs.begin(); a != mine.end() && b != theirs.end();) {
    both.add(std::max(a->begin, b->begin), std::min(a->end, b->end));
    (a->end < b->end ? ++a : ++b);
  }
  *this = std::move(both);
}

bool RangeSet::covers(std::uint64_t begin, std::uint64_t end) const {
  if (begin >= end)
    return true;
  const auto *range = at(firstEndingAfter(begin));
  return range && range->begin <= begin && range->end >= end;
}

bool RangeSet::intersects(std::uint64_t begin, std::uint64_t end) const {
  const auto *range = at(firstEndingAfter(begin));
  return range && range->begin < end;
}

std::uint64_t RangeSet::size() const {
  std::uint64_t sum = 0;
  for (const auto &chunk : chunks_)
    for (const auto &range : chunk)
      sum += range.end - range.begin;
  return sum;
}

std::vector<Range> RangeSet::ranges() const {
  std::vector<Range> all;
  for (const auto &chunk : chunks_)
    all.insert(all.end(), chunk.begin(), chunk.end());
  return all;
}

} // namespace poplar::analysis
