// SPDX-License-Identifier: MIT
#include "optimizer/delayupdates.hpp"

#include "base/Text.hpp"
#include "op/opdef.hpp"
#include <algorithm>
#include <popart/error.hpp>
#include <set>

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

} // namespace

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
