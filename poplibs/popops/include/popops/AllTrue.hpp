// SPDX-License-Identifier: MIT
// Whether every element of a tensor is true.
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>

namespace popops {

// A: BOOL, any shape. Returns one BOOL of rank 0; true for a tensor without elements.
poplar::Tensor allTrue(poplar::Graph &graph, poplar::Tensor A, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});

} // namespace popops
