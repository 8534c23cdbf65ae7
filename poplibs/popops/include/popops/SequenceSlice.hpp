// SPDX-License-Identifier: MIT
// Copies runs of rows between two tensors, at places and of lengths known when the program runs.
#pragma once
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>

namespace popops {

// For each i: tOut[tOutOffset[i] : + tN[i]] = tIn[tInOffset[i] : + tN[i]], in the outermost
// dimension. Rows beyond either end are left out. zeroUnused: rows of tOut that no run reaches
// become zero instead of staying as they are.
void sequenceSlice(poplar::Graph &graph, const poplar::Tensor &tIn, const poplar::Tensor &tOut,
                   const poplar::Tensor &tN, const poplar::Tensor &tInOffset,
                   const poplar::Tensor &tOutOffset, bool zeroUnused,
                   poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

} // namespace popops
