// SPDX-License-Identifier: MIT
#include "transforms/placing/splitstages.hpp"

#include "analysis/homes.hpp"
#include "base/Text.hpp"
#include "opdef/graphbuilder.hpp"
#include <algorithm>
#include <popart/error.hpp>

namespace popart::transforms {

using ir::Graph;
using ir::Kind;
using ir::Node;
using ir::none;
using ir::Pass;
using ir::Value;

namespace {

// The stage in which each value is there: its node's, or for what the host sends, its first user's.
std::vector<std::int64_t> stagesOfValues(const Graph &graph) {
  std::vector<std::int64_t> stage(graph.size(), -1);
  for (const auto &node : graph.nodes) {
    if (node.pass == Pass::Update)
      continue;
    for (Value v : node.outputs)
      if (v != none)
        stage[v.value] = *node.settings.pipelineStage;
    for (Value v : node.inputs)
      if (v != none && graph[v].kind == Kind::Stream &&
          (stage[v.value] < 0 || stage[v.value] > *node.settings.pipelineStage))
        stage[v.value] = *node.settings.pipelineStage;
  }
  return stage;
}

class Splitter {
public:
  explicit Splitter(Graph &graph)
      : graph_(graph), stage_(stagesOfValues(graph)), home_(analysis::homes(graph)),
        b_(graph, nodes_) {}

  void run() {
    findDepths();
    for (auto &node : graph_.nodes) {
      if (node.pass != Pass::Update)
        for (auto &in : node.inputs)
          if (in != none)
            in = here(node, in);
      nodes_.push_back(std::move(node));
    }
    graph_.nodes = std::move(nodes_);
  }

private:
  // How long a value waits on each IPU: as long as its last reader there asks for.
  void findDepths() {
    for (const auto &node : graph_.nodes)
      for (Value v : node.inputs)
        if (node.pass != Pass::Update && v != none && waits(v)) {
          auto &depth = depths_[{v, *node.settings.virtualGraph}];
          depth = std::max(depth, *node.settings.pipelineStage - stage_[v.value]);
        }
  }
  bool waits(Value v) const {
    return graph_[v].kind == Kind::Computed || graph_[v].kind == Kind::Stream;
  }

  Value here(const Node &node, Value in) {
    const auto stage = *node.settings.pipelineStage, ipu = *node.settings.virtualGraph;
    if (graph_[in].kind == Kind::Variable) {
      if (home_[in.value] != ipu)
        throw error(base::str("The variable \"", graph_[in].name,
                              "\" is used on the virtual graphs ", home_[in.value], " and ", ipu,
                              " (", ops::describe(graph_, node),
                              "). With enablePipelining a variable stays on one IPU."));
      return in;
    }
    if (graph_[in].kind == Kind::Constant)
      return constantOn(in, ipu);
    if (stage_[in.value] == stage)
      return in;
    if (stage_[in.value] > stage)
      throw error(base::str(ops::describe(graph_, node), " is in pipeline stage ", stage,
                            ", but reads \"", graph_[in].name, "\", which stage ", stage_[in.value],
                            " makes. Number stages (with none given: virtual graphs) in the order "
                            "in which values pass through them."));
    const auto [at, fresh] = restored_.try_emplace({in, stage}, none);
    if (fresh) {
      b_.settings = node.settings;
      b_.settings.name = "pipeline/" + graph_[in].name;
      b_.pass = node.pass;
      b_.prefix = "Restored___" + graph_[in].name + "/";
      at->second = b_.op("PipelineRestore", {in},
                         {{"delay", stage - stage_[in.value]},
                          {"depth", depths_.at({in, ipu})},
                          {"destination", ipu}});
    }
    return at->second;
  }
  Value constantOn(Value in, std::int64_t ipu) {
    if (home_[in.value] == ipu)
      return in;
    const auto [at, fresh] = constants_.try_emplace({in, ipu}, none);
    if (fresh)
      at->second = graph_.addConstant(graph_[in].name, graph_[in].data);
    return at->second;
  }

  Graph &graph_;
  std::vector<std::int64_t> stage_, home_;
  std::vector<Node> nodes_;
  ops::GraphBuilder b_;
  std::map<std::pair<Value, std::int64_t>, std::int64_t> depths_;
  std::map<std::pair<Value, std::int64_t>, Value> restored_, constants_;
};

} // namespace

void splitStages(Graph &graph) { Splitter(graph).run(); }

} // namespace popart::transforms
