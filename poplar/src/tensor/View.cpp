// SPDX-License-Identifier: MIT
// What tensors do without moving data. Most operations look at one dimension of every piece: they
// cut its box, change its loops, or shift it. The hard one is reshape, because a piece is a box in
// the old shape and must become boxes in the new one, with the same elements in row-major order. It
// goes group by group of dimensions that hold the same elements in both shapes: a piece's part of a
// group is a stretch of flat indices with its walk (linearise), which is laid out again over the
// new dimensions (fold): a ragged first row, whole rows, a ragged last row, each as deep as it has
// to.
//
//   [4][6] transposed is [6][4], one piece with strides 1 and 6. As [24] it is still one piece, of
//   two loops (6 of stride 1 around 4 of stride 6); as [8][3] a row of 3 does not divide the 4:
//   the piece falls apart into runs. As [3][8] it is one piece again, a row being two of the 6.
#include "tensor/View.hpp"
#include "base/Arithmetic.hpp"
#include "base/CheckedSize.hpp"
#include "base/Error.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include "tensor/Loops.hpp"
#include <algorithm>
#include <numeric>

std::size_t poplar::openipu::View::numElements() const {
  std::size_t n = 1;
  for (auto d : shape)
    n *= d;
  return n;
}

namespace poplar::tensor {

std::size_t elementsOf(const Shape &shape, const std::string &call) {
  if (auto elements = base::checkedElements(shape))
    return *elements;
  throw tensor_creation_error(base::str(call, ": shape ", base::list(shape), " is too large; the ",
                                        "extents above 0 multiply to more than ",
                                        base::thousands(base::maxElements), "."));
}

static View like(const View &view) {
  View out;
  out.graph = view.graph;
  out.type = view.type;
  out.metadata = view.metadata;
  return out;
}

static bool beginsBefore(const Piece &a, const Piece &b) {
  return std::lexicographical_compare(
      a.box.begin(), a.box.end(), b.box.begin(), b.box.end(),
      [](const Range &x, const Range &y) { return x.begin < y.begin; });
}

static void sortPieces(View &view) {
  std::stable_sort(view.pieces.begin(), view.pieces.end(), beginsBefore);
}

// The loops of `piece` that walk dimension dim: a half-open index range.
static std::pair<std::size_t, std::size_t> loopsOf(const Piece &piece, unsigned dim) {
  std::size_t begin = 0;
  while (begin < piece.loops.size() && piece.loops[begin].dim < dim)
    ++begin;
  auto end = begin;
  while (end < piece.loops.size() && piece.loops[end].dim == dim)
    ++end;
  return {begin, end};
}

static std::vector<Loop> takeLoops(const Piece &piece, unsigned dim) {
  auto [begin, end] = loopsOf(piece, dim);
  return {piece.loops.begin() + begin, piece.loops.begin() + end};
}

// The piece with dimension dim walked by other loops.
static Piece withLoops(Piece piece, unsigned dim, const std::vector<Loop> &loops) {
  auto [begin, end] = loopsOf(piece, dim);
  piece.loops.erase(piece.loops.begin() + begin, piece.loops.begin() + end);
  piece.loops.insert(piece.loops.begin() + begin, loops.begin(), loops.end());
  for (std::size_t i = begin; i < begin + loops.size(); ++i)
    piece.loops[i].dim = dim;
  return piece;
}

View wholeVariable(const graph::GraphRef &graph, VarId var, TypeId type, Shape shape) {
  View out;
  out.graph = graph;
  out.type = type;
  out.shape = std::move(shape);
  if (out.numElements() == 0)
    return out;
  Piece piece;
  piece.var = var;
  std::int64_t stride = 1;
  for (std::size_t d = out.shape.size(); d-- > 0; stride *= std::int64_t(out.shape[d]))
    if (out.shape[d] > 1)
      piece.loops.push_back({out.shape[d], stride, unsigned(d)});
  std::reverse(piece.loops.begin(), piece.loops.end());
  for (auto extent : out.shape)
    piece.box.push_back({0, extent});
  out.pieces.push_back(std::move(piece));
  return out;
}

View slice(const View &view, std::size_t begin, std::size_t end, unsigned dim) {
  auto out = like(view);
  out.shape = view.shape;
  out.shape[dim] = end - begin;
  if (out.numElements() == 0)
    return out;
  auto first = view.pieces.begin();
  if (view.shape.size() ==
      1) // pieces of a vector are disjoint and sorted: skip to the first that matters
    first = std::partition_point(first, view.pieces.end(), [&](const Piece &p) {
      return p.box[0].begin + p.box[0].extent <= begin;
    });
  for (auto piece = first; piece != view.pieces.end(); ++piece) {
    auto range = piece->box[dim];
    if (range.begin >= end && view.shape.size() == 1)
      break;
    auto lo = std::max(begin, range.begin), hi = std::min(end, range.begin + range.extent);
    if (lo >= hi)
      continue;
    for (auto &part : cutLoops(takeLoops(*piece, dim), lo - range.begin, hi - range.begin)) {
      auto cut = withLoops(*piece, dim, part.loops);
      cut.offset += part.offset;
      cut.box[dim] = {range.begin + part.begin - begin, part.extent};
      out.pieces.push_back(std::move(cut));
    }
  }
  sortPieces(out);
  return out;
}

View dimShuffle(const View &view, const std::vector<unsigned> &permutation) {
  auto out = like(view);
  for (auto from : permutation)
    out.shape.push_back(view.shape[from]);
  for (const auto &piece : view.pieces) {
    Piece moved;
    moved.var = piece.var;
    moved.offset = piece.offset;
    for (unsigned to = 0; to < permutation.size(); ++to) {
      moved.box.push_back(piece.box[permutation[to]]);
      for (auto loop : takeLoops(piece, permutation[to])) {
        loop.dim = to;
        moved.loops.push_back(loop);
      }
    }
    out.pieces.push_back(std::move(moved));
  }
  sortPieces(out);
  return out;
}

View reverse(const View &view, unsigned dim) {
  auto out = view;
  for (auto &piece : out.pieces) {
    piece.box[dim].begin = view.shape[dim] - piece.box[dim].begin - piece.box[dim].extent;
    auto [begin, end] = loopsOf(piece, dim);
    for (auto i = begin; i < end; ++i) {
      piece.offset += std::int64_t(piece.loops[i].extent - 1) * piece.loops[i].stride;
      piece.loops[i].stride = -piece.loops[i].stride;
    }
  }
  sortPieces(out);
  return out;
}

View broadcast(const View &view, std::size_t n, unsigned dim) {
  auto out = like(view);
  auto size = view.shape[dim];
  out.shape = view.shape;
  out.shape[dim] = size * n;
  if (out.numElements() == 0)
    return out;
  for (const auto &piece : view.pieces) {
    if (piece.box[dim].extent == size) { // one more loop that stands still
      auto loops = takeLoops(piece, dim);
      if (n > 1)
        loops.insert(loops.begin(), Loop{n, 0, dim});
      auto wide = withLoops(piece, dim, loops);
      wide.box[dim].extent = size * n;
      out.pieces.push_back(std::move(wide));
      continue;
    }
    requirePieces(out.pieces.size() + n);
    for (std::size_t i = 0; i < n; ++i) {
      out.pieces.push_back(piece);
      out.pieces.back().box[dim].begin += i * size;
    }
  }
  sortPieces(out);
  return out;
}

View upsample(const View &view, std::size_t scale, unsigned dim) {
  auto out = like(view);
  out.shape = view.shape;
  out.shape[dim] *= scale;
  if (out.numElements() == 0)
    return out;
  for (const auto &piece : view.pieces) {
    auto loops = takeLoops(piece, dim);
    if (scale > 1)
      loops.push_back(Loop{scale, 0, dim});
    auto wide = withLoops(piece, dim, loops);
    wide.box[dim] = {piece.box[dim].begin * scale, piece.box[dim].extent * scale};
    out.pieces.push_back(std::move(wide));
  }
  return out;
}

View subSample(const View &view, std::size_t stride, unsigned dim) {
  auto out = like(view);
  out.shape = view.shape;
  out.shape[dim] = base::ceilDiv(view.shape[dim], stride);
  for (const auto &piece : view.pieces) {
    auto range = piece.box[dim];
    auto skip =
        (stride - range.begin % stride) % stride; // first kept element, from the piece's beginning
    for (auto &part : stepLoops(takeLoops(piece, dim), range.extent, skip, stride)) {
      auto kept = withLoops(piece, dim, part.loops);
      kept.offset += part.offset;
      kept.box[dim] = {(range.begin + part.begin) / stride, part.extent};
      out.pieces.push_back(std::move(kept));
    }
  }
  sortPieces(out);
  return out;
}

View expand(const View &view, const std::vector<std::size_t> &before) {
  auto out = like(view);
  std::vector<unsigned> newDim(view.shape.size());
  std::vector<int> from; // old dimension, or -1 for a new one
  std::size_t next = 0;
  for (std::size_t d = 0; d <= view.shape.size(); ++d) {
    for (; next < before.size() && before[next] == d; ++next)
      from.push_back(-1);
    if (d < view.shape.size()) {
      newDim[d] = from.size();
      from.push_back(int(d));
    }
  }
  for (auto d : from)
    out.shape.push_back(d < 0 ? 1 : view.shape[d]);
  for (const auto &piece : view.pieces) {
    Piece grown = piece;
    grown.box.clear();
    for (auto d : from)
      grown.box.push_back(d < 0 ? Range{0, 1} : piece.box[d]);
    for (auto &loop : grown.loops)
      loop.dim = newDim[loop.dim];
    out.pieces.push_back(std::move(grown));
  }
  return out;
}

View squeeze(const View &view, const std::vector<std::size_t> &dims) {
  auto out = like(view);
  std::vector<unsigned> newDim(view.shape.size());
  std::vector<std::size_t> kept;
  for (std::size_t d = 0; d < view.shape.size(); ++d) {
    newDim[d] = kept.size();
    if (std::find(dims.begin(), dims.end(), d) == dims.end())
      kept.push_back(d);
  }
  for (auto d : kept)
    out.shape.push_back(view.shape[d]);
  for (const auto &piece : view.pieces) {
    Piece shrunk = piece;
    shrunk.box.clear();
    for (auto d : kept)
      shrunk.box.push_back(piece.box[d]);
    for (auto &loop : shrunk.loops)
      loop.dim = newDim[loop.dim];
    out.pieces.push_back(std::move(shrunk));
  }
  return out;
}

View flatten(const View &view) { return reshape(view, {view.numElements()}); }

// Joins piece b to a along dim when b goes on where a stops.
static bool join(Piece &a, const Piece &b, unsigned dim) {
  if (a.var != b.var || a.box.size() != b.box.size())
    return false;
  for (unsigned d = 0; d < a.box.size(); ++d)
    if (d != dim && a.box[d] != b.box[d])
      return false;
  if (a.box[dim].begin + a.box[dim].extent != b.box[dim].begin)
    return false;
  auto aLoops = takeLoops(a, dim), bLoops = takeLoops(b, dim);
  if (aLoops.size() > 1 || bLoops.size() > 1)
    return false;
  auto stride = !aLoops.empty()   ? aLoops[0].stride
                : !bLoops.empty() ? bLoops[0].stride
                                  : b.offset - a.offset;
  if ((!bLoops.empty() && bLoops[0].stride != stride) ||
      b.offset != a.offset + std::int64_t(a.box[dim].extent) * stride)
    return false;
  if (withLoops(a, dim, {}).loops != withLoops(b, dim, {}).loops)
    return false;
  auto extent = a.box[dim].extent + b.box[dim].extent;
  a = withLoops(a, dim, {Loop{extent, stride, dim}});
  a.box[dim].extent = extent;
  return true;
}

View concat(const std::vector<const View *> &views, unsigned dim) {
  auto out = like(*views[0]);
  out.shape = views[0]->shape;
  out.shape[dim] = 0;
  for (auto *view : views) {
    for (const auto &piece : view->pieces) {
      auto moved = piece;
      moved.box[dim].begin += out.shape[dim];
      if (out.pieces.empty() || !join(out.pieces.back(), moved, dim))
        out.pieces.push_back(std::move(moved));
    }
    out.shape[dim] += view->shape[dim];
  }
  if (dim != 0)
    sortPieces(out);
  return out;
}

// ---- reshape ----

namespace {

// Dimensions [oldBegin, oldEnd) of the old shape hold the same elements as [newBegin, newEnd) of
// the new one.
struct Group {
  std::size_t oldBegin, oldEnd, newBegin, newEnd;
};

std::vector<Group> groupDims(const Shape &from, const Shape &to) {
  std::vector<Group> groups;
  std::size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    Group group{i, i, j, j};
    std::size_t a = i < from.size() ? from[i++] : 1;
    std::size_t b = j < to.size() ? to[j++] : 1;
    while (a != b)
      if (a < b)
        a *= from[i++];
      else
        b *= to[j++];
    group.oldEnd = i;
    group.newEnd = j;
    groups.push_back(group);
  }
  return groups;
}

// A stretch of one group's flat index space, with its own walk.
struct Stretch {
  std::size_t begin, extent;
  std::int64_t offset;
  std::vector<Loop> loops;
};

// The piece's part of the group as stretches: one when the box is contiguous in row-major order.
void linearise(const Piece &piece, const Shape &shape, std::size_t begin, std::size_t end,
               std::vector<Stretch> &out) {
  auto firstFull = end; // dimensions from here on are completely covered
  while (firstFull > begin && piece.box[firstFull - 1].extent == shape[firstFull - 1])
    --firstFull;
  std::vector<Loop> inner; // walk of the contiguous part: dimension firstFull-1 and the full ones
  auto split = firstFull > begin ? firstFull - 1 : begin;
  std::size_t innerSize = 1;
  for (auto d = split; d < end; ++d) {
    auto loops = takeLoops(piece, d);
    inner.insert(inner.end(), loops.begin(), loops.end());
    innerSize *= piece.box[d].extent;
  }
  std::vector<std::size_t> weight(end - begin, 1);
  for (auto d = end - begin; d-- > 1;)
    weight[d - 1] = weight[d] * shape[begin + d];
  std::size_t base = 0;
  for (auto d = begin; d < end; ++d)
    base += piece.box[d].begin * weight[d - begin];
  // Outer dimensions of more than one position are walked one by one.
  std::function<void(std::size_t, std::size_t, std::int64_t)> walk =
      [&](std::size_t d, std::size_t at, std::int64_t offset) {
        if (d == split)
          return out.push_back({at, innerSize, offset, inner});
        auto loops = takeLoops(piece, d);
        requirePieces(out.size() + piece.box[d].extent);
        for (std::size_t i = 0; i < piece.box[d].extent; ++i)
          walk(d + 1, at + i * weight[d - begin], offset + offsetAt(loops, i));
      };
  walk(begin, base, 0);
}

struct Folded {
  std::int64_t offset;
  std::vector<Range> box;
  std::vector<Loop> loops; // dim relative to the group
};

// Lays a stretch out over the dimensions `to`: boxes in row-major order.
void fold(const Stretch &stretch, const Shape &to, std::vector<Folded> &out) {
  std::function<void(const Stretch &, std::size_t, std::vector<Range>, std::vector<Loop>)> lay =
      [&](const Stretch &part, std::size_t d, std::vector<Range> box, std::vector<Loop> loops) {
        if (d == to.size()) {
          requirePieces(out.size());
          out.push_back({part.offset, std::move(box), std::move(loops)});
          return;
        }
        std::size_t inner = 1;
        for (auto k = d + 1; k < to.size(); ++k)
          inner *= to[k];
        auto first = part.begin / inner, last = (part.begin + part.extent - 1) / inner;
        auto emit = [&](std::size_t lo,
                        std::size_t hi) { // [lo, hi) of the flat space, one row or whole rows
          for (auto &cut : cutLoops(part.loops, lo - part.begin, hi - part.begin)) {
            Stretch sub{part.begin + cut.begin, cut.extent, part.offset + cut.offset, cut.loops};
            auto row = sub.begin / inner, rows = cut.extent / inner;
            bool whole = sub.begin % inner == 0 && cut.extent % inner == 0;
            std::vector<Loop> outer, rest;
            if (whole && splitLoops(sub.loops, inner, outer, rest)) {
              auto nextBox = box;
              nextBox.push_back({row, rows});
              auto nextLoops = loops;
              for (auto loop : outer) {
                loop.dim = d;
                nextLoops.push_back(loop);
              }
              lay({0, inner, sub.offset, rest}, d + 1, nextBox, nextLoops);
            } else if (!whole && sub.begin / inner ==
                                     (sub.begin + sub.extent - 1) / inner) { // within one row
              auto nextBox = box;
              nextBox.push_back({row, 1});
              lay({sub.begin % inner, sub.extent, sub.offset, sub.loops}, d + 1, nextBox, loops);
            } else if (!whole) {
              lay(sub, d, box, loops);
            } else { // the walk does not divide: go down to its outermost iterations
              for (auto &piece : peelLoops(sub.loops, sub.extent))
                lay({sub.begin + piece.begin, piece.extent, sub.offset + piece.offset, piece.loops},
                    d, box, loops);
            }
          }
        };
        if (first == last)
          return emit(part.begin, part.begin + part.extent);
        auto bodyBegin = base::roundUp(part.begin, inner);
        auto bodyEnd = (part.begin + part.extent) / inner * inner;
        if (part.begin < bodyBegin)
          emit(part.begin, bodyBegin);
        if (bodyBegin < bodyEnd)
          emit(bodyBegin, bodyEnd);
        if (bodyEnd < part.begin + part.extent)
          emit(bodyEnd, part.begin + part.extent);
      };
  lay(stretch, 0, {}, {});
}

} // namespace

