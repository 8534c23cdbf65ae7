// SPDX-License-Identifier: MIT
// What passes that join nodes ask of a graph: who makes a value, who alone uses it, and whether two
// nodes run at the same time in the same place.
#pragma once
#include "opdef/opdef.hpp"
#include <set>

namespace popart::analysis {

class Neighbours {
public:
  // Values in `kept` are looked at from outside (anchors, the loss), as are a graph's outputs.
  explicit Neighbours(const ir::Graph &graph, const std::set<ir::Value> &kept = {})
      : graph_(graph), links_(graph), kept_(kept) {
    kept_.insert(graph.outputs.begin(), graph.outputs.end());
  }

  // The node that makes a value; nullptr if none does, or one of another type.
  const ir::Node *producer(ir::Value v, const char *type = nullptr) const {
    const int n = v == ir::none ? -1 : links_.producer[v.value];
    if (n < 0 || (type && graph_.nodes[std::size_t(n)].def->type != type))
      return nullptr;
    return &graph_.nodes[std::size_t(n)];
  }
  // The node that is the only one to use a value, and once; -1 if there is none, or others may see
  // the value.
  int onlyUser(ir::Value v) const {
    const auto &users = links_.consumers[v.value];
    if (users.size() != 1 || kept_.count(v))
      return -1;
    unsigned uses = 0;
    for (ir::Value in : graph_.nodes[users[0]].inputs)
      uses += in == v;
    return uses == 1 ? int(users[0]) : -1;
  }
  bool isKept(ir::Value v) const { return kept_.count(v) != 0; }
  const ir::Links &links() const { return links_; }

private:
  const ir::Graph &graph_;
  ir::Links links_;
  std::set<ir::Value> kept_;
};

// Whether a node, and what is in its bodies, rounds at random; nothing: as its program does.
inline std::optional<bool> roundingOf(const ir::Node &node) {
  const auto said = node.settings.extra.find<std::int64_t>("__stochastic_rounding");
  return said ? std::optional<bool>(*said != 0) : std::nullopt;
}

inline bool runTogether(const ir::Node &a, const ir::Node &b) {
  return a.pass == b.pass && a.settings.virtualGraph == b.settings.virtualGraph &&
         a.settings.pipelineStage == b.settings.pipelineStage &&
         a.settings.executionPhase == b.settings.executionPhase &&
         a.settings.recompute == b.settings.recompute && roundingOf(a) == roundingOf(b);
}

// The number that a constant holds throughout; nothing for other values and for large ones.
std::optional<double> numberIn(const ir::Graph &graph, ir::Value v);

} // namespace popart::analysis
