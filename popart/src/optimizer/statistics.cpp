// SPDX-License-Identifier: MIT
#include "optimizer/statistics.hpp"

#include "opdef/graphbuilder.hpp"

namespace popart::optimizer {

using ir::Value;

namespace {

std::set<Value> assignedIn(const ir::Graph &graph) {
  std::set<Value> out;
  for (const auto &node : graph.nodes)
    if (node.def->updates >= 0)
      out.insert(node.inputs[static_cast<std::size_t>(node.def->updates)]);
  return out;
}

// BatchNormalization reads running mean and variance as inputs 3 and 4; outputs 1 and 2 are new.
constexpr std::size_t firstStatistic = 3, firstNew = 1;

} // namespace

std::set<Value> runningStatistics(const ir::Graph &graph) {
  const auto assigned = assignedIn(graph);
  std::set<Value> out;
  for (const auto &node : graph.nodes)
    if (node.def->type == "BatchNormalization")
      for (std::size_t i = firstStatistic; i < firstStatistic + 2 && i < node.inputs.size(); ++i)
        if (assigned.count(node.inputs[i]))
          out.insert(node.inputs[i]);
  return out;
}

void keepRunningStatistics(ir::Graph &graph) {
  auto assigned = assignedIn(graph);
  std::vector<ir::Node> nodes;
  ops::GraphBuilder b(graph, nodes);
  for (auto &node : graph.nodes) {
    const ir::Values in = node.inputs, out = node.outputs;
    const bool keeps = node.def->type == "BatchNormalization" && out.size() > 2;
    b.settings = node.settings;
    b.pass = node.pass;
    nodes.push_back(std::move(node));
    for (std::size_t i = 0; i < 2 && keeps; ++i) {
      const Value variable = in[firstStatistic + i], value = out[firstNew + i];
      if (value != ir::none && graph[variable].kind == ir::Kind::Variable &&
          assigned.insert(variable).second) {
        graph[variable].role = ir::Role::Fixed;
        b.op("CopyVarUpdate", {variable, value});
      }
    }
  }
  graph.nodes = std::move(nodes);
}

} // namespace popart::optimizer
