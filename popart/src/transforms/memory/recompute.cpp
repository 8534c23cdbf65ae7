// SPDX-License-Identifier: MIT
#include "transforms/memory/recompute.hpp"

#include "analysis/effects.hpp"
#include "base/Text.hpp"
#include "opdef/opdef.hpp"
#include <algorithm>
#include <cmath>
#include <popart/error.hpp>

namespace popart::transforms {

using analysis::hasSideEffect;
using ir::Graph;
using ir::Node;
using ir::none;
using ir::Pass;
using ir::Recompute;
using ir::Value;
using Stage = std::optional<std::int64_t>; // of a pipeline

namespace {

bool isForward(const Node &node) { return node.pass == Pass::Forward; }
bool isCheckpoint(const Node &node) { return node.settings.recompute == Recompute::Checkpoint; }
bool canRepeat(const Node &node) { return !hasSideEffect(node) && node.def->updates < 0; }

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

// The last of the narrowest nodes, if possible one in front of a product: what follows a product
// is joined with it, and computed again as a whole.
std::size_t placeToCut(const Graph &graph, const std::vector<std::int64_t> &width,
                       std::size_t start, std::size_t end) {
  const auto least =
      *std::min_element(width.begin() + std::ptrdiff_t(start), width.begin() + std::ptrdiff_t(end));
  std::size_t last = start;
  std::optional<std::size_t> before;
  for (std::size_t n = start; n < end; ++n)
    if (width[n] == least) {
      last = n;
      if (n + 1 < width.size() && graph.nodes[n + 1].def->product)
        before = n;
    }
  return before.value_or(last);
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
    const auto cut = placeToCut(graph, width, start, end);
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
    node.settings.recompute =
        kept || isCheckpoint(node) ? Recompute::Checkpoint : Recompute::Recompute;
  }
}

std::int64_t stageOf(const Node &node) { return node.settings.pipelineStage.value_or(0); }

// Behind the last checkpoint of the last stage the backward pass follows at once: what is
// computed there is kept. Without a checkpoint that is the whole stage.
std::size_t keptFrom(const Graph &graph, std::int64_t last) {
  std::size_t from = 0;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (isForward(graph.nodes[n]) && stageOf(graph.nodes[n]) == last &&
        isCheckpoint(graph.nodes[n]))
      from = n;
  return from;
}

// Each stage keeps what enters it and what the user marks within.
void choosePipeline(Graph &graph) {
  std::int64_t last = 0;
  for (const auto &node : graph.nodes)
    if (isForward(node))
      last = std::max(last, stageOf(node));
  const auto kept = keptFrom(graph, last);
  const ir::Links links(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    auto &node = graph.nodes[n];
    if (!isForward(node) || isCheckpoint(node) || (stageOf(node) == last && n >= kept))
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
        (type == RecomputationType::RecomputeAll || node.def->norm))
      node.settings.recompute = Recompute::Recompute;
}

namespace {

// In a pipeline every stage computes its own values again, when the backward pass has come to it.
// What earlier backward stages read is kept for them.
class Repeater {
public:
  Repeater(Graph &graph, Stage mirror) : graph_(graph), links_(graph), mirror_(mirror) {}

  void run() {
    std::vector<Node> nodes;
    for (const auto &node : graph_.nodes) {
      Node own = node;
      if (!isForward(node)) {
        const Stage stage = node.pass == Pass::Backward ? node.settings.pipelineStage : Stage();
        for (const auto n : missing(node.inputs, stage))
          nodes.push_back(repeated(graph_.nodes[n]));
        own.inputs = again(node.inputs, stage);
      }
      nodes.push_back(std::move(own));
    }
    graph_.nodes = std::move(nodes);
    clearMarks();
  }

private:
  // Only what is computed twice stays marked: the rest may be joined with its neighbours.
  void clearMarks() {
    for (auto &node : graph_.nodes)
      if (isForward(node) && std::none_of(node.outputs.begin(), node.outputs.end(),
                                          [&](Value v) { return made_.count(v) != 0; }))
        node.settings.recompute = Recompute::Undefined;
  }
  const Node *makerOf(Value v) const {
    const int n = v == none || v.value >= links_.producer.size() ? -1 : links_.producer[v.value];
    return n < 0 ? nullptr : &graph_.nodes[std::size_t(n)];
  }
  // Where gradients of the node's stage are computed.
  Stage stageAgain(const Node &maker) const {
    const auto stage = maker.settings.pipelineStage;
    return stage && mirror_ ? std::max(*stage, *mirror_ - *stage) : stage;
  }
  // Whether a reader in that stage gets the value that is computed again.
  bool isRepeated(Value v, const Stage &reader) const {
    const Node *maker = makerOf(v);
    if (!maker || !isForward(*maker) || maker->settings.recompute != Recompute::Recompute ||
        !canRepeat(*maker))
      return false;
    const auto stage = stageAgain(*maker);
    return !stage || !reader || *reader >= *stage;
  }
  // Nodes that still have to run again for these inputs, in order.
  std::set<std::size_t> missing(const ir::Values &inputs, const Stage &reader) const {
    std::set<std::size_t> out;
    std::vector<std::pair<const ir::Values *, Stage>> open{{&inputs, reader}};
    while (!open.empty()) {
      const auto [values, stage] = open.back();
      open.pop_back();
      for (Value v : *values)
        if (isRepeated(v, stage) && !made_.count(v) &&
            out.insert(std::size_t(links_.producer[v.value])).second)
          open.emplace_back(&makerOf(v)->inputs, stageAgain(*makerOf(v)));
    }
    return out;
  }
  ir::Values again(const ir::Values &inputs, const Stage &reader) const {
    ir::Values out = inputs;
    for (auto &in : out)
      if (isRepeated(in, reader))
        in = made_.at(in);
    return out;
  }
  Node repeated(const Node &maker) {
    Node repeat = maker;
    repeat.pass = Pass::Backward;
    repeat.settings.pipelineStage = stageAgain(maker);
    repeat.inputs = again(maker.inputs, repeat.settings.pipelineStage);
    for (auto &out : repeat.outputs)
      if (out != none) {
        const Value copy =
            graph_.add({graph_[out].name + "__re", graph_[out].info, ir::Kind::Computed, {}});
        made_[out] = copy;
        out = copy;
      }
    return repeat;
  }

  Graph &graph_;
  const ir::Links links_;
  const Stage mirror_;
  std::map<Value, Value> made_;
};

} // namespace

void recompute(Graph &graph, Stage mirror) {
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), [](const Node &node) {
        return isForward(node) && node.settings.recompute == Recompute::Recompute;
      }))
    return;
  Repeater(graph, mirror).run();
}

} // namespace popart::transforms
