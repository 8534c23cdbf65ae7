// SPDX-License-Identifier: MIT
#include "openipu/Operation.hpp"
#include "Access.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"

namespace openipu {

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

program::Node nodeOf(const graph::GraphView &graph, Operation op) {
  checkUses(graph, op);
  for (auto &step : op.plan.steps)
    toWholeTiles(graph, op.kernel, step);
  program::Node node;
  node.kind = executable::StepKind::Kernel;
  node.name = op.context.getPathName();
  node.debugId = op.context.getParentId();
  node.text = std::move(op.kernel);
  for (auto &[tensor, use] : op.uses) {
    node.operands.push_back(tensor);
    if (use != Use::In)
      node.cases.push_back(use == Use::InOut);
  }
  node.count = node.cases.size();
  node.attributes = std::move(op.attributes);
  node.plan = std::make_shared<const Plan>(std::move(op.plan));
  return node;
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

} // namespace openipu
