// SPDX-License-Identifier: MIT
// Operators are named: the formula is written with these.
#include "transforms/rewriting/joingelus.hpp"

#include "analysis/neighbours.hpp"
#include <cmath>

namespace popart::transforms {

namespace {

using analysis::Neighbours;
using analysis::numberIn;
using ir::Graph;
using ir::Node;
using ir::none;
using ir::Value;

bool isClose(double a, double b) { return std::abs(a - b) <= 1e-3 * std::abs(b); }

// A product taken apart: one number, and values.
struct Factors {
  double number = 1;
  std::vector<Value> values;
};

class Finder {
public:
  explicit Finder(const Graph &graph) : graph_(graph), near_(graph) {}

  // A formula, recognised by the operators that it is written with: they are named.
  // The operator that a node is the last step of, and what it is of.
  std::optional<std::pair<const char *, Value>> at(const Node &node) const {
    if (node.def->type != "Mul" || !isFloatingPoint(graph_[node.outputs[0]].info.dataType()))
      return std::nullopt;
    const Factors f = factors(node.outputs[0]);
    if (f.values.size() != 2 || !isClose(f.number, 0.5))
      return std::nullopt;
    for (std::size_t i : {0, 1}) {
      const Value x = f.values[i];
      if (graph_[x].info != graph_[node.outputs[0]].info)
        continue;
      if (const Value step = onePlus(f.values[1 - i]); step != none) {
        if (isErf(step, x))
          return std::pair("GeluErf", x);
        if (isTanh(step, x))
          return std::pair("Gelu", x);
      }
    }
    return std::nullopt;
  }

private:
  Factors factors(Value v) const {
    Factors out;
    add(out, v, 0);
    return out;
  }
  void add(Factors &out, Value v, unsigned depth) const {
    constexpr unsigned deepest = 6;
    const auto number = numberIn(graph_, v);
    const Node *node = near_.producer(v);
    const auto &type = node ? node->def->type : std::string();
    const auto divisor =
        type == "Div" ? numberIn(graph_, node->inputs[1]) : std::optional<double>();
    const auto power = type == "Pow" ? numberIn(graph_, node->inputs[1]) : std::optional<double>();
    if (number)
      out.number *= *number;
    else if (depth < deepest && type == "Mul") {
      add(out, node->inputs[0], depth + 1);
      add(out, node->inputs[1], depth + 1);
    } else if (depth < deepest && divisor) {
      add(out, node->inputs[0], depth + 1);
      out.number /= *divisor;
    } else if (power == 3.0)
      out.values.insert(out.values.end(), 3, node->inputs[0]);
    else
      out.values.push_back(v);
  }

  // v where this is 1 + v.
  Value onePlus(Value sum) const {
    const Node *add = near_.producer(sum, "Add");
    for (std::size_t i : {0, 1})
      if (add && numberIn(graph_, add->inputs[i]) == 1.0)
        return add->inputs[1 - i];
    return none;
  }
  bool isErf(Value v, Value x) const {
    const Node *erf = near_.producer(v, "Erf");
    if (!erf)
      return false;
    const Factors f = factors(erf->inputs[0]);
    return f.values == ir::Values{x} && isClose(f.number, M_SQRT1_2);
  }
  bool isTanh(Value v, Value x) const {
    const Node *tanh = near_.producer(v, "Tanh");
    if (!tanh)
      return false;
    const Factors f = factors(tanh->inputs[0]);
    const Node *sum = f.values.size() == 1 ? near_.producer(f.values[0], "Add") : nullptr;
    if (!sum || !isClose(f.number, std::sqrt(2 / M_PI)))
      return false;
    const Factors cube = factors(sum->inputs[sum->inputs[0] == x ? 1 : 0]);
    return (sum->inputs[0] == x || sum->inputs[1] == x) && cube.values == ir::Values(3, x) &&
           isClose(cube.number, 0.044715);
  }

  const Graph &graph_;
  Neighbours near_;
};

} // namespace

unsigned joinGelus(Graph &graph) {
  std::map<std::size_t, std::pair<const char *, Value>> found;
  const Finder finder(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (const auto gelu = finder.at(graph.nodes[n]))
      found.emplace(n, *gelu);
  for (const auto &[n, gelu] : found) {
    Node &node = graph.nodes[n];
    node.def = &ops::opOf(gelu.first);
    node.inputs = {gelu.second};
    node.attributes = {};
  }
  return unsigned(found.size());
}

} // namespace popart::transforms
