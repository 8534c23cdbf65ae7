// SPDX-License-Identifier: MIT
// Walks over the elements of a view: runs and ranges in the order of the tensor or of memory, and
// what they tell of it.
#include "tensor/Loops.hpp"
#include "tensor/View.hpp"
#include <algorithm>
#include <tuple>

namespace poplar::tensor {

void forEachRun(const View &view, const std::function<void(const Run &)> &visit) {
  const View *flat = &view;
  View storage;
  if (view.shape.size() != 1 && view.pieces.size() > 1) {
    storage = flatten(view);
    flat = &storage;
  }
  for (const auto &piece : flat->pieces) {
    auto loops = mergedLoops(piece.loops);
    requireRanges(loops, maxRangesWalked);
    std::function<void(std::size_t, std::int64_t)> walk = [&](std::size_t level,
                                                              std::int64_t offset) {
      if (level + 1 >= loops.size()) {
        if (loops.empty())
          visit({piece.var, offset, 1, 1});
        else
          visit({piece.var, offset, loops[level].extent, loops[level].stride});
        return;
      }
      for (std::size_t i = 0; i < loops[level].extent; ++i)
        walk(level + 1, offset + std::int64_t(i) * loops[level].stride);
    };
    walk(0, piece.offset);
  }
}

std::vector<Run> runs(const View &view) {
  std::vector<Run> out;
  forEachRun(view, [&](const Run &run) {
    if (!out.empty()) {
      auto &last = out.back();
      auto stride = last.count > 1  ? last.stride
                    : run.count > 1 ? run.stride
                                    : run.offset - last.offset;
      if (last.var == run.var && (run.count == 1 || run.stride == stride) &&
          run.offset == last.offset + std::int64_t(last.count) * stride &&
          (stride == 1 || last.count > 1 || run.count > 1)) {
        last.stride = stride;
        last.count += run.count;
        return;
      }
    }
    out.push_back(run);
  });
  return out;
}

void forEachRange(const View &view, const std::function<void(const VarRange &)> &visit) {
  bool any = false;
  VarRange pending{};
  auto put = [&](VarId var, std::size_t begin, std::size_t end) {
    if (any && pending.var == var && pending.end == begin) {
      pending.end = end;
      return;
    }
    if (any)
      visit(pending);
    pending = {var, begin, end};
    any = true;
  };
  forEachRun(view, [&](const Run &run) {
    if (run.stride == 1)
      return put(run.var, run.offset, run.offset + run.count);
    for (std::size_t i = 0; i < run.count; ++i) {
      std::size_t at = run.offset + std::int64_t(i) * run.stride;
      put(run.var, at, at + 1);
    }
  });
  if (any)
    visit(pending);
}

std::vector<VarRange> sortedRanges(const View &view) {
  std::vector<VarRange> all;
  // Memory order, not tensor order, keeps the number of ranges small for transposed views.
  for (const auto &piece : view.pieces) {
    auto loops = ascendingLoops(piece.loops);
    auto offset = lowestOffset(piece);
    requireRanges(loops, maxRangesKept);
    std::function<void(std::size_t, std::int64_t)> walk = [&](std::size_t level, std::int64_t at) {
      if (level == loops.size()) {
        all.push_back({piece.var, std::size_t(at), std::size_t(at) + 1});
      } else if (level + 1 == loops.size() && loops[level].stride == 1) {
        all.push_back({piece.var, std::size_t(at), std::size_t(at) + loops[level].extent});
      } else {
        for (std::size_t i = 0; i < loops[level].extent; ++i)
          walk(level + 1, at + std::int64_t(i) * loops[level].stride);
      }
    };
    walk(0, offset);
  }
  if (!std::is_sorted(all.begin(), all.end()))
    std::sort(all.begin(), all.end());
  std::vector<VarRange> out;
  for (const auto &range : all)
    if (!out.empty() && out.back().var == range.var && range.begin <= out.back().end)
      out.back().end = std::max(out.back().end, range.end);
    else
      out.push_back(range);
  return out;
}

namespace {

// A piece whose loops, outermost first, each step over all that the loops inside them reach.
struct Nest {
  VarId var;
  std::int64_t begin, reach = 0; // lowest element, and how far the highest one lies behind it
  std::vector<Loop> loops;
  bool isProper = true;

  explicit Nest(const Piece &piece)
      : var(piece.var), begin(lowestOffset(piece)), loops(ascendingLoops(piece.loops)) {
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
      isProper = isProper && loop->stride > reach;
      reach += std::int64_t(loop->extent - 1) * loop->stride;
    }
  }
};

bool areApart(std::vector<Nest>::iterator first, std::vector<Nest>::iterator end,
              std::size_t level);

// Nests that reach over each other lie apart if they do in the columns of common rows.
bool areApartInRows(std::vector<Nest>::iterator first, std::vector<Nest>::iterator end,
                    std::size_t level) {
  if (level >= first->loops.size())
    return false;
  const auto row = first->loops[level].stride;
  for (auto nest = first; nest != end; ++nest) {
    if (level >= nest->loops.size() || nest->loops[level].stride != row)
      return false;
    nest->begin %= row;
    nest->reach -= std::int64_t(nest->loops[level].extent - 1) * row;
    if (nest->begin + nest->reach >= row)
      return false;
  }
  return areApart(first, end, level + 1);
}

bool areApart(std::vector<Nest>::iterator first, std::vector<Nest>::iterator end,
              std::size_t level) {
  std::sort(first, end, [](const Nest &a, const Nest &b) {
    return std::tie(a.var, a.begin) < std::tie(b.var, b.begin);
  });
  while (first != end) { // one stretch of overlapping nests after the other
    auto next = first + 1;
    auto last = first->begin + first->reach;
    for (; next != end && next->var == first->var && next->begin <= last; ++next)
      last = std::max(last, next->begin + next->reach);
    if (next - first > 1 && !areApartInRows(first, next, level))
      return false;
    first = next;
  }
  return true;
}

// Whether strides alone prove that a view shows every element once. Most views do, and walking
// them is slow.
bool isPlainlyDistinct(const View &view) {
  std::vector<Nest> nests;
  for (const auto &piece : view.pieces) {
    nests.emplace_back(piece);
    if (!nests.back().isProper)
      return false;
  }
  return areApart(nests.begin(), nests.end(), 0);
}

} // namespace

bool containsAliases(const View &view) {
  for (const auto &piece : view.pieces)
    for (const auto &loop : piece.loops)
      if (loop.stride == 0)
        return true;
  if (isPlainlyDistinct(view))
    return false;
  std::size_t distinct = 0;
  for (const auto &range : sortedRanges(view))
    distinct += range.end - range.begin;
  return distinct != view.numElements();
}

bool isContiguous(const View &view) {
  auto all = runs(view);
  return all.size() <= 1 && (all.empty() || all[0].stride == 1 || all[0].count == 1);
}

} // namespace poplar::tensor
