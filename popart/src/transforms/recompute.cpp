// SPDX-License-Identifier: MIT
#include "transforms/recompute.hpp"

#include "base/Text.hpp"
#include "ops/core/opdef.hpp"
#include <algorithm>
#include <cmath>
#include <popart/error.hpp>

namespace popart::transforms {

using ir::Graph;
using ir::Node;
using ir::none;
using ir::Pass;
using ir::Recompute;
using ir::Value;

namespace {

bool isForward(const Node &node) { return node.pass == Pass::Forward; }
bool canRepeat(const Node &node) { return !node.def->sideEffect && node.def->updates < 0; }

bool isNorm(const Node &node) {
  for (const char *type :
       {"GroupNormalization", "BatchNormalization", "InstanceNormalization", "LayerNormalization"})
    if (node.def->type == type)
      return true;
  return false;
}

// Bytes of forward values that are alive after each forward node, counting only uses within the
// forward pass: where the graph is narrow, little has to be kept to start again from there.
std::vector<std::int64_t> widths(const Graph &graph, std::size_t forward) {
  std::vector<std::int64_t> change(forward + 1, 0);
  const ir::Links links(graph);
  for (std::size_t n = 0; n < forward; ++n)
    for (Value v : graph.nodes[n].outputs) {
      if (v == none)
        continue;
      std::size_t last = n;
      for (unsigned user : links.consumers[v.value])
        if (user < forward)
          last = std::max<std::size_t>(last, user);
      change[n] += graph[v].info.nbytes();
      change[last] -= graph[v].info.nbytes();
    }
  std::vector<std::int64_t> width(forward, 0);
  std::int64_t now = 0;
  for (std::size_t n = 0; n < forward; ++n)
    width[n] = now += change[n];
  return width;
}

// About sqrt(n) places, each the narrowest of its stretch; what is alive there is kept.
void chooseStandard(Graph &graph) {
  const auto forward =
      static_cast<std::size_t>(std::count_if(graph.nodes.begin(), graph.nodes.end(), isForward));
  if (forward < 4)
    return;
  const auto width = widths(graph, forward);
  const auto stretch = static_cast<std::size_t>(std::ceil(std::sqrt(double(forward))));
  std::vector<bool> keep(graph.size(), false);
  const ir::Links links(graph);
  for (std::size_t start = 0; start < forward; start += stretch) {
    const auto end = std::min(forward, start + stretch);
    const auto cut =
        static_cast<std::size_t>(std::min_element(width.begin() + std::ptrdiff_t(start),
                                                  width.begin() + std::ptrdiff_t(end)) -
                                 width.begin());
    for (std::size_t n = 0; n <= cut; ++n)
      for (Value v : graph.nodes[n].outputs)
        if (v != none &&
            std::any_of(links.consumers[v.value].begin(), links.consumers[v.value].end(),
                        [&](unsigned user) { return user > cut && user < forward; }))
          keep[v.value] = true;
  }
  for (std::size_t n = 0; n < forward; ++n) {
    auto &node = graph.nodes[n];
    const bool kept = std::any_of(node.outputs.begin(), node.outputs.end(),
                                  [&](Value v) { return v != none && keep[v.value]; });
    node.settings.recompute = kept ? Recompute::Checkpoint : Recompute::Recompute;
  }
}

// Each stage but the last keeps only what enters it.
void choosePipeline(Graph &graph) {
  std::int64_t last = 0;
  for (const auto &node : graph.nodes)
    if (isForward(node))
      last = std::max(last, node.settings.pipelineStage.value_or(0));
  const ir::Links links(graph);
  for (auto &node : graph.nodes) {
    if (!isForward(node) || node.settings.pipelineStage.value_or(0) == last)
      continue;
    const auto leaves = [&](Value v) {
      return v != none && std::any_of(links.consumers[v.value].begin(),
                                      links.consumers[v.value].end(), [&](unsigned user) {
                                        const auto &other = graph.nodes[user];
                                        return isForward(other) && other.settings.pipelineStage !=
                                                                       node.settings.pipelineStage;
                                      });
    };
    const bool crosses = std::any_of(node.outputs.begin(), node.outputs.end(), leaves);
    node.settings.recompute = crosses ? Recompute::Checkpoint : Recompute::Recompute;
  }
}

} // namespace

void chooseRecomputation(Graph &graph, RecomputationType type) {
  if (type == RecomputationType::None)
    return;
  for (const auto &node : graph.nodes)
    if (isForward(node) && node.settings.recompute == Recompute::Recompute)
      throw error(base::str(ops::describe(graph, node),
                            " is marked for recomputation, and "
                            "autoRecomputation is set as well. Use one of the two."));
  if (type == RecomputationType::Standard)
    return chooseStandard(graph);
  if (type == RecomputationType::Pipeline)
    return choosePipeline(graph);
  for (auto &node : graph.nodes)
    if (isForward(node) && node.settings.recompute == Recompute::Undefined &&
        (type == RecomputationType::RecomputeAll || isNorm(node)))
      node.settings.recompute = Recompute::Recompute;
}

namespace {

class Repeater {
public:
  explicit Repeater(Graph &graph) : graph_(graph), links_(graph) {}

  void run() {
    std::vector<Node> nodes;
    for (const auto &node : graph_.nodes) {
      Node own = node;
      if (!isForward(node))
        for (auto &in : own.inputs)
          in = again(in, node, nodes);
      nodes.push_back(std::move(own));
    }
    graph_.nodes = std::move(nodes);
  }

private:
  // The value as the backward pass gets it: computed again if its node is marked.
  Value again(Value v, const Node &user, std::vector<Node> &nodes) {
    if (v == none || v.value >= links_.producer.size() || links_.producer[v.value] < 0)
      return v;
    const Node &maker = graph_.nodes[std::size_t(links_.producer[v.value])];
    if (!isForward(maker) || maker.settings.recompute != Recompute::Recompute || !canRepeat(maker))
      return v;
    if (auto done = made_.find(v); done != made_.end())
      return done->second;
    Node repeat = maker;
    repeat.pass = Pass::Backward;
    repeat.settings.recompute = Recompute::Undefined;
    if (user.pass == Pass::Backward)
      repeat.settings.pipelineStage = user.settings.pipelineStage;
    for (auto &in : repeat.inputs)
      in = again(in, user, nodes);
    for (auto &out : repeat.outputs)
      if (out != none) {
        const Value copy =
            graph_.add({graph_[out].name + "__re", graph_[out].info, ir::Kind::Computed, {}});
        made_[out] = copy;
        out = copy;
      }
    nodes.push_back(std::move(repeat));
    return made_.at(v);
  }

  Graph &graph_;
  const ir::Links links_;
  std::map<Value, Value> made_;
};

} // namespace

void recompute(Graph &graph) {
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), [](const Node &node) {
        return isForward(node) && node.settings.recompute == Recompute::Recompute;
      }))
    return;
  Repeater(graph).run();
}

} // namespace popart::transforms
