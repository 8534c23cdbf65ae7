// SPDX-License-Identifier: MIT
// Operators are named where the rule is of these alone; that a function never decreases is a fact
// of its operator.
#include "transforms/rewriting/movebehindpools.hpp"

#include "analysis/neighbours.hpp"
#include "opdef/graphbuilder.hpp"
#include <algorithm>

namespace popart::transforms {

namespace {

using analysis::Neighbours;
using analysis::runTogether;
using ir::Graph;
using ir::Node;
using ir::Value;
using ops::GraphBuilder;
using ops::OpView;

bool isMonotone(const Graph &graph, const Node &node) {
  return node.def->monotone && node.def->monotone(OpView(graph, node));
}

// One value per channel: [C, 1, 1] or with a batch dimension of one.
bool isPerChannel(const Shape &s, const Shape &whole) {
  const auto rank = whole.size();
  if (s.size() + 1 < rank || s.size() > rank || (s.size() == rank && s[0] != 1))
    return false;
  const auto channel = s.size() == rank ? 1u : 0u;
  return s[channel] == whole[1] &&
         std::all_of(s.begin() + channel + 1, s.end(), [](auto d) { return d == 1; });
}

class Mover {
public:
  Mover(Graph &graph, const std::set<Value> &kept) : graph_(graph), near_(graph, kept) {}

  unsigned run() {
    std::vector<bool> gone(graph_.nodes.size(), false);
    std::map<std::size_t, std::vector<Node>> written;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const auto moved = chain(graph_.nodes[n]);
      if (moved.empty())
        continue;
      write(moved, graph_.nodes[n], written[n]);
      moved_ += unsigned(moved.size());
    }
    std::vector<Node> nodes;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const auto it = written.find(n);
      if (it == written.end())
        nodes.push_back(std::move(graph_.nodes[n]));
      else
        std::move(it->second.begin(), it->second.end(), std::back_inserter(nodes));
    }
    graph_.nodes = std::move(nodes);
    return moved_;
  }

private:
  // What can move, nearest to the pool first. The pool, and the operators that a bias can stand in,
  // are named: what comes of them is written with the very same.
  std::vector<const Node *> chain(const Node &pool) const {
    std::vector<const Node *> out;
    const OpView op(graph_, pool);
    if (pool.def->type != "MaxPool" || pool.pass != ir::Pass::Forward || op.hasOut(1) ||
        !isFloatingPoint(op.in(0).type()) || op.out(0).elements() >= op.in(0).elements())
      return out;
    for (Value v = pool.inputs[0]; near_.onlyUser(v) >= 0; v = out.back()->inputs[0]) {
      const Node *node = near_.producer(v);
      if (!node || !runTogether(*node, pool))
        break;
      const bool conv = node->def->type == "Conv" && node->inputs.size() > 2;
      if (!conv && !isMonotone(graph_, *node) && !isBias(*node))
        break;
      out.push_back(node);
      if (conv)
        break;
    }
    return out;
  }
  bool isBias(const Node &node) const {
    return node.def->type == "Add" && graph_[node.inputs[0]].info == graph_[node.outputs[0]].info &&
           isPerChannel(graph_[node.inputs[1]].info.shape(), graph_[node.outputs[0]].info.shape());
  }

  void write(const std::vector<const Node *> &moved, const Node &pool, std::vector<Node> &made) {
    GraphBuilder b(graph_, made);
    b.prefix = graph_[pool.outputs[0]].name + "/";
    const Node &first = *moved.back();
    const bool conv = first.def->type == "Conv";
    Value x = first.inputs[0];
    b.settings = first.settings;
    if (conv)
      x = b.op("Conv", {first.inputs[0], first.inputs[1]}, first.attributes);
    b.settings = pool.settings;
    x = b.op("MaxPool", {x}, pool.attributes);
    for (auto it = moved.rbegin(); it != moved.rend(); ++it) {
      const Node &node = **it;
      b.settings = node.settings;
      if (node.def->type == "Conv") {
        Shape channels(b.shape(x).size() - 1, 1);
        channels[0] = b.shape(x)[1];
        x = b.add(x, b.reshape(node.inputs[2], channels));
        continue;
      }
      ir::Node copy = node;
      copy.inputs[0] = x;
      x = b.append(copy, 1)[0];
    }
    made.back().outputs[0] = pool.outputs[0];
  }

  Graph &graph_;
  Neighbours near_;
  unsigned moved_ = 0;
};

} // namespace

unsigned moveBehindPools(Graph &graph, const std::set<Value> &kept) {
  return Mover(graph, kept).run();
}

} // namespace popart::transforms
