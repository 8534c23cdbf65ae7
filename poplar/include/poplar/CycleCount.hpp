// SPDX-License-Identifier: MIT
// Cycle counters of a tile, read by the program itself.
#pragma once
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace poplar {

// Replaces the contents of prog by itself between two readings of the tile's counter. The result
// holds the difference as UNSIGNED_INT {low word, high word}. Call it when prog is complete.
Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile, SyncType syncType,
                  const DebugContext &debugContext = {});
Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile,
                  const DebugContext &debugContext = {});

// Adds a reading of the counter to prog.
Tensor cycleStamp(Graph &graph, program::Sequence &prog, unsigned tile, SyncType syncType,
                  const DebugContext &debugContext = {});
Tensor cycleStamp(Graph &graph, program::Sequence &prog, unsigned tile,
                  const DebugContext &debugContext = {});
std::vector<Tensor> cycleStamp(Graph &graph, program::Sequence &prog,
                               const std::vector<unsigned> &tiles, SyncType syncType,
                               const DebugContext &debugContext = {});

} // namespace poplar
