// SPDX-License-Identifier: MIT
// How a step fails. The interpreter adds where it happened and throws the public exceptions.
#pragma once
#include "codelet/Load.hpp"
#include <cstdint>
#include <exception>
#include <string>

namespace poplar::backend {

// A floating point exception that the program wants to end the run.
struct FloatTrap {
  int raised; // FE_* flags
};

// A fault of the processor in a vertex.
struct VertexFault : codelet::TrapError {
  VertexFault(const std::string &what, int signal, std::uint32_t tile)
      : TrapError(what), signal(signal), tile(tile) {}
  int signal;
  std::uint32_t tile;
};

// What a step of a segment threw. All before it was done: so many times the whole segment, then the
// parts before this one.
struct SegmentFault {
  std::uint32_t part;
  std::uint64_t turns;
  std::exception_ptr cause;
};

} // namespace poplar::backend
