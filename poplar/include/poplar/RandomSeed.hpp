// SPDX-License-Identifier: MIT
// The state of the tiles' random number generators: UNSIGNED_INT {tiles, workers, 4}.
#pragma once
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace poplar {

// Reads the state of all workers' generators, for setHwSeeds to put back later.
Tensor getHwSeeds(Graph &graph, program::Sequence &prog, const DebugContext &debugContext = {});
// Sets the state of all workers' generators: random numbers repeat from here.
void setHwSeeds(Graph &graph, const Tensor &hwSeeds, program::Sequence &prog,
                const DebugContext &debugContext = {});

} // namespace poplar
