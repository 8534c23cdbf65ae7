// SPDX-License-Identifier: MIT
// A change of one element of each row.
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popops/ExprOp.hpp>
#include <poputil/DebugInfo.hpp>

namespace popops {

// params[r][indices[r]] -= 1. params: FLOAT or HALF; indices: UNSIGNED_INT. MASKED_LABEL_CODE
// leaves the row as it is; any other index beyond the row fills it with NaN.
void updateScalarInRows(poplar::Graph &graph, const poplar::Tensor &params,
                        const poplar::Tensor &indices, poplar::program::Sequence &program,
                        const poplar::DebugContext &debugContext = {});

} // namespace popops
