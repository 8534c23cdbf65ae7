// SPDX-License-Identifier: MIT
// One line of the compiler's x86 output (AT&T syntax, -fverbose-asm), taken apart: registers as
// numbers whatever their width, memory operands as sums, and whether a stack slot is the compiler's
// own (a spilled register) or a variable of the source.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace poplar::codelet {

// Registers are 0 to 15 (general) and 16 to 31 (vectors).
constexpr int noRegister = -1, stackRegister = 4, firstVectorRegister = 16;

struct Operand {
  enum Kind : std::uint8_t { Register, Immediate, Memory, Other } kind = Other;
  int reg = noRegister;
  unsigned bytes = 8; // of a register's name
  int base = noRegister, index = noRegister;
  std::int64_t scale = 1, value = 0; // value: the immediate, or the displacement
  std::string symbol;                // of a memory operand: "table", ".LC3"

  bool isVector() const { return kind == Register && reg >= firstVectorRegister; }
};

struct HostInstruction {
  std::string mnemonic;
  std::vector<std::string> texts; // operands in AT&T order: destination last
  std::vector<Operand> operands;  // the same
  bool isRepeated = false;        // rep movs / rep stos: executes rcx times
  unsigned mark = 0;              // a number of whoever read the line
  bool isSpill = false;           // its memory operand is a register's place on the stack
};

// A line of assembly that is an instruction, without its leading white space.
HostInstruction parseInstruction(std::string_view line);

bool isJump(const HostInstruction &i);    // jmp and all conditional jumps
bool endsBlock(const HostInstruction &i); // jumps, returns, traps

// The function called or tail-called, without @PLT; empty for other instructions and indirect
// calls.
std::string callee(const HostInstruction &i);
// The label that a jump within the function goes to, or empty.
std::string_view jumpTarget(const HostInstruction &i);

} // namespace poplar::codelet
