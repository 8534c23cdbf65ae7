// SPDX-License-Identifier: MIT
// One element of each row.
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>

namespace popops {

// [rows] of params[r][indices[r]]. params: FLOAT or HALF; indices: UNSIGNED_INT. MASKED_LABEL_CODE
// selects 0; any other index beyond the row selects NaN.
poplar::Tensor selectScalarFromRows(poplar::Graph &graph, const poplar::Tensor &params,
                                    const poplar::Tensor &indices, poplar::program::Sequence &prog,
                                    const poplar::DebugContext &debugContext = {});

} // namespace popops
