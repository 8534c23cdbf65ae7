// SPDX-License-Identifier: MIT
// A run that meets an index outside of its range ends with an error that names the index, its place
// and the operator. The host looks; modelled cycles and memory are those of a program without it.
#pragma once
#include "popops/kernels/CheckIndices.hpp"
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

// Indices are INT or UNSIGNED_INT.
void checkIndices(poplar::Graph &graph, const poplar::Tensor &indices,
                  const kernels::IndexRange &range, poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext = {});

} // namespace popops
