// SPDX-License-Identifier: MIT
// What compiled C++ costs a worker: bundles per executed instruction of a class when each has a
// bundle of its own, and per library call. Bundles.hpp says what shares one.
#pragma once
#include "arch/Bundles.hpp"
#include "arch/Chip.hpp"
#include <array>
#include <optional>
#include <string_view>

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

// Functions up to here are instructions of the tile and a few around them; longer ones are called.
constexpr double longestInline = 10;

// A call of a C library function, beside the call itself. Names as in <math.h>: "expf" float, "exp"
// double. Unknown names cost nothing here: returns false and leaves bundles alone, so that the
// caller counts its code.
bool libraryBundles(std::string_view function, double &bundles);
std::vector<std::string> libraryFunctions(); // all known names, sorted
// The same for a whole vector: "exp", "half4". Unknown names: false.
bool vectorBundles(std::string_view function, std::string_view type, double &bundles);

// A builtin of the compiler: "aux_max_half2" and its kin for floats and halves, "main_clz" for
// words and addresses. Unknown names: none.
struct BuiltinCost {
  Slot slot;
  double bundles;
};
std::optional<BuiltinCost> builtinCost(std::string_view builtin);
std::vector<std::string> builtins(); // all known names, without types, sorted

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
