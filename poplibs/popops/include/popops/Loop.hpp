// SPDX-License-Identifier: MIT
// Loops whose body sees a counter.
#pragma once
#include <cstddef>
#include <functional>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/VertexTemplates.hpp>

namespace popops {

// Makes the body from the number of the pass.
using CountedLoopBodyType = std::function<poplar::program::Program(const poplar::Tensor &)>;

// for (unsigned i = begin; i < end; i += step) body(i), where the body gets i as UNSIGNED_INT [1].
poplar::program::Sequence countedLoop(poplar::Graph &graph, std::size_t begin, std::size_t end,
                                      std::size_t step, const CountedLoopBodyType &body,
                                      const poplar::DebugContext &debugContext = {});
poplar::program::Sequence countedLoop(poplar::Graph &graph, std::size_t count,
                                      const CountedLoopBodyType &body,
                                      const poplar::DebugContext &debugContext = {});

// for (count = initialCount; step > 0 ? count < limit : count > limit; count += step) body, with a
// limit that is known at run time. count and limit: one INT or UNSIGNED_INT each, of one type.
poplar::program::Sequence countedForLoop(poplar::Graph &graph, const poplar::Tensor &count,
                                         int initialCount, const poplar::Tensor &countLimit,
                                         int countStep, const poplar::program::Program &body,
                                         const poplar::DebugContext &debugContext = {});
// With a counter of its own.
poplar::program::Sequence countedForLoop(poplar::Graph &graph, int initialCount,
                                         const poplar::Tensor &countLimit, int countStep,
                                         const poplar::program::Program &body,
                                         const poplar::DebugContext &debugContext = {});

// Adds the step that such a loop repeats: count += countStep; the result, one BOOL, says whether
// the loop goes on.
poplar::Tensor addForLoopCounterVertex(poplar::Graph &graph, const poplar::Tensor &count,
                                       const poplar::Tensor &countLimit, int countStep,
                                       unsigned tile, poplar::program::Sequence &prog,
                                       const poplar::DebugContext &debugContext = {});

} // namespace popops
