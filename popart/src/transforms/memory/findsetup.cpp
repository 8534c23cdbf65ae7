// SPDX-License-Identifier: MIT
#include "transforms/memory/findsetup.hpp"

#include "analysis/fixedvalues.hpp"
#include "opdef/opdef.hpp"
#include <algorithm>
#include <set>

namespace popart::transforms {

using analysis::fixedValues;
using analysis::isPure;
using ir::Graph;
using ir::Node;
using ir::none;
using ir::Value;

namespace {

// What is kept instead of being computed again should not need much more memory than the weights.
constexpr std::int64_t alwaysSmall = 1 << 16;

std::int64_t elementsOf(const Graph &graph, const ir::Values &values) {
  std::int64_t n = 0;
  for (Value v : values)
    n += v == none ? 0 : graph[v].info.nelms();
  return n;
}

class Finder {
public:
  explicit Finder(const Graph &graph)
      : graph_(graph), links_(graph), fixed_(fixedValues(graph)),
        moves_(graph.nodes.size(), false) {}

  std::set<Value> run() {
    for (std::size_t n = 0; n < moves_.size(); ++n)
      moves_[n] = mayMove(graph_.nodes[n]);
    for (std::size_t n = moves_.size(); n-- > 0;)
      if (moves_[n] && graph_.nodes[n].def->unwind && !anyUserMoves(n))
        moves_[n] = false; // a view
    std::set<Value> out;
    for (std::size_t n = 0; n < moves_.size(); ++n)
      if (moves_[n])
        out.insert(graph_.nodes[n].outputs.begin(), graph_.nodes[n].outputs.end());
    out.erase(none);
    return out;
  }

private:
  bool mayMove(const Node &node) const {
    return isPure(node) &&
           elementsOf(graph_, node.outputs) <=
               std::max(elementsOf(graph_, node.inputs), alwaysSmall) &&
           std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&](Value v) { return v == none || isThere(v); }) &&
           usersAreNear(node);
  }
  // When programs of the setup run.
  bool isThere(Value v) const {
    const int producer = links_.producer[v.value];
    return fixed_[v.value] && (producer < 0 || moves_[std::size_t(producer)]);
  }
  bool usersAreNear(const Node &node) const {
    for (Value v : node.outputs)
      if (v != none)
        for (unsigned user : links_.consumers[v.value])
          if (graph_.nodes[user].settings.virtualGraph != node.settings.virtualGraph)
            return false;
    return true;
  }
  bool anyUserMoves(std::size_t n) const {
    for (Value v : graph_.nodes[n].outputs)
      if (v != none)
        for (unsigned user : links_.consumers[v.value])
          if (moves_[user])
            return true;
    return false;
  }

  const Graph &graph_;
  ir::Links links_;
  std::vector<bool> fixed_, moves_;
};

} // namespace

std::set<Value> findSetup(const Graph &graph) { return Finder(graph).run(); }

} // namespace popart::transforms
