// SPDX-License-Identifier: MIT
#include "transforms/rewriting/movescales.hpp"

#include "analysis/neighbours.hpp"
#include "analysis/scales.hpp"
#include "opdef/graphbuilder.hpp"
#include <iterator>
#include <map>

namespace popart::transforms {

using analysis::Neighbours;
using analysis::runTogether;
using ir::Graph;
using ir::Node;
using ir::Value;

// The MatMul whose result a node scales, and its smaller operand.
static std::optional<std::pair<const Node *, std::size_t>>
smallerOperand(const Graph &graph, const Neighbours &near, const Node &node, std::size_t in) {
  const Value v = node.inputs[in];
  const Node *product = near.producer(v, "MatMul");
  if (!product || near.onlyUser(v) < 0 || !runTogether(*product, node))
    return std::nullopt;
  const auto elements = [&](std::size_t i) { return graph[product->inputs[i]].info.nelms(); };
  const std::size_t operand = elements(1) < elements(0) ? 1 : 0;
  if (elements(operand) * 2 > graph[v].info.nelms())
    return std::nullopt;
  return std::pair(product, operand);
}

unsigned moveScales(Graph &graph, const std::set<Value> &kept) {
  const Neighbours near(graph, kept);
  std::map<std::size_t, std::vector<Node>> written;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node node = graph.nodes[n];
    const auto scale = analysis::scaleOf(graph, node);
    const auto found = scale ? smallerOperand(graph, near, node, scale->second) : std::nullopt;
    if (!found)
      continue;
    const auto &[product, operand] = *found;
    auto &made = written[n];
    ops::GraphBuilder b(graph, made);
    b.settings = product->settings;
    b.prefix = graph[node.outputs[0]].name + "/";
    ir::Values inputs = product->inputs;
    inputs[operand] = b.mul(inputs[operand], scale->first);
    b.op("MatMul", inputs, product->attributes);
    made.back().outputs = node.outputs;
  }
  std::vector<Node> nodes;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (const auto it = written.find(n); it != written.end())
      std::move(it->second.begin(), it->second.end(), std::back_inserter(nodes));
    else
      nodes.push_back(std::move(graph.nodes[n]));
  graph.nodes = std::move(nodes);
  return unsigned(written.size());
}

} // namespace popart::transforms
