// SPDX-License-Identifier: MIT
// Questions of planners about where tensors lie and whether they share memory.
#include "openipu/Placement.hpp"
#include "Access.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>
#include <set>

namespace poplar::openipu {

using namespace poplar;
using tensor::VarRange;
using tensor::View;

namespace {

// How often a view shows each element of a piece: broadcast loops stand still.
std::uint64_t repeats(const tensor::Piece &piece) {
  std::uint64_t n = 1;
  for (const auto &loop : piece.loops)
    n *= loop.stride == 0 ? loop.extent : 1;
  return n;
}

View onePiece(const View &view, const tensor::Piece &piece) {
  View one;
  one.graph = view.graph;
  one.type = view.type;
  one.pieces = {piece};
  return one;
}

} // namespace

unsigned startTile(const Graph &graph) {
  const auto &view = Access::graph(graph);
  // A multiple of the golden ratio: any few numbers in a row lie far apart.
  const std::uint64_t mixed = view.state->variables.size() * 0x9e3779b97f4a7c15u;
  const auto pairs = (view.state->target.getNumTiles() + 1) / 2;
  return unsigned((mixed >> 32) * pairs >> 32) * 2;
}

std::vector<TileElements> elementsByTile(const Graph &graph, const Tensor &tensor) {
  auto &view = Access::graph(graph);
  const auto &shown = Access::ownView(*view.state, tensor, "The plan of an operator");
  std::vector<TileElements> all(view.state->target.getNumTiles());
  auto count = [&](const VarRange &range, std::uint64_t times) {
    view.state->variables[range.var.value].mapping.forEach(
        range.begin, range.end, [&](auto begin, auto end, unsigned tile) {
          if (tile == executable::none)
            throw invalid_tile_mapping(base::str("Some elements of ", tensor.getDebugStr(),
                                                 " have no tile. Map them with setTileMapping or "
                                                 "poputil::mapTensorLinearly first."));
          all[tile].elements += (end - begin) * times;
          ++all[tile].regions;
        });
  };
  for (const auto &piece : shown.pieces)
    for (const auto &range :
         tensor::sortedRanges(shown.pieces.size() == 1 ? shown : onePiece(shown, piece)))
      count(range, repeats(piece));
  std::vector<TileElements> out;
  for (unsigned tile = 0; tile < view.numTiles(); ++tile)
    if (const auto &here = all[view.wholeTile(tile)]; here.elements)
      out.push_back({tile, here.elements, here.regions});
  return out;
}

Overlap overlap(const Tensor &a, const Tensor &b) {
  const auto &x = Access::view(a), &y = Access::view(b);
  if (x.graph != y.graph)
    return Overlap::None;
  if (x == y)
    return Overlap::Same;
  std::set<decltype(tensor::Piece::var)> vars; // views have many pieces of few variables
  for (const auto &piece : y.pieces)
    vars.insert(piece.var);
  auto shares = [&](const tensor::Piece &p) { return vars.count(p.var) > 0; };
  if (std::none_of(x.pieces.begin(), x.pieces.end(), shares))
    return Overlap::None;
  auto left = tensor::sortedRanges(x), right = tensor::sortedRanges(y);
  for (auto i = left.begin(), j = right.begin(); i != left.end() && j != right.end();) {
    if (i->var == j->var && i->begin < j->end && j->begin < i->end)
      return Overlap::Some;
    auto before = std::tie(i->var, i->end) < std::tie(j->var, j->end);
    before ? ++i : ++j;
  }
  return Overlap::None;
}

bool hasStrides(const Tensor &tensor, std::vector<std::int64_t> &strides) {
  const auto &view = Access::view(tensor);
  strides.assign(view.shape.size(), 0);
  if (view.numElements() == 0)
    return true;
  if (view.pieces.size() != 1)
    return false;
  std::vector<std::size_t> extent(view.shape.size(), 1);
  const auto &loops = view.pieces[0].loops;
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    if (extent[loop->dim] == 1)
      strides[loop->dim] = loop->stride;
    else if (loop->stride != strides[loop->dim] * std::int64_t(extent[loop->dim]))
      return false;
    extent[loop->dim] *= loop->extent;
  }
  return true;
}

} // namespace poplar::openipu
