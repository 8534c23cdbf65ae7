// SPDX-License-Identifier: MIT
#include "transforms/placing/accumulateinstages.hpp"

#include "opdef/graphbuilder.hpp"
#include <algorithm>

namespace popart::transforms {

using ir::Graph;
using ir::Node;
using ir::Pass;
using ir::Value;

namespace {

// One accumulator that a multiple of its gradient is added to: so parts may come one by one.
bool addsOne(const Node &node) {
  const auto weights = node.attributes.find<std::int64_t>("weights");
  const auto kind = node.attributes.find<std::string>("kind");
  return node.def->accumulates && node.pass == Pass::Backward && weights && *weights == 1 &&
         (!kind || *kind == "Add");
}

class Parts {
public:
  Parts(const Graph &graph, const std::set<Value> &kept)
      : graph_(graph), links_(graph), kept_(kept) {}

  // The sum that the node adds, if nobody else wants it and its parts are of several stages.
  const Node *sumOf(const Node &node) const {
    const Value gradient = node.inputs[1];
    const Node *sum = producer(gradient);
    if (!sum || !sum->def->adds || kept_.count(gradient) ||
        links_.consumers[gradient.value].size() != 1)
      return nullptr;
    const bool known = std::all_of(sum->inputs.begin(), sum->inputs.end(), [&](Value part) {
      const auto *maker = producer(part);
      return maker && maker->settings.virtualGraph == node.settings.virtualGraph &&
             graph_[part].info == graph_[gradient].info;
    });
    if (!known)
      return nullptr;
    const auto first = stageOf(sum->inputs[0]);
    return std::any_of(sum->inputs.begin(), sum->inputs.end(),
                       [&](Value part) { return stageOf(part) != first; })
               ? sum
               : nullptr;
  }
  std::int64_t stageOf(Value part) const { return *producer(part)->settings.pipelineStage; }

private:
  const Node *producer(Value v) const {
    const auto at = links_.producer[v.value];
    return at < 0 ? nullptr : &graph_.nodes[std::size_t(at)];
  }
  const Graph &graph_;
  const ir::Links links_;
  const std::set<Value> &kept_;
};

Value addLike(Graph &graph, Value v) {
  ir::ValueData data;
  data.name = graph[v].name;
  data.info = graph[v].info;
  return graph.add(std::move(data));
}

} // namespace

void accumulateInStages(Graph &graph, const std::set<Value> &kept) {
  const Parts parts(graph, kept);
  std::set<Value> unused; // sums
  std::vector<Node> nodes;
  for (const auto &node : graph.nodes) {
    const Node *sum = addsOne(node) ? parts.sumOf(node) : nullptr;
    if (!sum) {
      nodes.push_back(node);
      continue;
    }
    // In the order of stages: who reads the accumulator comes after the last.
    auto gradients = sum->inputs;
    std::stable_sort(gradients.begin(), gradients.end(),
                     [&](Value a, Value b) { return parts.stageOf(a) < parts.stageOf(b); });
    for (Value gradient : gradients) {
      auto part = node;
      part.inputs[1] = gradient;
      part.settings.pipelineStage = parts.stageOf(gradient);
      if (gradient != gradients.back())
        part.outputs = {addLike(graph, node.outputs[0])};
      nodes.push_back(std::move(part));
    }
    unused.insert(sum->outputs[0]);
  }
  std::erase_if(nodes, [&](const Node &node) {
    return node.outputs.size() == 1 && unused.count(node.outputs[0]);
  });
  graph.nodes = std::move(nodes);
}

} // namespace popart::transforms
