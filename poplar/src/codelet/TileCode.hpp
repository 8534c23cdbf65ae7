// SPDX-License-Identifier: MIT
// What a function of the compiler's x86 output costs as code of a tile, block by block. Counted is
// what the source asks for: loads, stores, arithmetic, decisions. What belongs to x86 is not
// counted: copies, spills, conversions around half arithmetic, index sums that a tile's addresses
// (base, index and constant) or a pointer that advances make unnecessary. docs/timing.md has the
// rules.
#pragma once
#include "arch/Bundles.hpp"
#include "codelet/Strides.hpp"

namespace poplar::codelet {

struct BlockCost {
  unsigned bundles = 0;
  unsigned instructions = 0; // for the size of the code
};

std::vector<BlockCost> tileCost(const Function &function, arch::Pairing pairing);

} // namespace poplar::codelet
