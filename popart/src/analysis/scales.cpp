// SPDX-License-Identifier: MIT
#include "analysis/scales.hpp"

#include "analysis/neighbours.hpp"

namespace popart::analysis {

// The three ways to write a factor, which differ in where the number stands.
std::optional<std::pair<double, std::size_t>> scaleOf(const ir::Graph &graph,
                                                      const ir::Node &node) {
  const auto &type = node.def->type;
  if (node.pass != ir::Pass::Forward || (type != "Mul" && type != "Div" && type != "Scale") ||
      !isFloatingPoint(graph[node.outputs[0]].info.dataType()))
    return std::nullopt;
  if (type == "Scale")
    return std::pair(double(ops::OpView(graph, node).real("scale")), std::size_t(0));
  for (std::size_t i : {1, 0}) {
    const bool scalar = graph[node.inputs[i]].info.nelms() == 1;
    const auto number = scalar ? numberIn(graph, node.inputs[i]) : std::nullopt;
    const bool fits = number && graph[node.inputs[1 - i]].info == graph[node.outputs[0]].info;
    if (fits && (type == "Mul" || (i == 1 && *number != 0)))
      return std::pair(type == "Mul" ? *number : 1 / *number, 1 - i);
  }
  return std::nullopt;
}

} // namespace popart::analysis
