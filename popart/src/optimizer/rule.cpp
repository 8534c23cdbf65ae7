// SPDX-License-Identifier: MIT
#include "optimizer/rule.hpp"

#include "base/Text.hpp"
#include "opdef/graphbuilder.hpp"
#include <deque>
#include <popart/error.hpp>

namespace popart::optimizer {

using ir::Value;

namespace {

constexpr const char *gradientOp = "WeightGradient";

class Rule {
public:
  Rule(ir::Graph &graph, const std::map<Value, RuleInput> &weights)
      : graph_(graph), weights_(weights) {
    for (const auto &[weight, input] : weights)
      places_[weight] = &input.place;
    placeVariables();
  }

  void add() {
    auto nodes = std::move(graph_.rule);
    graph_.rule.clear();
    for (auto &node : nodes)
      if (node.def->type == gradientOp)
        take(node);
    std::erase_if(nodes, [](const ir::Node &node) { return node.def->type == gradientOp; });
    for (auto &node : nodes)
      connect(node);
    place(nodes);
    for (auto &node : nodes)
      graph_.nodes.push_back(std::move(node));
  }

private:
  // Another variable that a micro-batch reads is where that is: an update elsewhere would be of a
  // copy.
  void placeVariables() {
    for (const auto &node : graph_.nodes)
      for (Value v : node.inputs)
        if (v != ir::none && graph_[v].kind == ir::Kind::Variable && !places_.contains(v))
          places_[v] = &read_.emplace_back(node.settings);
  }

  void take(const ir::Node &node) {
    const auto it = weights_.find(node.inputs[0]);
    if (it == weights_.end())
      throw error(base::str("The rule of updates asks for the gradient of \"",
                            graph_[node.inputs[0]].name,
                            "\", which the loss does not depend on, or which is not trained."));
    made_[node.outputs[0]] = it->second.gradient;
    places_[it->second.gradient] = &it->second.place;
  }

  void connect(ir::Node &node) {
    for (auto &in : node.inputs)
      if (in != ir::none)
        in = found(node, in);
    node.pass = ir::Pass::Update;
    for (Value v : node.outputs)
      if (v != ir::none)
        made_[v] = v;
  }
  Value found(const ir::Node &node, Value in) const {
    if (const auto it = made_.find(in); it != made_.end())
      return it->second;
    if (graph_[in].kind == ir::Kind::Computed || graph_[in].kind == ir::Kind::Stream)
      throw error(base::str(ops::describe(graph_, node),
                            " is part of the rule of updates and reads \"", graph_[in].name,
                            "\" of a micro-batch, of which an update has several."));
    return in;
  }

  // Forwards, a node is with the first thing it reads that has a place: gradients and weights do.
  // Backwards, what then has none is with its only reader (a state is read before its gradient is).
  // What all weights share is with the first of them.
  void place(std::vector<ir::Node> &nodes) {
    std::vector<const ir::Settings *> at(nodes.size(), nullptr);
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if ((at[n] = placeOf(nodes[n])))
        spread(nodes[n], *at[n]);
    std::map<Value, std::set<const ir::Settings *>> readers;
    for (std::size_t n = nodes.size(); n-- > 0;) {
      std::set<const ir::Settings *> asked;
      for (Value v : nodes[n].outputs)
        asked.insert(readers[v].begin(), readers[v].end());
      if (!at[n] && asked.size() == 1)
        at[n] = *asked.begin();
      for (Value v : nodes[n].inputs)
        readers[v].insert(at[n]);
    }
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const auto *here = at[n] || weights_.empty() ? at[n] : &weights_.begin()->second.place;
      nodes[n].settings.virtualGraph = here ? here->virtualGraph : std::nullopt;
      nodes[n].settings.pipelineStage = here ? here->pipelineStage : std::nullopt;
    }
  }
  const ir::Settings *placeOf(const ir::Node &node) const {
    for (Value v : node.inputs)
      if (const auto it = places_.find(v); it != places_.end())
        return it->second;
    return nullptr;
  }
  void spread(const ir::Node &node, const ir::Settings &place) {
    for (Value v : node.outputs)
      if (v != ir::none)
        places_.emplace(v, &place);
  }

  ir::Graph &graph_;
  const std::map<Value, RuleInput> &weights_;
  std::map<Value, Value> made_;
  std::map<Value, const ir::Settings *> places_;
  std::deque<ir::Settings> read_;
};

} // namespace

bool hasRule(const ir::Graph &graph) { return !graph.rule.empty(); }

std::set<Value> weightsOfRule(const ir::Graph &graph) {
  std::set<Value> out;
  for (const auto &node : graph.rule)
    if (node.def->type == gradientOp)
      out.insert(node.inputs[0]);
  return out;
}

void addRule(ir::Graph &graph, const std::map<Value, RuleInput> &weights) {
  Rule(graph, weights).add();
}

} // namespace popart::optimizer
