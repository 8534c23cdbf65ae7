// SPDX-License-Identifier: MIT
// Collectives as operations: kernels/Collective.cpp computes them, RingPlan.cpp prices them.
#include "Exchange.hpp"

namespace gcl {

namespace {

poplar::program::Program toProgram(const poplar::Graph &graph, const char *kernel,
                                   const Collective &what, const std::vector<poplar::Tensor> &to,
                                   const std::vector<poplar::Tensor> &from, openipu::Plan plan,
                                   const poplar::DebugContext &context) {
  std::vector<openipu::Used> uses;
  for (const auto &t : to)
    uses.push_back(from.empty() ? openipu::inOut(t) : openipu::out(t));
  for (const auto &t : from)
    uses.push_back(openipu::in(t));
  const kernels::Request request{what.kind, what.op, what.group};
  return openipu::operation(graph,
                            {kernel, std::move(uses), request.write(), std::move(plan), context});
}

} // namespace

poplar::program::Program crossReplica(const poplar::Graph &graph, const Collective &what,
                                      const std::vector<poplar::Tensor> &to,
                                      const std::vector<poplar::Tensor> &from,
                                      const poplar::DebugContext &context) {
  const auto &whole = what.kind == Kind::AllGather || from.empty() ? to : from;
  auto plan =
      ringPlan(graph, what, whole, what.group.size, graph.getReplicationFactor() / what.group.size);
  return toProgram(graph, kernels::across, what, to, from, std::move(plan), context);
}

poplar::program::Program withinReplica(const poplar::Graph &graph, const Collective &what,
                                       const std::vector<poplar::Tensor> &to,
                                       const std::vector<poplar::Tensor> &from,
                                       const poplar::DebugContext &context) {
  // One row is the tensor that goes round.
  const auto &rows = what.kind == Kind::ReduceScatter ? from[0] : to[0];
  auto ipus = unsigned(rows.dim(0));
  auto plan = ringPlan(graph, what, {rows}, ipus, graph.getReplicationFactor());
  for (auto &step : plan.steps)
    step.ring.bytes /= ipus;
  return toProgram(graph, kernels::within, what, to, from, std::move(plan), context);
}

} // namespace gcl
