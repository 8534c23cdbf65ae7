// SPDX-License-Identifier: MIT
// What a function of the compiler's x86 output costs as code of a tile, block by block. Counted is
// what the source asks for: loads, stores, arithmetic, decisions. What belongs to x86 is not
// counted: copies, spills, conversions around half arithmetic, index sums that a tile's addresses
// (base, index and constant) or a pointer that advances make unnecessary. docs/timing.md has the
// rules.
#pragma once
#include "arch/Bundles.hpp"
#include "codelet/Strides.hpp"
#include <string>

namespace poplar::codelet {

// One instruction of a tile: in which bundle of its block it begins, and what it is for.
struct Issued {
  arch::Slot slot = arch::Slot::Main;
  unsigned at = 0, bundles = 1;
  unsigned mark = 0;  // HostInstruction::mark; 0: of no instruction alone
  std::string what;   // "load"
  unsigned bytes = 0; // that a load or store moves
  bool isCall = false;
};

struct BlockCost {
  unsigned bundles = 0;
  unsigned instructions = 0; // for the size of the code
  std::vector<Issued> issued;
};

std::vector<BlockCost> tileCost(const Function &function, arch::Pairing pairing);

} // namespace poplar::codelet
