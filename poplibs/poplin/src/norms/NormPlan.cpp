// SPDX-License-Identifier: MIT
#include "NormPlan.hpp"
#include "base/Arithmetic.hpp"
#include "openipu/Placement.hpp"
#include "poplin/kernels/Norms.hpp"
#include "poplin/Steps.hpp"
#include <algorithm>
#include <cstdlib>

namespace poplin::norms {

using popops::expr::BinaryOpType;

static const char *nameOf(BinaryOpType op) {
  switch (op) {
  case BinaryOpType::ADD:
    return "ADD";
  case BinaryOpType::SUBTRACT:
    return "SUBTRACT";
  default:
    return "MULTIPLY";
  }
}

Reducible reducible(const poplar::Tensor &acts, NormGroups groups, Key key) {
  Reducible out{acts, {}, {}};
  std::vector<bool> keep(acts.rank(), false);
  if (groups.count == 0 || key == Key::Parameter) {
    keep[1] = true;
  } else {
    auto perGroup = acts.dim(1) / groups.count;
    std::size_t count = groups.count;
    if (groups.strided)
      out.view = acts.reshapePartial(1, 2, {perGroup, count});
    else
      out.view = acts.reshapePartial(1, 2, {count, perGroup});
    keep.assign(out.view.rank(), false);
    keep[0] = keep[groups.strided ? 2 : 1] = true;
  }
  for (unsigned d = 0; d < out.view.rank(); ++d)
    if (keep[d])
      out.kept.push_back(out.view.dim(d));
    else
      out.dims.push_back(d);
  return out;
}

// How many neighbours in memory share a key, and after how many elements the keys come again.
static std::pair<std::uint64_t, std::uint64_t> runs(const poplar::Tensor &acts, NormGroups groups,
                                                    Key key) {
  std::vector<std::int64_t> strides;
  if (!openipu::hasStrides(acts, strides))
    return {1, acts.dim(1)};
  std::uint64_t run = 1;
  std::vector<unsigned> order(acts.rank());
  for (unsigned d = 0; d < order.size(); ++d)
    order[d] = d;
  std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    return std::abs(strides[a]) < std::abs(strides[b]);
  });
  bool perGroup = key == Key::Statistic && groups.count;
  for (unsigned d : order) {
    if (acts.dim(d) == 1)
      continue;
    if (d == 1 && perGroup && !groups.strided) { // neighbouring channels of a group
      run *= acts.dim(1) / groups.count;
      return {run, groups.count};
    }
    if (d == 1 || (d == 0 && perGroup))
      return {run, acts.dim(d)};
    run *= acts.dim(d);
  }
  return {run, 1};
}

openipu::Superstep broadcastStep(const poplar::Graph &graph, const poplar::Tensor &acts,
                                 NormGroups groups, Key key, BinaryOpType op,
                                 const std::string &name, const poplar::Tensor &vector,
                                 bool temporary) {
  auto type = acts.elementType();
  auto [run, length] = runs(acts, groups, key);
  const auto &chip = openipu::chipOf(graph);
  const VectorArrival arrival(graph, vector);
  const std::uint64_t size = graph.getTarget().getTypeSize(type);
  auto cycles = [&, run = run, length = length](std::uint64_t n, std::uint32_t) {
    if (run > 1) {
      auto columns = std::min<std::uint64_t>(run, n);
      return popops::cost::vectorOuterCycles(chip, op, type, base::ceilDiv(n, columns), columns);
    }
    auto len = std::min<std::uint64_t>(length, n);
    return popops::cost::vectorInnerCycles(chip, op, type, 1, len, base::ceilDiv(n, len));
  };
  const char *kind = run > 1 ? "BroadcastVectorOuterByRow1D" : "BroadcastVectorInner1D";
  StepDetails details{temporary ? size : 0, 1, {}};
  details.arrive = [&, run = run](std::uint64_t n, openipu::TileWork &work) {
    // A stretch of memory may start and end within a run.
    arrival.bring(run > 1 ? base::ceilDiv(n, run) + 1 : n, work);
  };
  return elementStep(graph, acts, name, binaryVertex(kind, nameOf(op), type), cycles,
                     std::move(details));
}

openipu::Superstep binaryStep(const poplar::Graph &graph, const poplar::Tensor &at, BinaryOpType op,
                              const std::string &name, std::vector<unsigned> from, unsigned to) {
  auto type = at.elementType();
  const auto &chip = openipu::chipOf(graph);
  StepDetails details;
  details.tempBytes = graph.getTarget().getTypeSize(type);
  details.flops = 1;
  for (unsigned operand : from)
    details.needs.push_back({operand, to});
  return elementStep(
      graph, at, name, binaryVertex("BinaryOp1D", nameOf(op), type),
      [&](std::uint64_t n, std::uint32_t regions) {
        return popops::cost::binaryCycles(chip, op, type, n, false, regions);
      },
      details);
}

bool haveUnits(const poplar::Tensor &x, NormGroups groups) {
  std::vector<std::int64_t> strides;
  if (!openipu::hasStrides(x, strides)) { // it will be gathered
    strides.assign(x.rank(), 1);
    for (auto d = x.rank() - 1; d-- > 0;)
      strides[d] = strides[d + 1] * std::int64_t(x.dim(d + 1));
  }
  return kernels::normHasUnits(groups, x.shape(), strides);
}

} // namespace poplin::norms
