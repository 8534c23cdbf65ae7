// SPDX-License-Identifier: MIT
#include "tensor/Moves.hpp"
#include "tensor/Loops.hpp"
#include <algorithm>
#include <map>
#include <optional>

namespace poplar::tensor {

View hostBuffer(TypeId type, Shape shape) {
  return wholeVariable(nullptr, VarId(noVariable), type, std::move(shape));
}

namespace {

// Walks both sides of one dimension in step; false when their loops do not divide each other.
bool refine(std::vector<Loop> a, std::vector<Loop> b, std::vector<MoveLoop> &out) {
  std::vector<MoveLoop> reversed;
  while (!a.empty() && !b.empty()) {
    auto &x = a.back(), &y = b.back();
    auto common = std::min(x.extent, y.extent);
    if (x.extent % common != 0 || y.extent % common != 0)
      return false;
    reversed.push_back({common, x.stride, y.stride});
    auto shrink = [&](std::vector<Loop> &loops) {
      auto &loop = loops.back();
      if (loop.extent == common)
        loops.pop_back();
      else
        loop = {loop.extent / common, loop.stride * std::int64_t(common), loop.dim};
    };
    shrink(a);
    shrink(b);
  }
  out.insert(out.end(), reversed.rbegin(), reversed.rend());
  return a.empty() && b.empty();
}

// Smallest destination stride innermost, then neighbouring loops that go on where the inner one
// stops are joined.
void simplify(std::vector<MoveLoop> &loops) {
  std::erase_if(loops, [](const MoveLoop &l) { return l.extent == 1; });
  std::stable_sort(loops.begin(), loops.end(), [](const MoveLoop &a, const MoveLoop &b) {
    return std::pair(std::abs(a.to), std::abs(a.from)) >
           std::pair(std::abs(b.to), std::abs(b.from));
  });
  std::vector<MoveLoop> joined;
  for (auto loop : loops) {
    if (!joined.empty() && joined.back().from == std::int64_t(loop.extent) * loop.from &&
        joined.back().to == std::int64_t(loop.extent) * loop.to)
      joined.back() = {joined.back().extent * loop.extent, loop.from, loop.to};
    else
      joined.push_back(loop);
  }
  loops = std::move(joined);
}

class MoveList {
public:
  explicit MoveList(std::size_t elementBytes) : elementBytes_(elementBytes) {}

