// SPDX-License-Identifier: MIT
// topKWithPermutation for those who want equal keys in the order of another program's algorithm.
#pragma once
#include "popops/kernels/Sort.hpp"
#include "popops/TopK.hpp"

namespace popops {

using kernels::TieOrder;

// Keys and their indices. An order, if there is one, has the best first. Costs do not depend on it.
std::pair<poplar::Tensor, poplar::Tensor>
topKWithTies(poplar::Graph &graph, poplar::program::Sequence &prog, const poplar::Tensor &t,
             const TopKParams &params, TieOrder ties,
             const poplar::DebugContext &debugContext = {});

} // namespace popops
