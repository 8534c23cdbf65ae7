// SPDX-License-Identifier: MIT
// Variables that nodes of the model itself change, for every micro-batch.
#include "base/Text.hpp"
#include "op/graphbuilder.hpp"
#include "optimizer/update.hpp"
#include <algorithm>
#include <popart/error.hpp>

namespace popart::optimizer {

using ir::Pass;
using ir::Value;

namespace {

bool writes(const ir::Node &node) { return node.def->updates >= 0 && node.pass != Pass::Update; }
bool has(const std::set<Value> &set, const ir::Values &values) {
  return std::any_of(values.begin(), values.end(), [&](Value v) { return set.count(v) != 0; });
}

// A node that waits for the last reader of its variable, with what follows from it.
struct Waiting {
  Value variable;
  std::vector<ir::Node> nodes;
  std::set<Value> made;

  void add(ir::Node node) {
    for (Value v : node.outputs)
      if (v != ir::none)
        made.insert(v);
    nodes.push_back(std::move(node));
  }
};

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
          assigned.insert(variable).second)
        b.op("CopyVarUpdate", {variable, value});
    }
  }
  graph.nodes = std::move(nodes);
}

void delayUpdates(ir::Graph &graph) {
  std::vector<unsigned> readers(graph.size(), 0);
  for (const auto &node : graph.nodes)
    if (node.pass != Pass::Update)
      for (Value v : std::set<Value>(node.inputs.begin(), node.inputs.end()))
        if (v != ir::none)
          ++readers[v.value];
  std::vector<ir::Node> out;
  std::vector<Waiting> waiting;
  const auto release = [&](Value v) {
    for (auto it = waiting.begin(); it != waiting.end();) {
      if (it->variable != v || readers[v.value]) {
        ++it;
        continue;
      }
      for (auto &node : it->nodes)
        out.push_back(std::move(node));
      it = waiting.erase(it);
    }
  };
  for (auto &node : graph.nodes) {
    const std::set<Value> used(node.inputs.begin(), node.inputs.end());
    if (node.pass != Pass::Update)
      for (Value v : used)
        if (v != ir::none)
          --readers[v.value];
    auto after = std::find_if(waiting.begin(), waiting.end(),
                              [&](const Waiting &w) { return has(w.made, node.inputs); });
    if (after != waiting.end()) {
      if (used.count(after->variable))
        throw error(base::str(ops::describe(graph, node), " uses the old and the new value of \"",
                              graph[after->variable].name, "\", which is changed in place."));
      after->add(std::move(node));
    } else {
      const bool write = writes(node);
      const Value variable =
          write ? node.inputs[static_cast<std::size_t>(node.def->updates)] : ir::none;
      if (write && readers[variable.value]) {
        waiting.push_back({variable, {}, {}});
        waiting.back().add(std::move(node));
      } else {
        out.push_back(std::move(node));
      }
    }
    for (Value v : used)
      if (v != ir::none)
        release(v);
  }
  for (auto &w : waiting)
    for (auto &node : w.nodes)
      out.push_back(std::move(node));
  graph.nodes = std::move(out);
}

} // namespace popart::optimizer
