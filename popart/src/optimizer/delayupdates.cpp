// SPDX-License-Identifier: MIT
#include "optimizer/delayupdates.hpp"

#include "analysis/storage.hpp"
#include "opdef/graphbuilder.hpp"
#include <algorithm>
#include <map>
#include <set>

namespace popart::optimizer {

using ir::Node;
using ir::Pass;
using ir::Value;

namespace {

bool updates(const Node &node) { return node.def->updates >= 0; }
bool waits(const Node &node) { return updates(node) && node.pass != Pass::Update; }
Value variableOf(const Node &node) { return node.inputs[std::size_t(node.def->updates)]; }
bool has(const std::set<Value> &set, const ir::Values &values) {
  return std::any_of(values.begin(), values.end(), [&](Value v) { return set.count(v) != 0; });
}

// Of every value the variables that change, in whose memory as it was it may lie.
class Memory {
public:
  explicit Memory(const ir::Graph &graph) : of_(graph.size()) {
    for (const auto &node : graph.nodes)
      if (updates(node))
        of_[variableOf(node).value] = {variableOf(node)};
    for (const auto &node : graph.nodes)
      if (!updates(node) && (analysis::isView(node) || analysis::mayShareMemory(graph, node)))
        for (Value out : node.outputs)
          if (out != ir::none)
            of_[out.value] = of(node.inputs);
  }

  std::set<Value> of(const ir::Values &values) const {
    std::set<Value> out;
    for (Value v : values)
      if (v != ir::none && v.value < of_.size())
        out.insert(of_[v.value].begin(), of_[v.value].end());
    return out;
  }

private:
  std::vector<std::set<Value>> of_;
};

// A node that waits for the last reader of its variable, with what follows from it.
struct Waiting {
  Value variable;
  std::vector<Node> nodes;
  std::set<Value> made;

  void add(Node node) {
    for (Value v : node.outputs)
      if (v != ir::none)
        made.insert(v);
    nodes.push_back(std::move(node));
  }
};

// What a variable was is copied for nodes that can only run when it has changed, and for others
// that take it as their new value: two may take each other's.
class Copies {
public:
  explicit Copies(ir::Graph &graph)
      : graph_(graph), memory_(graph), builder_(graph, nodes_), changed_(graph.size()) {}

  void run() {
    for (auto &node : graph_.nodes) {
      const auto changed = changedBefore(node);
      for (std::size_t i = 0; i < node.inputs.size(); ++i)
        if (readsOld(node, i, changed))
          node.inputs[i] = copied(node, i);
      for (Value v : node.outputs)
        if (v != ir::none)
          changed_[v.value] = changed;
      nodes_.push_back(std::move(node));
    }
    graph_.nodes = std::move(nodes_);
  }

private:
  // The variables that have changed when the node is done.
  std::set<Value> changedBefore(const Node &node) const {
    std::set<Value> out;
    for (Value v : node.inputs)
      if (v != ir::none)
        out.insert(changed_[v.value].begin(), changed_[v.value].end());
    if (updates(node))
      out.insert(variableOf(node));
    return out;
  }
  bool readsOld(const Node &node, std::size_t i, const std::set<Value> &changed) const {
    const auto memory = memory_.of({node.inputs[i]});
    if (node.def->assigns)
      return i != std::size_t(node.def->updates) && !memory.empty();
    return !updates(node) && std::any_of(memory.begin(), memory.end(),
                                         [&](Value v) { return changed.count(v) != 0; });
  }
  Value copied(const Node &node, std::size_t i) {
    const std::pair key(node.inputs[i], node.pass == Pass::Update);
    if (const auto found = copies_.find(key); found != copies_.end())
      return found->second;
    builder_.settings = node.settings;
    builder_.pass = node.pass;
    const Value copy = copies_[key] = builder_.op("TensorRemap", {node.inputs[i]});
    if (node.pass == Pass::Update)
      moveUp(memory_.of({node.inputs[i]}));
    return copy;
  }
  // The newest node, in front of the first one that changes a variable it reads. (Nodes of the
  // update do not wait; they stand behind all that is computed.)
  void moveUp(const std::set<Value> &variables) {
    const auto last = nodes_.end() - 1;
    const auto makes = [&](const Node &node) {
      return std::find(node.outputs.begin(), node.outputs.end(), last->inputs[0]) !=
             node.outputs.end();
    };
    const auto made = std::find_if(nodes_.begin(), last, makes);
    const auto first =
        std::find_if(made == last ? nodes_.begin() : made + 1, last, [&](const Node &node) {
          return updates(node) && node.pass == Pass::Update && variables.count(variableOf(node));
        });
    std::rotate(first, last, nodes_.end());
  }

  ir::Graph &graph_;
  const Memory memory_;
  std::vector<Node> nodes_;
  ops::GraphBuilder builder_;
  std::map<std::pair<Value, bool>, Value> copies_;
  std::vector<std::set<Value>> changed_; // by value
};

// Moves updates behind the last node that reads their variable's memory.
class Delay {
public:
  explicit Delay(ir::Graph &graph) : graph_(graph), memory_(graph), readers_(graph.size(), 0) {}

  void run() {
    for (const auto &node : graph_.nodes)
      for (Value v : read(node))
        ++readers_[v.value];
    for (auto &node : graph_.nodes)
      pass(std::move(node));
    for (auto &w : waiting_)
      for (auto &node : w.nodes)
        out_.push_back(std::move(node));
    graph_.nodes = std::move(out_);
  }

private:
  std::set<Value> read(const Node &node) const {
    return node.pass == Pass::Update ? std::set<Value>() : memory_.of(node.inputs);
  }
  void pass(Node node) {
    const auto used = read(node);
    for (Value v : used)
      --readers_[v.value];
    const auto after = std::find_if(waiting_.begin(), waiting_.end(),
                                    [&](const Waiting &w) { return has(w.made, node.inputs); });
    if (after != waiting_.end())
      after->add(std::move(node));
    else if (waits(node) && readers_[variableOf(node).value]) {
      waiting_.push_back({variableOf(node), {}, {}});
      waiting_.back().add(std::move(node));
    } else
      out_.push_back(std::move(node));
    for (Value v : used)
      release(v);
  }
  void release(Value v) {
    if (readers_[v.value])
      return;
    for (auto it = waiting_.begin(); it != waiting_.end();)
      if (it->variable == v) {
        std::move(it->nodes.begin(), it->nodes.end(), std::back_inserter(out_));
        it = waiting_.erase(it);
      } else
        ++it;
  }

  ir::Graph &graph_;
  const Memory memory_;
  std::vector<unsigned> readers_;
  std::vector<Node> out_;
  std::vector<Waiting> waiting_;
};

} // namespace

void delayUpdates(ir::Graph &graph) {
  Copies(graph).run();
  Delay(graph).run();
}

} // namespace popart::optimizer
