// SPDX-License-Identifier: MIT
// Moves of data as traffic: which tile needs which elements of the source.
#pragma once
#include "compile/Traffic.hpp"

namespace poplar::compile {

// Between two variables. Adds to a Traffic that was begun toward tiles with Join::Overlaps.
void addMove(const executable::Image &image, Placement &placement, const executable::Move &move,
             Traffic &traffic);

// Bytes that one side of moves touches on each tile, and how many contiguous spans. Sides that are
// host buffers are skipped.
struct SideShare {
  std::uint64_t bytes = 0, spans = 0;
};
void addSide(Placement &placement, const executable::Move &move, Side side,
             ByTile<SideShare> &shares);

} // namespace poplar::compile
