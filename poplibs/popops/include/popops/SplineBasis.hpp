// SPDX-License-Identifier: MIT
// Products of B-spline bases, for convolutions on graphs with continuous kernels.
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>

namespace popops {

// For each of E edges with D pseudo-coordinates in [0, 1], the S = (degree + 1)^D products of basis
// functions that are not zero, and the knots they belong to.
//   pseudo [E, D]        FLOAT or HALF     basis [E, S]         of pseudo's type
//   kernelSize [D]       INT               weightIndex [E, S]   INT
//   isOpenSpline [D]     UNSIGNED_CHAR     degree               1, 2 or 3
void splineBasis(poplar::Graph &graph, const poplar::Tensor &pseudo,
                 const poplar::Tensor &kernelSize, const poplar::Tensor &isOpenSpline,
                 const poplar::Tensor &basis, const poplar::Tensor &weightIndex, unsigned degree,
                 poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

} // namespace popops
