// SPDX-License-Identifier: MIT
#include "analysis/neighbours.hpp"

namespace popart::analysis {

ir::Value addNode(ir::Graph &graph, std::vector<ir::Node> &nodes, const char *type,
                  const ir::Values &inputs, const ir::Attributes &attributes,
                  const ir::Settings &settings, const std::string &name) {
  ir::Node node;
  node.def = &ops::opOf(type);
  node.inputs = inputs;
  node.attributes = attributes;
  node.settings = settings;
  const auto info = node.def->infer(ops::OpView(graph, node))[0];
  node.outputs = {graph.add({name, info, ir::Kind::Computed, {}})};
  nodes.push_back(std::move(node));
  return nodes.back().outputs[0];
}

std::optional<double> numberIn(const ir::Graph &graph, ir::Value v) {
  constexpr std::int64_t largest = 65536;
  if (v == ir::none || graph[v].kind != ir::Kind::Constant || graph[v].info.nelms() == 0 ||
      graph[v].info.nelms() > largest)
    return std::nullopt;
  const auto values = graph[v].data.doubles();
  for (double d : values)
    if (d != values.front())
      return std::nullopt;
  return values.front();
}

} // namespace popart::analysis
