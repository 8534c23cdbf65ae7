// SPDX-License-Identifier: MIT
// Operators are named: the formulas are written with these.
#include "transforms/rewriting/joinnormalisations.hpp"

#include "analysis/neighbours.hpp"
#include "opdef/graphbuilder.hpp"
#include <algorithm>

namespace popart::transforms {

namespace {

using analysis::numberIn;
using ir::Graph;
using ir::Node;
using ir::none;
using ir::Value;
using ops::OpView;

struct Affine {
  std::size_t last; // the node whose output is the result
  Value scale = none, bias = none;
};

struct Norm {
  Affine affine;
  Value x;
  float epsilon;
  std::int64_t groups = 0; // 0: layer norm
  std::int64_t axis = 0;   // of a layer norm
};

class Finder {
public:
  explicit Finder(const Graph &graph) : graph_(graph), links_(graph) {}

  // A formula, recognised by the operators that it is written with: they are named.
  std::optional<Norm> at(std::size_t n) const {
    const Node &node = graph_.nodes[n];
    if (node.pass != ir::Pass::Forward)
      return std::nullopt;
    if (node.def->type == "Div")
      return layerNorm(n);
    if (node.def->type == "Reshape")
      return groupNorm(n);
    return std::nullopt;
  }

private:
  const Node *producer(Value v, const char *type) const {
    const int n = v == none ? -1 : links_.producer[v.value];
    if (n < 0 || graph_.nodes[std::size_t(n)].def->type != type)
      return nullptr;
    return &graph_.nodes[std::size_t(n)];
  }
  std::optional<double> number(Value v) const { return numberIn(graph_, v); }

  // The first of the axes if they are the last dimensions, kept as ones; -1 otherwise.
  std::int64_t trailingAxis(const Node &mean) const {
    const OpView op(graph_, mean);
    const auto rank = op.in(0).rank();
    if (!op.has("axes") || op.integer("keepdims", 1) == 0)
      return -1;
    const auto axes = op.axes("axes", rank);
    return !axes.empty() && axes.back() == rank - 1 &&
                   axes.front() == rank - std::int64_t(axes.size())
               ? axes.front()
               : -1;
  }
  // mean(d^2) along the same axes.
  bool isVariance(Value v, Value d, std::int64_t axis) const {
    const Node *mean = producer(v, "ReduceMean");
    if (!mean || trailingAxis(*mean) != axis)
      return false;
    if (const Node *pow = producer(mean->inputs[0], "Pow"))
      return pow->inputs[0] == d && number(pow->inputs[1]) == 2.0;
    const Node *mul = producer(mean->inputs[0], "Mul");
    return mul && mul->inputs[0] == d && mul->inputs[1] == d;
  }

  std::optional<Norm> layerNorm(std::size_t n) const {
    const Node &div = graph_.nodes[n];
    const Value d = div.inputs[0];
    const Node *sub = producer(d, "Sub"), *sqrt = producer(div.inputs[1], "Sqrt");
    const Node *add = sqrt ? producer(sqrt->inputs[0], "Add") : nullptr;
    const Node *mean = sub ? producer(sub->inputs[1], "ReduceMean") : nullptr;
    if (!add || !mean || mean->inputs[0] != sub->inputs[0])
      return std::nullopt;
    const auto axis = trailingAxis(*mean);
    const bool swapped = number(add->inputs[0]).has_value();
    const auto epsilon = number(add->inputs[swapped ? 0 : 1]);
    if (axis < 0 || !epsilon || graph_[add->inputs[swapped ? 0 : 1]].info.nelms() != 1 ||
        !isVariance(add->inputs[swapped ? 1 : 0], d, axis))
      return std::nullopt;
    const Shape whole = graph_[d].info.shape();
    const Shape parameters(whole.begin() + axis, whole.end());
    return Norm{affine(n, [&](const Shape &s) { return s == parameters; }), sub->inputs[0],
                float(*epsilon), 0, axis};
  }

