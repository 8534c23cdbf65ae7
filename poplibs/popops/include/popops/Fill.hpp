// SPDX-License-Identifier: MIT
// Sets all elements of a tensor to one value. The value is converted to the tensor's type.
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popops/Expr.hpp>
#include <poputil/DebugInfo.hpp>
#include <vector>

namespace popops {

namespace detail {
void fill(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog,
          const expr::Const &value, const poplar::DebugContext &debugContext);
// The parts of t, which lie on the tiles given, as part of a compute set.
void fill(poplar::Graph &graph, const poplar::Tensor &t,
          const std::vector<poplar::Interval> &regions, unsigned tile, poplar::ComputeSet cs,
          const expr::Const &value);
void fill(poplar::Graph &graph, const poplar::Tensor &t,
          const std::vector<std::vector<poplar::Interval>> &mapping, poplar::ComputeSet cs,
          const expr::Const &value);
} // namespace detail

template <typename FillValueType>
void fill(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog,
          FillValueType fillValue, const poplar::DebugContext &debugContext = {}) {
  detail::fill(graph, t, prog, expr::Const(fillValue), debugContext);
}

// Intervals of the flattened tensor, by a vertex on this tile.
template <typename FillValueType>
void fill(poplar::Graph &graph, poplar::Tensor t, const std::vector<poplar::Interval> &tileRegions,
          unsigned tile, poplar::ComputeSet fillCS, FillValueType fillValue) {
  detail::fill(graph, t, tileRegions, tile, fillCS, expr::Const(fillValue));
}
template <typename FillValueType>
void fill(poplar::Graph &graph, const poplar::Tensor &t, unsigned tile, poplar::ComputeSet fillCS,
          FillValueType fillValue) {
  detail::fill(graph, t, {poplar::Interval(0, t.numElements())}, tile, fillCS,
               expr::Const(fillValue));
}
// Intervals by tile.
template <typename FillValueType>
void fill(poplar::Graph &graph, const poplar::Tensor &t,
          const std::vector<std::vector<poplar::Interval>> &mapping, poplar::ComputeSet fillCS,
          FillValueType fillValue) {
  detail::fill(graph, t, mapping, fillCS, expr::Const(fillValue));
}

} // namespace popops
