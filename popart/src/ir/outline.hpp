// SPDX-License-Identifier: MIT
// Stretches of nodes that do the same as others on other values: on the device they are calls of
// one function.
#pragma once
#include "ir/graph.hpp"

namespace popart::ir {

// A value that differs from call to call. Arguments stand in the same order in all calls of a
// function.
struct Argument {
  Value value;
  bool in = false, out = false; // read before it is written; needed afterwards
  // Offsets within the call: the first node that touches it and the last.
  std::uint32_t first = 0, last = 0;
};

struct Call {
  std::uint32_t function = 0;       // number, from 0
  std::uint32_t begin = 0, end = 0; // nodes of the graph
  std::vector<Argument> arguments;
};
using Calls = std::vector<Call>; // ascending, disjoint

} // namespace popart::ir
