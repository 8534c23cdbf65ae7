// SPDX-License-Identifier: MIT
// How a step fails. The interpreter adds where it happened and throws the public exceptions.
#pragma once
#include "codelet/Load.hpp"
#include "openipu/Backend.hpp"
#include <cstdint>
#include <string>

namespace poplar::backend {

using openipu::FloatTrap;
using openipu::LateFault;
using openipu::SegmentFault;

// A fault of the processor in a vertex.
struct VertexFault : codelet::TrapError {
  VertexFault(const std::string &what, int signal, std::uint32_t tile)
      : TrapError(what), signal(signal), tile(tile) {}
  int signal;
  std::uint32_t tile;
};

} // namespace poplar::backend
