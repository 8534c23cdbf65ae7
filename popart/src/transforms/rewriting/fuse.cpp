// SPDX-License-Identifier: MIT
#include "transforms/rewriting/fuse.hpp"

#include "analysis/neighbours.hpp"
#include "opdef/graphbuilder.hpp"
#include <algorithm>

namespace popart::transforms {

using analysis::runTogether;
using ir::Graph;
using ir::Node;
using ir::none;
using ir::Value;
using ir::Values;
namespace pe = popops::expr;

namespace {

constexpr std::size_t maxInputs = 20, maxNodes = 40;
// Expressions are trees: a value used twice is written twice. They stay small enough to compile.
constexpr double maxOperators = 400;

bool isNumber(const ir::ValueData &v) { return v.info.nelms() == 1; }

bool broadcastsTo(const Shape &from, const Shape &to) {
  if (from.size() > to.size())
    return false;
  const auto missing = to.size() - from.size();
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] != 1 && from[i] != to[i + missing])
      return false;
  return true;
}

bool isCandidate(const Graph &graph, const Node &node) {
  if (!node.def->expr || node.def->lower || node.def->random || node.def->sideEffect ||
      node.outputs.size() != 1 || node.inputs.empty())
    return false;
  const auto &out = graph[node.outputs[0]];
  return out.info.nelms() != 0 && std::all_of(node.inputs.begin(), node.inputs.end(), [&](Value v) {
           return v == none || isNumber(graph[v]) ||
                  broadcastsTo(graph[v].info.shape(), out.info.shape());
         });
}

// Operators of an expression, and how often it uses each place holder.
void measure(const pe::Expr &e, double &operators, std::vector<double> &uses) {
  if (auto *p = e.getAs<pe::PlaceHolder>())
    ++uses[p->getIndex() - 1];
  else
    ++operators;
  if (auto *c = e.getAs<pe::Cast>())
    measure(c->getLHS(), operators, uses);
  else if (auto *u = e.getAs<pe::UnaryOp>())
    measure(u->getArg(), operators, uses);
  else if (auto *b = e.getAs<pe::BinaryOp>()) {
    measure(b->getLHS(), operators, uses);
    measure(b->getRHS(), operators, uses);
  } else if (auto *t = e.getAs<pe::TernaryOp>())
    for (const auto *arg : {&t->getArg0(), &t->getArg1(), &t->getArg2()})
      measure(*arg, operators, uses);
}

// Nodes of one future node, by index in running order; the last one makes the output.
struct Group {
  std::vector<std::size_t> nodes;
};

class Fusion {
public:
  Fusion(Graph &graph, const std::set<Value> &kept)
      : graph_(graph), links_(graph), kept_(kept), groupOf_(graph.nodes.size(), -1) {
    kept_.insert(graph.outputs.begin(), graph.outputs.end());
    std::size_t updates = 0;
    for (const Node &node : graph.nodes) {
      updates += node.def->updates >= 0;
      segment_.push_back(updates);
    }
  }

  void run() {
    for (std::size_t n = graph_.nodes.size(); n-- > 0;)
      if (isCandidate(graph_, graph_.nodes[n]))
        place(n);
    rewrite();
  }

private:
  // Into the group of its users, or a group of its own.
  void place(std::size_t n) {
    const int target = groupOfUsers(n);
    if (target >= 0) {
      auto &nodes = groups_[std::size_t(target)].nodes;
      nodes.insert(nodes.begin(), n);
      groupOf_[n] = target;
      if (nodes.size() <= maxNodes && inputsOf(nodes, maxInputs + 1).size() <= maxInputs &&
          operatorsOf(nodes) <= maxOperators)
        return;
      nodes.erase(nodes.begin());
    }
    groupOf_[n] = int(groups_.size());
    groups_.push_back({{n}});
  }

  int groupOfUsers(std::size_t n) const {
    const Node &node = graph_.nodes[n];
    const Value out = node.outputs[0];
    if (out == none || kept_.count(out) || links_.consumers[out.value].empty())
      return -1;
    int group = -1;
    for (unsigned user : links_.consumers[out.value]) {
      const int other = groupOf_[user];
      if (other < 0 || (group >= 0 && other != group))
        return -1;
      group = other;
    }
    const std::size_t last = groups_[std::size_t(group)].nodes.back();
    const Node &root = graph_.nodes[last];
    const bool fits = runTogether(node, root) && segment_[n] == segment_[last] &&
                      graph_[out].info.shape() == graph_[root.outputs[0]].info.shape();
    return fits ? group : -1;
  }

