// SPDX-License-Identifier: MIT
#include "openipu/Operation.hpp"
#include "Access.hpp"
#include "base/Text.hpp"
#include "openipu/LibraryLog.hpp"
#include "poplar/exceptions.hpp"

namespace poplar::openipu {

using namespace poplar;
using base::str;

namespace {

void checkUses(const graph::GraphView &graph, const Operation &op) {
  bool inputs = false;
  for (const auto &[tensor, use] : op.uses) {
    if (!tensor.valid())
      throw poplar_error(str(op.kernel, ": an operand is not initialised."));
    const auto &view = Access::view(tensor);
    if (view.graph && view.graph.get() != graph.state.get())
      throw poplar_error(str(op.kernel, ": ", tensor.getDebugStr(), " belongs to another graph."));
    if (use == Use::In) {
      inputs = true;
      continue;
    }
    if (inputs)
      throw poplar_error(str(op.kernel, ": outputs must be listed before inputs."));
    if (tensor::containsAliases(view))
      throw poplar_error(str(op.kernel, ": cannot write to ", tensor.getDebugStr(),
                             ", which shows one element in several places."));
    for (const auto &piece : view.pieces)
      if (graph.state->variables[piece.var.value].kind != executable::VariableKind::Ordinary)
        throw poplar_error(
            str(op.kernel, ": cannot write to ", tensor.getDebugStr(), ", a constant."));
  }
}

// Tiles of a virtual graph become tiles of the whole one; runs stay runs where they can.
void toWholeTiles(const graph::GraphView &graph, const std::string &kernel, Superstep &step) {
  for (const auto &work : step.tiles)
    if (work.tile + work.count > graph.numTiles())
      throw poplar_error(str(kernel, ": the plan of ", step.name, " uses tile ",
                             work.tile + work.count - 1, " of a graph with ", graph.numTiles(),
                             " tiles."));
  if (graph.tiles.empty())
    return;
  for (auto &crossing : step.crossings) {
    crossing.fromTile = graph.wholeTile(crossing.fromTile);
    crossing.toTile = graph.wholeTile(crossing.toTile);
  }
  std::vector<TileWork> whole;
  for (const auto &work : step.tiles)
    for (unsigned i = 0; i < work.count; ++i) {
      auto one = work;
      one.tile = graph.wholeTile(work.tile + i);
      one.count = 1;
      if (i && whole.back().tile + whole.back().count == one.tile)
        ++whole.back().count;
      else
        whole.push_back(one);
    }
  std::stable_sort(whole.begin(), whole.end(),
                   [](const auto &a, const auto &b) { return a.tile < b.tile; });
  step.tiles = std::move(whole);
}

// The busiest tile's numbers.
struct Busiest {
  std::uint64_t tiles = 0, cycles = 0, in = 0, out = 0, temp = 0;

  explicit Busiest(const Superstep &step) {
    for (const auto &work : step.tiles) {
      tiles += work.count;
      cycles = std::max(cycles, work.cycles);
      in = std::max(in, work.bytesIn);
      out = std::max(out, work.bytesOut);
      temp = std::max(temp, work.tempBytes);
    }
  }
};

// DEBUG of the library that the kernel is of: how the operation is spread over the tiles.
void logPlan(const Operation &op, const Target &target) {
  const auto &log = libraryLog(std::string_view(op.kernel).substr(0, op.kernel.find('.')));
  if (!log.enabled(base::LogLevel::Debug))
    return;
  log.debug("plan of ", op.kernel, " \"", op.context.getPathName(), "\": ", "supersteps ",
            op.plan.steps.size(), ", estimated cycles ",
            base::thousands(cyclesOf(op.plan, target)));
  for (const auto &step : op.plan.steps) {
    const Busiest most(step);
    log.debug("  ", step.name.empty() ? "compute" : step.name,
              step.repeats > 1 ? str(" x ", step.repeats) : "",
              step.vertex.empty() ? "" : " (" + step.vertex + ")", ": ", "tiles ", most.tiles,
              "; at most ", base::thousands(most.cycles), " cycles, ", base::thousands(most.in),
              " B in, ", base::thousands(most.out), " B out, ", base::thousands(most.temp),
              " B temporary per tile");
  }
}

program::Node nodeOf(const graph::GraphView &graph, Operation op) {
  checkUses(graph, op);
  for (auto &step : op.plan.steps)
    toWholeTiles(graph, op.kernel, step);
  if (librariesLog(base::LogLevel::Debug))
    logPlan(op, graph.state->target);
  executable::steps::Kernel<Tree> kernel;
  kernel.name = std::move(op.kernel);
  kernel.attributes = std::move(op.attributes);
  for (auto &[tensor, use] : op.uses)
    if (use == Use::In)
      kernel.inputs.push_back(tensor);
    else
      kernel.outputs.push_back({tensor, use == Use::InOut});
  kernel.plan = std::make_shared<const Plan>(std::move(op.plan));
  return program::nodeOf(std::move(kernel), op.context);
}

} // namespace

program::Program operation(const Graph &graph, Operation operation) {
  return Access::program(nodeOf(Access::graph(graph), std::move(operation)));
}

void addOperation(Graph &graph, ComputeSet computeSet, Operation operation) {
  auto &view = Access::graph(graph);
  auto id = computeSet.getId();
  if (id >= view.state->computeSets.size() || !Access::isOwn(*view.state, computeSet))
    throw poplar_error(str(operation.kernel, ": the compute set does not belong to this graph."));
  view.state->operations[id].push_back(Access::program(nodeOf(view, std::move(operation))));
}

} // namespace poplar::openipu
