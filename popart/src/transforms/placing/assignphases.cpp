// SPDX-License-Identifier: MIT
#include "transforms/placing/assignphases.hpp"

#include "base/Text.hpp"
#include "opdef/opview.hpp"
#include <algorithm>
#include <popart/error.hpp>

namespace popart::transforms {

using ir::Graph;
using ir::Kind;
using ir::Node;
using ir::none;
using ir::Value;

namespace {

void checkSettings(const ExecutionPhaseSettings &s, unsigned ipus) {
  if (s.phases < 2)
    throw error(base::str("virtualGraphMode is ExecutionPhases, which needs at least 2 phases; "
                          "executionPhaseSettings.phases is ",
                          s.phases, "."));
  if (s.stages != 1 && s.stages != 2)
    throw error(base::str("executionPhaseSettings.stages is ", s.stages,
                          ". Phases run on 1 IPU, or on 2 in turn."));
  if (ipus % static_cast<unsigned>(s.stages))
    throw error(base::str("executionPhaseSettings.stages is ", s.stages, ", but a replica has ",
                          ipus, " IPUs. They must be the same, or several times as many."));
}

// Phases on several IPUs at a time: every operator says on which.
void checkIpus(const Graph &graph, std::int64_t stages, std::int64_t ipus) {
  for (const auto &node : graph.nodes) {
    const auto ipu = node.settings.virtualGraph;
    if (!ipu || *ipu < 0 || *ipu >= ipus)
      throw error(base::str(ops::describe(graph, node), " is on ",
                            ipu ? base::str("virtual graph ", *ipu) : "no virtual graph",
                            ". A replica has ", ipus, " IPUs for ", stages,
                            " stages of execution phases, so every operator must name one."));
    if (const auto phase = *node.settings.executionPhase; *ipu % stages != phase % stages)
      throw error(base::str(ops::describe(graph, node), " is in execution phase ", phase,
                            " and on virtual graph ", *ipu,
                            ". Even phases run on even virtual graphs, odd ones on odd."));
  }
}

// Every weight counts where it is used first; a node is where the middle of its weights is.
void sharePhases(Graph &graph, std::int64_t phases) {
  std::vector<std::int64_t> middle; // twice
  std::vector<bool> seen(graph.size(), false);
  std::int64_t all = 0;
  for (const auto &node : graph.nodes) {
    const auto before = all;
    for (Value v : node.inputs)
      if (v != none && !seen[v.value] &&
          (graph[v].kind == Kind::Variable || graph[v].kind == Kind::Constant)) {
        seen[v.value] = true;
        all += graph[v].info.nbytes();
      }
    middle.push_back(before + all);
  }
  std::int64_t phase = 0;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (all)
      phase = std::max(phase, std::min(phases - 1, middle[n] * phases / (2 * all)));
    graph.nodes[n].settings.executionPhase = phase;
  }
}

// Nodes without a phase are in that of what they read last; if no node makes that, in the phase of
// their first reader.
void inferPhases(Graph &graph) {
  std::vector<std::optional<std::int64_t>> made(graph.size()), read(graph.size());
  for (auto &node : graph.nodes) {
    auto &phase = node.settings.executionPhase;
    const bool given = phase.has_value();
    for (Value v : node.inputs)
      if (!given && v != none && made[v.value])
        phase = std::max(phase.value_or(0), *made[v.value]);
    for (Value v : node.outputs)
      if (v != none)
        made[v.value] = phase;
  }
  for (auto at = graph.nodes.rbegin(); at != graph.nodes.rend(); ++at) {
    auto &node = *at;
    auto &phase = node.settings.executionPhase;
    const bool given = phase.has_value();
    for (Value v : node.outputs)
      if (!given && v != none && read[v.value])
        phase = std::min(phase.value_or(*read[v.value]), *read[v.value]);
    phase = phase.value_or(0);
    for (Value v : node.inputs)
      if (v != none)
        read[v.value] = std::min(read[v.value].value_or(*phase), *phase);
  }
}

void checkAnnotations(const Graph &graph, std::int64_t phases) {
  std::vector<std::int64_t> made(graph.size(), 0);
  for (const auto &node : graph.nodes) {
    const auto phase = *node.settings.executionPhase;
    if (phase < 0 || phase >= phases)
      throw error(base::str(ops::describe(graph, node), " is in execution phase ", phase,
                            "; there are ", phases, "."));
    for (Value v : node.inputs)
      if (v != none && made[v.value] > phase)
        throw error(base::str(ops::describe(graph, node), " is in execution phase ", phase,
                              ", but reads \"", graph[v].name, "\", which phase ", made[v.value],
                              " makes."));
    for (Value v : node.outputs)
      if (v != none)
        made[v.value] = phase;
  }
}

} // namespace

void assignPhases(Graph &graph, const ExecutionPhaseSettings &settings, unsigned ipus) {
  checkSettings(settings, ipus);
  const bool annotated = std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node &node) {
    return node.settings.executionPhase.has_value();
  });
  if (annotated)
    inferPhases(graph);
  else
    sharePhases(graph, settings.phases);
  checkAnnotations(graph, settings.phases);
  const bool several = ipus > static_cast<unsigned>(settings.stages);
  if (several)
    checkIpus(graph, settings.stages, ipus);
  for (auto &node : graph.nodes) {
    if (!several)
      node.settings.virtualGraph = *node.settings.executionPhase % settings.stages;
    node.settings.pipelineStage.reset(); // of pipelines, which this is not
  }
}

} // namespace popart::transforms
