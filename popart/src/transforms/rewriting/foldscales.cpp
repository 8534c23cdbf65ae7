// SPDX-License-Identifier: MIT
// Operators are named: these are the ones through which a factor may go, each in its own way.
#include "transforms/rewriting/foldscales.hpp"

#include "analysis/fixedvalues.hpp"
#include "analysis/neighbours.hpp"
#include "analysis/scales.hpp"
#include "opdef/graphbuilder.hpp"
#include <map>

namespace popart::transforms {

namespace {

using analysis::fixedValues;
using analysis::Neighbours;
using analysis::runTogether;
using analysis::scaleOf;
using ir::Graph;
using ir::Node;
using ir::Value;

struct Spot {
  const Node *node;
  std::size_t input; // weights to scale
};

class Finder {
public:
  Finder(const Graph &graph, const std::set<Value> &kept)
      : graph_(graph), near_(graph, kept), fixed_(fixedValues(graph)) {}

  // Operators are named: how a factor passes through each is its own arithmetic.
  // The weights to scale so that input `in` of `user` is scaled; empty if there is no way, or none
  // that is near: whoever asks in a long chain must not look at all of it every time.
  std::vector<Spot> places(const Node &user, std::size_t in, unsigned steps = 0) const {
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
    if (const auto scale = scaleOf(graph_, *node)) // another one
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
    const auto scale = scaleOf(graph, node);
    if (!scale || kept.count(node.outputs[0]))
      continue;
    const auto places = finder.places(node, scale->second);
    if (places.empty() || places[0].node == &node)
      continue;
    for (const Spot &p : places)
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

} // namespace popart::transforms
