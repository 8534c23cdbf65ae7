// SPDX-License-Identifier: MIT
// The same expressions on several lists of tensors, as one operation: many small weights that one
// formula updates. Expression k of list i goes to outs[i][k]; all results of a list have one shape,
// and see the values from before. Lists agree in the number and types of their tensors, and none
// writes what another reads. An expression of numbers alone fills its output.
#pragma once
#include "popops/Expr.hpp"
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <vector>

namespace popops {

void mapTogether(poplar::Graph &graph, const std::vector<expr::Any> &exprs,
                 const std::vector<std::vector<poplar::Tensor>> &ts,
                 const std::vector<std::vector<poplar::Tensor>> &outs,
                 poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

} // namespace popops
