// SPDX-License-Identifier: MIT
#include "transforms/placing/choosevirtualgraphs.hpp"

#include "base/Text.hpp"
#include <cmath>
#include <numeric>
#include <popart/error.hpp>

namespace popart::transforms {

using ir::Graph;
using ir::Kind;
using ir::none;
using ir::Value;

namespace {

std::vector<double> shares(const Sharding &how) {
  if (how.ratios.empty())
    return std::vector<double>(how.ipus, 1.0 / how.ipus);
  double sum = 0;
  for (float r : how.ratios) {
    if (!(r > 0 && r < 1))
      throw error(base::str("virtualGraphSplitRatios must lie between 0 and 1, not ", r, "."));
    sum += r;
  }
  if (how.ratios.size() != how.ipus || std::abs(sum - 1) > 1e-6)
    throw error(base::str("virtualGraphSplitRatios must give one ratio for each of the ", how.ipus,
                          " IPUs of a replica and add up to 1; there are ", how.ratios.size(),
                          " that add up to ", sum, "."));
  return {how.ratios.begin(), how.ratios.end()};
}

// Bytes that each node binds to its IPU: weights where they are first used, and what it makes.
std::vector<double> costs(const Graph &graph, const Sharding &how) {
  std::vector<double> cost(graph.nodes.size(), 0);
  std::vector<bool> seen(graph.size(), false);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (Value v : graph.nodes[n].inputs) {
      if (v == none || seen[v.value])
        continue;
      seen[v.value] = true;
      const auto kind = graph[v].kind;
      if (kind == Kind::Variable || kind == Kind::Constant)
        cost[n] += double(graph[v].info.nbytes()) * (how.accumulation ? 2 : 1);
    }
    if (how.training)
      for (Value v : graph.nodes[n].outputs)
        if (v != none)
          cost[n] += double(graph[v].info.nbytes());
  }
  return cost;
}

// Whether exactly one computed value passes from the first n + 1 nodes to the rest.
std::vector<bool> narrowPlaces(const Graph &graph) {
  const ir::Links links(graph);
  std::vector<int> change(graph.nodes.size() + 1, 0);
  for (std::uint32_t i = 0; i < graph.size(); ++i)
    if (links.producer[i] >= 0 && !links.consumers[i].empty()) {
      ++change[std::size_t(links.producer[i])];
      --change[links.consumers[i].back()];
    }
  std::vector<bool> narrow(graph.nodes.size(), false);
  for (std::size_t n = 0, alive = 0; n < graph.nodes.size(); ++n) {
    alive = std::size_t(int(alive) + change[n]);
    narrow[n] = alive == 1;
  }
  return narrow;
}

} // namespace

void chooseVirtualGraphs(Graph &graph, const Sharding &how) {
  const auto share = shares(how);
  const auto cost = costs(graph, how);
  const auto narrow = narrowPlaces(graph);
  const double total = std::accumulate(cost.begin(), cost.end(), 0.0);
  std::size_t next = 0; // first node that has no IPU yet
  double before = 0, target = 0;
  for (unsigned ipu = 0; ipu < how.ipus; ++ipu) {
    target += share[ipu] * total;
    std::size_t cut = graph.nodes.size();
    if (ipu + 1 < how.ipus) { // the narrow place whose cost so far is nearest to the target
      double best = INFINITY, sum = before, atCut = 0;
      for (std::size_t n = next; n + 1 < graph.nodes.size(); ++n) {
        sum += cost[n];
        if (narrow[n] && std::abs(sum - target) < best) {
          best = std::abs(sum - target);
          cut = n + 1;
          atCut = sum;
        }
      }
      if (cut == graph.nodes.size())
        throw error(
            base::str("The model cannot be cut into ", how.ipus, " parts: after \"",
                      next ? graph[graph.nodes[next - 1].outputs[0]].name : "its inputs",
                      "\" no place is left where a single tensor passes on. Use fewer IPUs, "
                      "or place operators yourself with virtualGraphMode Manual."));
      before = atCut;
    }
    for (; next < cut; ++next)
      graph.nodes[next].settings.virtualGraph = ipu;
  }
}

} // namespace popart::transforms
