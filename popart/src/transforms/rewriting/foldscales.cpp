// SPDX-License-Identifier: MIT
#include "transforms/rewriting/foldscales.hpp"

#include "analysis/fixedvalues.hpp"
#include "analysis/neighbours.hpp"
#include "op/graphbuilder.hpp"
#include <iterator>

namespace popart::transforms {

namespace {

using analysis::fixedValues;
using analysis::Neighbours;
using analysis::numberIn;
using analysis::runTogether;
using ir::Graph;
using ir::Node;
using ir::none;
using ir::Value;

struct Place {
  const Node *node;
  std::size_t input; // weights to scale
};

class Finder {
public:
  Finder(const Graph &graph, const std::set<Value> &kept)
      : graph_(graph), near_(graph, kept), fixed_(fixedValues(graph)) {}

  // The number a node multiplies with, and which input it is not.
  std::optional<std::pair<double, std::size_t>> scaleOf(const Node &node) const {
    const auto &type = node.def->type;
    if (node.pass != ir::Pass::Forward || (type != "Mul" && type != "Div" && type != "Scale") ||
        !isFloatingPoint(graph_[node.outputs[0]].info.dataType()))
      return std::nullopt;
    if (type == "Scale")
      return std::pair(double(ops::OpView(graph_, node).real("scale")), std::size_t(0));
    for (std::size_t i : {1, 0}) {
      const bool scalar = graph_[node.inputs[i]].info.nelms() == 1;
      const auto number = scalar ? numberIn(graph_, node.inputs[i]) : std::nullopt;
      const bool fits = number && graph_[node.inputs[1 - i]].info == graph_[node.outputs[0]].info;
      if (fits && (type == "Mul" || (i == 1 && *number != 0)))
        return std::pair(type == "Mul" ? *number : 1 / *number, 1 - i);
    }
    return std::nullopt;
  }

  // The MatMul whose result a node scales, and its smaller operand.
  std::optional<std::pair<const Node *, std::size_t>> smallerOperand(const Node &node,
                                                                     std::size_t in) const {
    const Value v = node.inputs[in];
    const Node *product = near_.producer(v, "MatMul");
    if (!product || near_.onlyUser(v) < 0 || !runTogether(*product, node))
      return std::nullopt;
    const auto elements = [&](std::size_t i) { return graph_[product->inputs[i]].info.nelms(); };
    const std::size_t operand = elements(1) < elements(0) ? 1 : 0;
    if (elements(operand) * 2 > graph_[v].info.nelms())
      return std::nullopt;
    return std::pair(product, operand);
  }

  // The weights to scale so that input `in` of `user` is scaled; empty if there is no way, or none
  // that is near: whoever asks in a long chain must not look at all of it every time.
  std::vector<Place> places(const Node &user, std::size_t in, unsigned steps = 0) const {
    constexpr unsigned furthest = 64;
    const Value v = user.inputs[in];
    if (fixed_[v.value])
      return {{&user, in}};
    const Node *node = steps++ < furthest ? near_.producer(v) : nullptr;
    if (!node || near_.onlyUser(v) < 0 || !runTogether(*node, user))
      return {};
    const auto &type = node->def->type;
    if (type == "Reshape" || type == "Transpose")
      return places(*node, 0, steps);
    if (const auto scale = scaleOf(*node)) // another one
      return places(*node, scale->second, steps);
    if (type == "Add") { // both sides
      auto all = places(*node, 0, steps);
      const auto right = all.empty() ? all : places(*node, 1, steps);
      all.insert(all.end(), right.begin(), right.end());
      return right.empty() ? right : all;
    }
    if (type == "MatMul") { // either side
      const auto right = places(*node, 1, steps);
      return right.empty() ? places(*node, 0, steps) : right;
    }
    if (type == "Conv" && fixed_[node->inputs[1].value]) {
      if (node->inputs.size() < 3)
        return {{node, 1}};
      if (fixed_[node->inputs[2].value])
        return {{node, 1}, {node, 2}};
    }
    return {};
  }

private:
  const Graph &graph_;
  Neighbours near_;
  std::vector<bool> fixed_;
};

} // namespace

unsigned foldScales(Graph &graph, const std::set<Value> &kept) {
  const Finder finder(graph, kept);
  std::map<std::pair<const Node *, std::size_t>, double> scales; // by node and input
  std::map<Value, Value> standsFor;
  for (const Node &node : graph.nodes) {
    const auto scale = finder.scaleOf(node);
    if (!scale || kept.count(node.outputs[0]))
      continue;
    const auto places = finder.places(node, scale->second);
    if (places.empty() || places[0].node == &node)
      continue;
    for (const Place &p : places)
      scales.try_emplace({p.node, p.input}, 1).first->second *= scale->first;
    const Value scaled = node.inputs[scale->second];
    const auto before = standsFor.find(scaled); // a chain of them ends in one step
    standsFor[node.outputs[0]] = before == standsFor.end() ? scaled : before->second;
  }
  std::vector<Node> nodes;
  ops::GraphBuilder b(graph, nodes);
  for (Node &node : graph.nodes) {
    if (!node.outputs.empty() && standsFor.count(node.outputs[0]))
      continue;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      Value &in = node.inputs[i];
      if (const auto it = standsFor.find(in); it != standsFor.end())
        in = it->second;
      if (const auto it = scales.find({&node, i}); it != scales.end()) {
        const Value factor = b.scalar(it->second, in);
        in = ops::addUnfolded(graph, nodes, "Mul", {in, factor}, {}, node.settings,
                              graph[in].name + "/scaled");
      }
    }
    nodes.push_back(std::move(node));
  }
  graph.nodes = std::move(nodes);
  return unsigned(standsFor.size());
}

unsigned moveScales(Graph &graph, const std::set<Value> &kept) {
  const Finder finder(graph, kept);
  std::map<std::size_t, std::vector<Node>> written;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node node = graph.nodes[n];
    const auto scale = finder.scaleOf(node);
    const auto found = scale ? finder.smallerOperand(node, scale->second) : std::nullopt;
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
