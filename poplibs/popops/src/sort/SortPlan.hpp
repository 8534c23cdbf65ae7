// SPDX-License-Identifier: MIT
// What the tiles take for the kernel popops.sort.
#pragma once
#include "openipu/Operation.hpp"
#include "popops/kernels/Sort.hpp"

namespace popops::sorting {

using kernels::SortExtra;
using kernels::SortSpec;

// Bitonic networks over the tiles that hold the keys [..., n].
openipu::Plan sortPlan(const poplar::Graph &graph, const poplar::Tensor &keys, const SortSpec &spec,
                       bool stable);

} // namespace popops::sorting
