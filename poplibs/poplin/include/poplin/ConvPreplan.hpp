// SPDX-License-Identifier: MIT
// Planning of convolutions and matrix products ahead of building a graph.
#pragma once
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>

namespace poplin {

// Plans convolutions and matrix products into one cache, so that later calls find their plans
// there.
void preplan(const std::set<ConvPlanParams> &convs, const std::set<MatMulPlanParams> &matmuls,
             PlanningCache &cache);

} // namespace poplin
