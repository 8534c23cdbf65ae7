// SPDX-License-Identifier: MIT
// What one x86 instruction of un-vectorised compiler output stands for on a tile: counts per
// arch::Instruction class. A memory operand is a load or store of its own; register moves that
// exist only because x86 has two-operand instructions cost nothing; a half operation is widen,
// operate, narrow on the host and one operation on the tile.
#pragma once
#include "arch/Instructions.hpp"
#include <string>
#include <string_view>
#include <vector>

namespace poplar::codelet {

struct HostInstruction {
  std::string mnemonic;
  std::vector<std::string> operands; // AT&T order: destination last
  bool isRepeated = false;           // rep movs / rep stos: executes rcx times
};

// A line of assembly that is an instruction, without its leading white space.
HostInstruction parseInstruction(std::string_view line);

bool isJump(const HostInstruction &i);    // jmp and all conditional jumps
bool endsBlock(const HostInstruction &i); // jumps, returns, traps

// The function called or tail-called, without @PLT; empty for other instructions and indirect
// calls.
std::string callee(const HostInstruction &i);

struct TileCost {
  double bundles = 0;
  unsigned instructions = 0; // tile instructions, for the size of the code
};

// Cost of the instructions of one basic block, executed once.
TileCost costOf(const std::vector<HostInstruction> &block);

} // namespace poplar::codelet
