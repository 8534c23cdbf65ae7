// SPDX-License-Identifier: MIT
// A function of the compiler's x86 output as values: every instruction becomes a node that reads
// the nodes which made its operands (static single assignment, with phis where ways meet). Register
// copies and spills vanish that way, and with them most of what is x86 and not the source.
#pragma once
#include "arch/Instructions.hpp"
#include "codelet/ControlFlow.hpp"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace poplar::codelet {

enum class Op : std::uint8_t {
  Entry,   // a register as the function finds it
  Phi,     // one of `in`, by the way that was taken
  Linear,  // a sum of multiples of `in` and a constant: moves, additions, addresses
  Load,    // `bytes` from `address`
  Store,   // in[0]; `address` comes after it in `in`
  Compute, // `kind`, `times` times
  Free,    // an arrangement of lanes, a constant, a move between register files
  Widen,   // half to float
  Narrow,  // float to half
  Compare, // of integers; in[1] missing: with zero
  CompareFloat,
  Select, // by flags
  Branch, // by flags, in[0]
  Jump,
  Call, // of memcpy and its kin: in[0] is the length
};

using ValueId = unsigned;

struct Address {
  std::vector<std::pair<ValueId, std::int64_t>> terms; // with their factors
  std::int64_t offset = 0;
  std::string symbol;
  bool onStack = false;
};

struct Node {
  Op op = Op::Free;
  arch::Instruction kind = arch::Instruction::Integer;
  unsigned times = 1, bytes = 4, block = 0;
  std::vector<ValueId> in;
  std::vector<std::int64_t> factors; // Linear: one for each of `in`
  std::int64_t constant = 0;         // Linear
  Address address;                   // Load, Store
  std::string callee;                // Call
  int place = 0;                     // Entry and Phi: register or slot
  bool isVector = false;             // several floats side by side
  unsigned mark = 0;                 // of the instruction that it was made for
};

struct Function {
  ControlFlow flow;
  std::vector<Node> nodes;
  std::vector<std::vector<ValueId>> byBlock; // in program order, without entries and phis
};

Function valuesOf(ControlFlow flow);

// Of a function that a tile has instructions for: the C library's, those on vectors in
// ipu_vector_math, and builtins. Others: false.
bool functionBundles(std::string_view callee, double &bundles);
std::optional<arch::BuiltinCost> builtinOf(std::string_view callee);

} // namespace poplar::codelet