  void add(VarId from, std::int64_t fromOffset, VarId to, std::int64_t toOffset,
           std::vector<MoveLoop> loops) {
    simplify(loops);
    moves_.push_back({from.value, to.value, fromOffset, toOffset, std::uint8_t(elementBytes_),
                      std::move(loops)});
  }
  // Equal moves at a constant distance become one with an outer loop.
  std::vector<Move> rolled() {
    if (moves_.size() < 2)
      return std::move(moves_);
    auto key = [](const Move &m) {
      std::vector<std::int64_t> k{m.fromVar, m.toVar};
      for (auto &l : m.loops)
        k.insert(k.end(), {std::int64_t(l.extent), l.from, l.to});
      return k;
    };
    std::map<std::vector<std::int64_t>, std::size_t> groupOf;
    std::vector<std::vector<Move>> groups;
    for (auto &move : moves_) {
      auto [at, fresh] = groupOf.emplace(key(move), groups.size());
      if (fresh)
        groups.emplace_back();
      groups[at->second].push_back(std::move(move));
    }
    std::vector<Move> out;
    for (auto &group : groups)
      roll(group, out);
    return out;
  }

private:
  static void roll(std::vector<Move> &group, std::vector<Move> &out) {
    for (std::size_t i = 0; i < group.size();) {
      auto end = i + 1;
      std::int64_t from = 0, to = 0;
      if (end < group.size()) {
        from = group[end].fromOffset - group[i].fromOffset;
        to = group[end].toOffset - group[i].toOffset;
        while (end < group.size() && group[end].fromOffset - group[end - 1].fromOffset == from &&
               group[end].toOffset - group[end - 1].toOffset == to)
          ++end;
      }
      auto move = std::move(group[i]);
      if (end - i > 1) {
        move.loops.insert(move.loops.begin(), MoveLoop{end - i, from, to});
        simplify(move.loops);
      }
      out.push_back(std::move(move));
      i = end;
    }
  }
  std::size_t elementBytes_;
  std::vector<Move> moves_;
};

// The part of a piece inside `box`, one entry per way its loops must be cut.
std::vector<Piece> cutToBox(const Piece &piece, const std::vector<Range> &box) {
  std::vector<Piece> out{piece};
  for (unsigned d = 0; d < box.size(); ++d) {
    std::vector<Piece> next;
    for (auto &p : out) {
      std::vector<Loop> before, own, after;
      for (auto &loop : p.loops)
        (loop.dim < d ? before : loop.dim == d ? own : after).push_back(loop);
      auto lo = box[d].begin - p.box[d].begin;
      if (lo == 0 && box[d].extent == p.box[d].extent) {
        next.push_back(std::move(p));
        continue;
      }
      for (auto &part : cutLoops(own, lo, lo + box[d].extent)) {
        Piece cut = p;
        cut.offset += part.offset;
        cut.box[d] = {p.box[d].begin + part.begin, part.extent};
        cut.loops = before;
        cut.loops.insert(cut.loops.end(), part.loops.begin(), part.loops.end());
        cut.loops.insert(cut.loops.end(), after.begin(), after.end());
        next.push_back(std::move(cut));
      }
    }
    out = std::move(next);
  }
  return out;
}

std::optional<std::vector<Range>> intersect(const std::vector<Range> &a,
                                            const std::vector<Range> &b) {
  std::vector<Range> out;
  for (std::size_t d = 0; d < a.size(); ++d) {
    auto lo = std::max(a[d].begin, b[d].begin);
    auto hi = std::min(a[d].begin + a[d].extent, b[d].begin + b[d].extent);
    if (lo >= hi)
      return std::nullopt;
    out.push_back({lo, hi - lo});
  }
  return out;
}

// Two pieces over the same box: one move, or element runs when their loops do not divide each
// other.
void matchBox(const Piece &a, const Piece &b, MoveList &out) {
  std::vector<MoveLoop> loops;
  auto loopsOfDim = [](const Piece &p, unsigned d) {
    std::vector<Loop> own;
    for (auto &loop : p.loops)
      if (loop.dim == d)
        own.push_back(loop);
    return own;
  };
  bool divides = true;
  for (unsigned d = 0; d < a.box.size() && divides; ++d)
    divides = refine(loopsOfDim(a, d), loopsOfDim(b, d), loops);
  if (divides)
    return out.add(a.var, a.offset, b.var, b.offset, std::move(loops));
  auto peel = [](const Piece &p) { // positions of the walk in row-major order, as runs
    View v;
    Piece q = p;
    std::size_t size = 1;
    for (auto &r : q.box) {
      size *= r.extent;
      r.begin = 0;
    }
    for (auto &r : q.box)
      v.shape.push_back(r.extent);
    v.pieces.push_back(q);
    return runs(v);
  };
  auto x = peel(a), y = peel(b);
  for (std::size_t i = 0, j = 0, xi = 0, yj = 0; i < x.size() && j < y.size();) {
    auto n = std::min(x[i].count - xi, y[j].count - yj);
    out.add(x[i].var, x[i].offset + std::int64_t(xi) * x[i].stride, y[j].var,
            y[j].offset + std::int64_t(yj) * y[j].stride, {{n, x[i].stride, y[j].stride}});
    if ((xi += n) == x[i].count)
      ++i, xi = 0;
    if ((yj += n) == y[j].count)
      ++j, yj = 0;
  }
}

void matchPair(const Piece &a, const Piece &b, MoveList &out) {
  auto box = intersect(a.box, b.box);
  if (!box)
    return;
  // Cutting one side may leave several parts, each with its own box; match those against the other
  // side.
  for (const auto &left : cutToBox(a, *box))
    for (const auto &right : cutToBox(b, left.box)) {
      if (left.box == right.box)
        matchBox(left, right, out);
      else
        for (const auto &part : cutToBox(left, right.box))
          if (part.box == right.box)
            matchBox(part, right, out);
          else
            matchPair(part, right, out);
    }
}

void matchVectors(const View &from, const View &to, MoveList &out) {
  for (std::size_t i = 0, j = 0; i < from.pieces.size() && j < to.pieces.size();) {
    matchPair(from.pieces[i], to.pieces[j], out);
    auto endA = from.pieces[i].box[0].begin + from.pieces[i].box[0].extent;
    auto endB = to.pieces[j].box[0].begin + to.pieces[j].box[0].extent;
    i += endA <= endB;
    j += endB <= endA;
  }
}

} // namespace

std::vector<Move> movesBetween(const View &from, const View &to) {
  MoveList out(sizeOf(from.type));
  if (from.numElements() == 0)
    return {};
  const View *a = &from, *b = &to;
  View reshaped;
  if (from.shape != to.shape) { // reshape the side that stays simpler
    auto x = reshape(from, to.shape), y = reshape(to, from.shape);
    bool left = x.pieces.size() * to.pieces.size() <= from.pieces.size() * y.pieces.size();
    reshaped = left ? std::move(x) : std::move(y);
    (left ? a : b) = &reshaped;
  }
  constexpr std::size_t fewPairs = 4096;
  if (a->shape.size() == 1) {
    matchVectors(*a, *b, out);
  } else if (a->pieces.size() * b->pieces.size() <= fewPairs) {
    for (const auto &p : a->pieces)
      for (const auto &q : b->pieces)
        matchPair(p, q, out);
  } else {
    matchVectors(flatten(*a), flatten(*b), out);
  }
  return out.rolled();
}

} // namespace poplar::tensor
