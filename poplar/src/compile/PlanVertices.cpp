// SPDX-License-Identifier: MIT
#include "compile/PlanVertices.hpp"

namespace poplar::compile {

using namespace executable;
using codelet::FieldDirection;

void PlanVertices::scan(std::uint32_t computeSet) {
  for (auto vertex : image_.computeSets[computeSet].vertices) {
    const auto &v = image_.vertices[vertex];
    const auto &fields = image_.vertexType(vertex).fields;
    for (std::size_t f = 0; f != fields.size(); ++f) {
      const auto &slot = image_.slots[v.firstSlot + f];
      if (slot.kind == SlotKind::Edges)
        for (auto e = slot.first; e != slot.first + slot.count; ++e)
          edge(v.tile, image_.edges[e], fields[f].direction);
    }
  }
}

void PlanVertices::edge(std::uint32_t tile, const Edge &edge, FieldDirection direction) {
  Lie lie;
  std::uint64_t bytes = 0;
  for (auto r = edge.firstRun; r != edge.firstRun + edge.numRuns; ++r) {
    const auto &run = image_.runs[r];
    if (!run.count)
      continue;
    auto awayBefore = lie.away;
    look(tile, run, lie);
    bytes += run.count * sizeOf(image_.variables[run.var].type);
    if (lie.away != awayBefore)
      travel(tile, run, direction);
  }
  // All here and in order: used in place. All away: received in place. Anything else is put together by a copy.
  if (!lie.here || (!lie.away && lie.ordered))
    return;
  if (direction != FieldDirection::Output)
    copyIn_[tile].add(bytes, lie.pieces, edge.numRuns, lie.atom);
  if (direction != FieldDirection::Input)
    copyOut_[tile].add(bytes, lie.pieces, edge.numRuns, lie.atom);
}

// Pieces elsewhere are only counted, so a run over all tiles costs no more than its part here.
void PlanVertices::look(std::uint32_t tile, const Run &run, Lie &lie) {
  auto pattern = patternOf(run);
  auto size = sizeOf(image_.variables[run.var].type);
  bool forward = run.count == 1 || run.stride == 1;
  auto part = [&](const Placement::Piece &piece) {
    lie.atom = std::min(lie.atom, dividingAtom((piece.spans == 1 ? piece.elements : pattern.block) * size));
    bool follows = !lie.here || (lie.var == run.var && lie.next == piece.local);
    lie.ordered = lie.ordered && forward && follows;
    lie.here += piece.elements;
    lie.var = run.var;
    lie.next = piece.local + piece.elements;
  };
  auto hereBefore = lie.here;
  auto first = placement_.find(run.var, pattern.begin);
  const auto &range = image_.variables[run.var].mapping[first];
  if (pattern.end() <= range.end) {
    lie.pieces += pattern.count;
    if (range.tile == tile)
      part({tile, pattern.elements(), pattern.count, placement_.local(run.var, first, pattern.begin), first});
  } else {
    lie.pieces += std::max(pattern.count, std::uint64_t(placement_.find(run.var, pattern.end() - 1) - first + 1));
    placement_.forEachPieceOn(tile, run.var, pattern, part);
  }
  auto away = pattern.elements() - (lie.here - hereBefore);
  if (away)
    lie.atom = std::min(lie.atom, dividingAtom(pattern.block * size));
  lie.away += away;
}

void PlanVertices::travel(std::uint32_t tile, const Run &run, FieldDirection direction) {
  Need need{tile, run.var, patternOf(run)};
  if (direction != FieldDirection::Output)
    inputs_.push_back(need);
  if (direction != FieldDirection::Input)
    outputs_.push_back(need);
}

} // namespace poplar::compile
