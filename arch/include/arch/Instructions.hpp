// SPDX-License-Identifier: MIT
// What compiled C++ costs a worker: bundles per executed instruction of a class, and per library
// call. Fitted to published plain C++ loops, so co-issue and loop overhead are in the numbers
// (docs/timing.md, assumption A5). Count an un-vectorised codelet: a load with an operation is a
// load and an operation; a compare that only feeds the next branch is part of the branch.
#pragma once
#include "arch/Chip.hpp"
#include <array>

namespace arch {

enum class Instruction : unsigned {
  Load,         // up to 64 bits: a float2 or half4 is one
  Store,        // 32 or 64 bits
  SubwordStore, // 8 or 16 bits: read, merge, write
  Integer,      // add, shift, logic, compare, address arithmetic
  IntegerMultiply,
  IntegerDivide,
  Branch,      // with its compare
  FloatAddMul, // float or float2: one
  HalfAddMul,  // half, half2 or half4: one
  FloatDivide,
  FloatSqrt,
  Convert,      // between number formats
  Move,         // register to register
  Call,         // call and return
  DoubleAddMul, // doubles are software
  DoubleDivide,
  DoubleSqrt,
  DoubleConvert,
};
constexpr unsigned instructionClasses = 18;

double bundlesPer(Instruction instruction);
const char *toString(Instruction instruction);

// A call of a C library function, beside the call itself. Names as in <math.h>: "expf" float, "exp"
// double. Unknown names cost nothing here: returns false and leaves bundles alone, so that the
// caller counts its code.
bool libraryBundles(std::string_view function, double &bundles);
std::vector<std::string> libraryFunctions(); // all known names, sorted

// How often each class was executed.
struct InstructionCount {
  std::array<std::uint64_t, instructionClasses> executed{};
  double libraryBundles = 0;

  std::uint64_t &operator[](Instruction i) { return executed[unsigned(i)]; }
  std::uint64_t operator[](Instruction i) const { return executed[unsigned(i)]; }
  // Throws std::invalid_argument with near matches for an unknown function.
  void call(std::string_view function, std::uint64_t times = 1);
  // Entry and exit of the vertex included; never zero.
  std::uint64_t bundles(const Chip &chip) const;
};

} // namespace arch
