// SPDX-License-Identifier: MIT
#include "transforms/placing/spreadvariables.hpp"

#include "analysis/homes.hpp"

namespace popart::transforms {

using ir::Graph;
using ir::none;
using ir::Value;

std::map<Value, Value> spreadVariables(Graph &graph, const std::set<Value> &variables) {
  const auto home = analysis::homes(graph);
  std::map<std::pair<Value, std::int64_t>, Value> own;
  std::map<Value, Value> out;
  for (auto &node : graph.nodes)
    for (auto &in : node.inputs) {
      const auto here = node.settings.virtualGraph.value_or(0);
      if (in == none || !variables.count(in) || home[in.value] == here)
        continue;
      const auto [at, fresh] = own.try_emplace({in, here}, none);
      if (fresh) {
        at->second = graph.addVariable(graph[in].name + "_c" + std::to_string(here), graph[in].data,
                                       graph[in].role);
        out[at->second] = in;
      }
      in = at->second;
    }
  return out;
}

} // namespace popart::transforms
