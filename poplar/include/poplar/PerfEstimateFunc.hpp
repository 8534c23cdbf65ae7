// SPDX-License-Identifier: MIT
// Functions that tell what a vertex costs on the device.
#pragma once
#include <cstdint>
#include <functional>

namespace poplar {

class Target;
class VertexIntrospector;

// What a vertex costs: cycles of its tile, and floating point operations.
struct VertexPerfEstimate {
  // Of a worker, or of the supervisor for a supervisor vertex; operations.
  std::uint64_t cycles, flops;
  VertexPerfEstimate(std::uint64_t c = 0, std::uint64_t f = 0) : cycles(c), flops(f) {}
  friend bool operator==(const VertexPerfEstimate &a, const VertexPerfEstimate &b) {
    return a.cycles == b.cycles && a.flops == b.flops;
  }
};

using PerfEstimateFunc =
    std::function<VertexPerfEstimate(const VertexIntrospector &, const Target &)>;

} // namespace poplar