  std::optional<Norm> groupNorm(std::size_t n) const {
    const Node *norm = producer(graph_.nodes[n].inputs[0], "GroupNormalization");
    const Node *reshape = norm ? producer(norm->inputs[0], "Reshape") : nullptr;
    if (!reshape || norm->outputs[0] != graph_.nodes[n].inputs[0])
      return std::nullopt;
    const Shape rows = graph_[norm->inputs[0]].info.shape();
    const Shape whole = graph_[reshape->inputs[0]].info.shape();
    const auto groups = OpView(graph_, *norm).integer("num_groups");
    if (whole.size() < 3 || graph_[graph_.nodes[n].outputs[0]].info.shape() != whole ||
        rows.size() < 3 || rows[0] != whole[0] || rows[1] != groups || whole[1] % groups ||
        number(norm->inputs[1]) != 1.0 || number(norm->inputs[2]) != 0.0)
      return std::nullopt;
    Shape channels(whole.size() - 1, 1);
    channels[0] = whole[1];
    Shape withBatch = channels;
    withBatch.insert(withBatch.begin(), 1);
    const auto fits = [&](const Shape &s) { return s == channels || s == withBatch; };
    return Norm{affine(n, fits), reshape->inputs[0], OpView(graph_, *norm).real("epsilon", 1e-5f),
                groups, 0};
  }

  // A product with parameters and a sum, if they are all that the normalised value is used for.
  template <class Fits> Affine affine(std::size_t n, Fits &&fits) const {
    Affine out{n, none, none};
    out.scale = take(out, "Mul", fits);
    out.bias = take(out, "Add", fits);
    return out;
  }
  template <class Fits> Value take(Affine &at, const char *type, Fits &&fits) const {
    const Value v = graph_.nodes[at.last].outputs[0];
    const auto &users = links_.consumers[v.value];
    if (users.size() != 1 || graph_.nodes[users[0]].def->type != type ||
        graph_.nodes[users[0]].inputs.size() != 2 || isOutput(v))
      return none;
    const auto &inputs = graph_.nodes[users[0]].inputs;
    const Value other = inputs[0] == v ? inputs[1] : inputs[0];
    if (other == v || !fits(graph_[other].info.shape()))
      return none;
    at.last = users[0];
    return other;
  }
  bool isOutput(Value v) const {
    return std::find(graph_.outputs.begin(), graph_.outputs.end(), v) != graph_.outputs.end();
  }

  const Graph &graph_;
  ir::Links links_;
};

// Writes the operator in place of the last node of the chain, whose output it computes.
void replace(Graph &graph, const Norm &norm, const Node &last, std::vector<Node> &nodes) {
  ops::GraphBuilder b(graph, nodes);
  b.settings = last.settings;
  b.pass = last.pass;
  b.prefix = graph[last.outputs[0]].name + "/";
  const Shape whole = b.shape(norm.x);
  const auto split = whole.begin() + (norm.groups ? 1 : norm.axis);
  const auto rows = ir::elementsOf(Shape(whole.begin(), split));
  const auto channels = norm.groups ? whole[1] : ir::elementsOf(Shape(split, whole.end()));
  auto parameter = [&](Value v, double otherwise) {
    return v == none ? b.expand(b.scalar(otherwise, norm.x), {channels}) : b.reshape(v, {channels});
  };
  const Value x = norm.groups ? norm.x : b.reshape(norm.x, {rows, channels});
  const auto made = b.ops("GroupNormalization",
                          {x, parameter(norm.affine.scale, 1), parameter(norm.affine.bias, 0)}, 3,
                          {{"num_groups", std::max<std::int64_t>(norm.groups, 1)},
                           {"epsilon", norm.epsilon},
                           {"contiguous_groups", std::int64_t(1)}});
  const Value y = b.reshape(made[0], whole);
  for (auto &node : nodes)
    for (Value &out : node.outputs)
      if (out == y)
        out = last.outputs[0];
}

} // namespace

unsigned joinNormalisations(Graph &graph) {
  std::map<std::size_t, Norm> found;
  const Finder finder(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (const auto norm = finder.at(n))
      found.emplace(norm->affine.last, *norm);
  if (found.empty())
    return 0;
  std::vector<Node> nodes;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const auto it = found.find(n);
    if (it == found.end()) {
      nodes.push_back(graph.nodes[n]);
      continue;
    }
    std::vector<Node> made;
    replace(graph, it->second, graph.nodes[n], made);
    nodes.insert(nodes.end(), made.begin(), made.end());
  }
  graph.nodes = std::move(nodes);
  return unsigned(found.size());
}

} // namespace popart::transforms