View reshape(const View &view, const Shape &shape) {
  auto out = like(view);
  out.shape = shape;
  if (view.shape == shape)
    return view;
  if (view.numElements() == 0)
    return out;
  auto groups = groupDims(view.shape, shape);
  for (const auto &piece : view.pieces) {
    // Partial results: pieces of the new shape built group by group.
    std::vector<Piece> partial(1);
    partial[0].var = piece.var;
    partial[0].offset = piece.offset;
    for (const auto &group : groups) {
      Shape to(shape.begin() + group.newBegin, shape.begin() + group.newEnd);
      std::vector<Stretch> stretches;
      linearise(piece, view.shape, group.oldBegin, group.oldEnd, stretches);
      std::vector<Folded> folded;
      for (auto &stretch : stretches)
        fold(stretch, to, folded);
      std::vector<Piece> next;
      requirePieces(out.pieces.size() + partial.size() * folded.size());
      next.reserve(partial.size() * folded.size());
      for (const auto &head : partial)
        for (const auto &part : folded) {
          auto grown = head;
          grown.offset += part.offset;
          grown.box.insert(grown.box.end(), part.box.begin(), part.box.end());
          for (auto loop : part.loops) {
            loop.dim += group.newBegin;
            grown.loops.push_back(loop);
          }
          next.push_back(std::move(grown));
        }
      partial = std::move(next);
    }
    for (auto &part : partial)
      out.pieces.push_back(std::move(part));
  }
  sortPieces(out);
  if (shape.size() == 1) { // neighbours that go on in memory become one
    std::vector<Piece> merged;
    for (auto &piece : out.pieces)
      if (merged.empty() || !join(merged.back(), piece, 0))
        merged.push_back(std::move(piece));
    out.pieces = std::move(merged);
  } else if (shape.empty()) {
    out.pieces.resize(1);
  }
  return out;
}

} // namespace poplar::tensor
