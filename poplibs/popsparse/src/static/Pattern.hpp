// SPDX-License-Identifier: MIT
// Products with a matrix whose pattern is part of the graph.
#pragma once
#include "Plan.hpp"
#include "popsparse/kernels/Static.hpp"
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <vector>

namespace popsparse {

using kernels::Pattern;
using kernels::Triangle;

// The largest number of blocks in one of `parts` equal ranges of lines.
std::size_t busiestPart(const Pattern &pattern, unsigned parts);

// y = S x, or its transpose times x; x and y are rows [..][n], values [blocks * area].
void addPatternMultiply(poplar::Graph &graph, const Pattern &pattern, const poplar::Tensor &values,
                        const poplar::Tensor &x, const poplar::Tensor &y, bool transposed,
                        bool halfPartials, openipu::Plan plan, poplar::program::Sequence &prog,
                        const poplar::DebugContext &context);

// values[i] = block pattern[i] of g x^T; g and x are rows [..][n].
void addPatternOuter(poplar::Graph &graph, const Pattern &pattern, const poplar::Tensor &g,
                     const poplar::Tensor &x, const poplar::Tensor &values, Triangle triangle,
                     bool halfPartials, openipu::Plan plan, poplar::program::Sequence &prog,
                     const poplar::DebugContext &context);

} // namespace popsparse
