// SPDX-License-Identifier: MIT
// Pixels of three channels to normalised pixels of four: (in * inScale - offset) * scale for each
// channel, and a zero behind them. UNSIGNED_CHAR images become HALF.
#pragma once
#include <poplar/ArrayRef.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>

namespace popops {

// The last dimension of the shape is the channels: 3.
poplar::Tensor createNormaliseImageInput(poplar::Graph &graph, const poplar::Type &type,
                                         const poplar::ArrayRef<std::size_t> shape,
                                         const poplar::DebugContext &debugContext = {});
poplar::Tensor normaliseImage(poplar::Graph &graph, poplar::program::Sequence &seq,
                              poplar::Tensor tIn, float inScale, poplar::Tensor offsets,
                              poplar::Tensor scales, const poplar::DebugContext &debugContext = {});

} // namespace popops