  bool makes(const std::vector<std::size_t> &nodes, Value v) const {
    const int producer = links_.producer[v.value];
    return producer >= 0 &&
           std::find(nodes.begin(), nodes.end(), std::size_t(producer)) != nodes.end();
  }
  // What a group reads from outside; numbers known now are part of the expression. A sum may have
  // thousands: who only asks whether there are too many wants no more than `enough`.
  Values inputsOf(const std::vector<std::size_t> &nodes, std::size_t enough = SIZE_MAX) const {
    Values inputs;
    for (std::size_t n : nodes)
      for (Value v : graph_.nodes[n].inputs) {
        if (v == none || isConstant(v) || makes(nodes, v) ||
            std::find(inputs.begin(), inputs.end(), v) != inputs.end())
          continue;
        inputs.push_back(v);
        if (inputs.size() == enough)
          return inputs;
      }
    return inputs;
  }
  bool isConstant(Value v) const {
    return graph_[v].kind == ir::Kind::Constant && isNumber(graph_[v]);
  }

  // Size of the whole expression, with values used several times written out.
  double operatorsOf(const std::vector<std::size_t> &nodes) const {
    std::map<Value, double> size;
    double last = 0;
    for (std::size_t n : nodes) {
      const Node &node = graph_.nodes[n];
      ops::Exprs placeHolders;
      for (unsigned i = 0; i < node.inputs.size(); ++i)
        placeHolders.push_back(pe::PlaceHolder(i + 1));
      std::vector<double> uses(node.inputs.size(), 0);
      last = 0;
      const ops::Expr expr = node.def->expr(ops::OpView(graph_, node), placeHolders);
      measure(expr, last, uses);
      for (std::size_t i = 0; i < uses.size(); ++i)
        if (auto it = size.find(node.inputs[i]); it != size.end())
          last += uses[i] * it->second;
      size[node.outputs[0]] = last;
    }
    return last;
  }

  void rewrite() {
    std::vector<Node> nodes;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Group *group = groupOf_[n] < 0 ? nullptr : &groups_[std::size_t(groupOf_[n])];
      if (!group || group->nodes.size() == 1)
        nodes.push_back(std::move(graph_.nodes[n]));
      else if (group->nodes.back() == n)
        nodes.push_back(fused(group->nodes));
    }
    graph_.nodes = std::move(nodes);
  }

  Node fused(const std::vector<std::size_t> &members) const {
    const Node &root = graph_.nodes[members.back()];
    Node node;
    node.def = &ops::opOf("FusedElementwise");
    node.inputs = inputsOf(members);
    if (node.inputs.empty()) // numbers only: one of them is the tensor that the expression is of
      node.inputs = {graph_.nodes[members.front()].inputs.front()};
    node.outputs = root.outputs;
    node.settings = root.settings;
    node.pass = root.pass;
    node.bodies = {bodyOf(members, node.inputs)};
    return node;
  }

  std::shared_ptr<const Graph> bodyOf(const std::vector<std::size_t> &members,
                                      const Values &inputs) const {
    auto body = std::make_shared<Graph>();
    body->name = "fused";
    std::map<Value, Value> inner{{none, none}};
    const auto copied = [&](Value v, ir::Kind kind) {
      const auto &from = graph_[v];
      return inner[v] = body->add({from.name, from.info, kind,
                                   kind == ir::Kind::Constant ? from.data : ir::HostTensor()});
    };
    for (Value v : inputs)
      body->inputs.push_back(copied(v, ir::Kind::Computed));
    for (std::size_t n : members) {
      Node node = graph_.nodes[n];
      for (Value &v : node.inputs)
        v = inner.count(v) ? inner[v] : copied(v, ir::Kind::Constant);
      node.outputs[0] = copied(node.outputs[0], ir::Kind::Computed);
      body->nodes.push_back(std::move(node));
    }
    body->outputs = {body->nodes.back().outputs[0]};
    return body;
  }

  Graph &graph_;
  const ir::Links links_;
  std::set<Value> kept_;
  std::vector<std::size_t> segment_; // updates before a node: what it reads may show a variable
  std::vector<int> groupOf_;         // of every node; -1: not element-wise
  std::vector<Group> groups_;
};

void fuseBodies(Graph &graph) {
  for (Node &node : graph.nodes)
    for (auto &body : node.bodies) {
      if (node.def->fused) // by an earlier run of this pass
        continue;
      auto copy = std::make_shared<Graph>(*body);
      fuse(*copy, {});
      body = std::move(copy);
    }
}

} // namespace

void fuse(Graph &graph, const std::set<Value> &kept) {
  fuseBodies(graph); // of loops and calls
  Fusion(graph, kept).run();
}

} // namespace popart::transforms
