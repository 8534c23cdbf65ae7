// SPDX-License-Identifier: MIT
#include "transforms/placing/insertipucopies.hpp"

#include "analysis/homes.hpp"
#include "opdef/graphbuilder.hpp"
#include <tuple>

namespace popart::transforms {

using ir::Graph;
using ir::Kind;
using ir::Node;
using ir::none;
using ir::Value;

void insertIpuCopies(Graph &graph, bool updatesOnly) {
  auto home = analysis::homes(graph);
  std::vector<Node> nodes;
  ops::GraphBuilder b(graph, nodes);
  std::map<std::tuple<Value, std::int64_t, bool>, Value> copies; // value, IPU, once per update
  for (auto &node : graph.nodes) {
    const auto here = node.settings.virtualGraph.value_or(0);
    for (auto &in : node.inputs) {
      if (in == none || home[in.value] == here || (updatesOnly && node.pass != ir::Pass::Update))
        continue;
      const auto [at, fresh] = copies.try_emplace({in, here, node.pass == ir::Pass::Update}, none);
      Value &copy = at->second;
      if (fresh) {
        if (graph[in].kind == Kind::Constant)
          copy = graph.addConstant(graph[in].name, graph[in].data);
        else {
          b.settings = node.settings;
          b.settings.name = "ipuCopy/" + graph[in].name;
          b.pass = node.pass;
          b.prefix = graph[in].name + "_c" + std::to_string(here) + "/";
          copy = b.op("IpuCopy", {in}, {{"source", home[in.value]}, {"destination", here}});
        }
        home.resize(graph.size(), here);
      }
      in = copy;
    }
    nodes.push_back(std::move(node));
  }
  graph.nodes = std::move(nodes);
}

} // namespace popart::transforms
