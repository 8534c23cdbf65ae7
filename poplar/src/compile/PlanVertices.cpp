// SPDX-License-Identifier: MIT
#include "compile/PlanVertices.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <span>

namespace poplar::compile {

using namespace analysis;
using namespace executable;
using codelet::FieldDirection;

void PlanVertices::scan(std::uint32_t computeSet) {
  gathered_.clear();
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
  std::span<const Run> runs(image_.runs.data() + edge.firstRun, edge.numRuns);
  for (const auto &run : runs) {
    auto awayBefore = lie.away;
    if (run.count)
      look(tile, run, lie);
    if (lie.away != awayBefore)
      travel(tile, run, direction);
  }
  // All here and in order: used in place. All away: received in place. Anything else is put
  // together by a copy.
  if (!lie.here || (!lie.away && lie.ordered)) {
    if (lie.here && (inPlace_.empty() || inPlace_.back() != lie.var))
      inPlace_.push_back(lie.var);
    return;
  }
  const bool again =
      direction != FieldDirection::Output && !gathered_.insert(keyOf(tile, runs)).second;
  for (const auto &run : runs)
    if (run.count)
      copy(tile, run, direction, again);
}

std::vector<std::uint32_t> PlanVertices::takeInPlace() {
  std::sort(inPlace_.begin(), inPlace_.end());
  inPlace_.erase(std::unique(inPlace_.begin(), inPlace_.end()), inPlace_.end());
  return std::exchange(inPlace_, {});
}

// Readers of the very same field share what was put together.
std::uint64_t PlanVertices::keyOf(std::uint32_t tile, std::span<const Run> runs) {
  std::uint64_t key = tile;
  for (const auto &run : runs) {
    const std::uint64_t numbers[] = {run.var, std::uint64_t(run.offset), run.count,
                                     std::uint64_t(std::int64_t(run.stride))};
    key = base::hashBytes(numbers, sizeof numbers, key);
  }
  return key;
}

// Pieces elsewhere are not visited, so a run over all tiles costs no more than its part here.
void PlanVertices::look(std::uint32_t tile, const Run &run, Lie &lie) {
  auto pattern = patternOf(run);
  bool forward = run.count == 1 || run.stride == 1;
  std::uint64_t here = 0;
  auto part = [&](const Placement::Piece &piece) {
    bool follows = !lie.here || (lie.var == run.var && lie.next == piece.first);
    lie.ordered = lie.ordered && forward && follows;
    lie.here += piece.elements;
    lie.var = run.var;
    lie.next = piece.first + piece.elements;
    here += piece.elements;
  };
  auto first = placement_.find(run.var, pattern.begin);
  const auto &range = image_.variables[run.var].mapping[first];
  if (pattern.end() > range.end)
    placement_.forEachPieceOn(tile, run.var, pattern, part);
  else if (range.tile == tile)
    part({tile, pattern.elements(), pattern.count, pattern.begin, first});
  lie.away += pattern.elements() - here;
}

// A run is copied piece by piece: where it is scattered, or where its tile changes.
CopyLoad PlanVertices::loadOf(const Run &run) {
  CopyLoad load;
  auto size = sizeOf(image_.variables[run.var].type);
  auto pattern = patternOf(run);
  if (run.stride == 0 || (run.stride == -1 && run.count > 1)) {
    load.add(chip_, size, run.count);
    return load;
  }
  auto first = placement_.find(run.var, pattern.begin),
       last = placement_.find(run.var, pattern.end() - 1);
  if (pattern.count > 1 || last - first > 64) { // mapped ranges of about equal size
    auto pieces = std::max(pattern.count, std::uint64_t(last - first + 1));
    load.add(chip_, base::ceilDiv(pattern.elements(), pieces) * size, pieces);
    return load;
  }
  placement_.forEachPiece(run.var, pattern, [&](const Placement::Piece &piece) {
    load.add(chip_, piece.elements * size, 1, 0);
  });
  load.descriptors = 1;
  return load;
}

void PlanVertices::copy(std::uint32_t tile, const Run &run, FieldDirection direction, bool again) {
  auto load = loadOf(run);
  if (direction != FieldDirection::Input)
    copyOut_[tile].add(load);
  if (direction != FieldDirection::Output && !again)
    copyIn_[tile].add(load);
}

void PlanVertices::travel(std::uint32_t tile, const Run &run, FieldDirection direction) {
  Need need{tile, run.var, patternOf(run)};
  if (direction != FieldDirection::Output)
    inputs_.push_back(need);
  if (direction != FieldDirection::Input)
    outputs_.push_back(need);
}

} // namespace poplar::compile
