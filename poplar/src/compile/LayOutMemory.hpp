// SPDX-License-Identifier: MIT
// What each tile must hold: data, vertex state, code, stacks, exchange code and buffers, by
// category, always live or only around some steps. Running out is an answer, not an exception:
// report.outOfMemory and a table for the user. A tile's categories add up to TileMemory::total():
// what is not always live counts as of the tile's peak step.
#pragma once
#include "arch/System.hpp"
#include "executable/Image.hpp"

namespace poplar::compile {

// Needs: planExchange, which has put exchange code and copy descriptors into image.memory.tiles
// (one entry per tile of one replica), and findLiveness, which filled image.memory.steps.
// `allowOutOfMemory` only changes the advice in the text.
void layOutMemory(executable::Image &image, const arch::System &system, bool allowOutOfMemory);

} // namespace poplar::compile
