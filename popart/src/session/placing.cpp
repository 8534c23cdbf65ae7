// SPDX-License-Identifier: MIT
// On which IPU, in which pipeline stage and execution phase nodes run, as far as options and
// annotations say.
#include "session/preparation.hpp"

#include "base/Text.hpp"
#include "opdef/opdef.hpp"
#include "session/log.hpp"
#include "transforms/placing/assignphases.hpp"
#include "transforms/placing/choosevirtualgraphs.hpp"
#include "transforms/placing/countstages.hpp"
#include "transforms/placing/inferstages.hpp"
#include <popart/error.hpp>

namespace popart::session {

unsigned ipusPerReplica(const Request &request, std::int64_t replicas) {
  if (request.ipus % replicas)
    throw error(base::str("The device has ", request.ipus, " IPUs, which ", replicas,
                          " replicas cannot share evenly."));
  const auto ipus = static_cast<unsigned>(request.ipus / replicas);
  if (request.options.virtualGraphMode == VirtualGraphMode::Off && ipus != 1)
    log().warn("The device has ", ipus,
               " IPUs for a replica, but virtualGraphMode is Off: the first computes, the others "
               "are idle.");
  return ipus;
}

void place(Preparation &p) {
  auto &graph = p.graph();
  const auto &options = p.options();
  const auto ipus = p.model().ipusPerReplica;
  for (auto &node : graph.nodes)
    if (!options.enablePipelining)
      node.settings.pipelineStage.reset(); // annotations do not count
  if (options.virtualGraphMode == VirtualGraphMode::ExecutionPhases)
    return transforms::assignPhases(graph, options.executionPhaseSettings, ipus);
  for (auto &node : graph.nodes)
    node.settings.executionPhase.reset(); // annotations do not count
  if (options.virtualGraphMode == VirtualGraphMode::Off) {
    for (auto &node : graph.nodes) { // annotations do not count
      node.settings.virtualGraph.reset();
      if (p.severalIpus())
        node.settings.virtualGraph = 0;
    }
    return;
  }
  if (options.virtualGraphMode == VirtualGraphMode::Auto)
    return transforms::chooseVirtualGraphs(
        graph,
        {ipus, options.virtualGraphSplitRatios, p.training(), options.enableGradientAccumulation});
  for (const auto &node : graph.nodes) {
    if (!node.settings.virtualGraph)
      throw error(base::str(ops::describe(graph, node),
                            " has no virtual graph, but virtualGraphMode is Manual. Give every "
                            "operator one, or none and set the mode to Off."));
    if (*node.settings.virtualGraph < 0 || *node.settings.virtualGraph >= ipus)
      throw error(base::str(ops::describe(graph, node), " is placed on virtual graph ",
                            *node.settings.virtualGraph, "; a replica has ", ipus, " IPUs."));
  }
}

void inferStages(Preparation &p) {
  if (!p.severalIpus())
    throw error("Pipelining requires more than 1 IPU in a replica, which virtualGraphMode shares "
                "the stages out to. Take a larger device, or switch it off.");
  if (p.options().virtualGraphMode == VirtualGraphMode::Off)
    throw error("enablePipelining needs virtualGraphMode, which shares the stages out to IPUs; it "
                "is Off. Set it to Manual or Auto.");
  transforms::inferStages(p.graph());
}

void checkPipeline(const Preparation &p) {
  const auto &flow = p.out.model.flow;
  for (const auto &id : flow.anchors())
    if (flow.art(id).id() == AnchorReturnTypeId::EveryN)
      throw error(base::str("The anchor \"", id, "\" is EveryN, which a pipeline cannot return."));
  const auto &options = p.options();
  if (p.training() && !options.enableGradientAccumulation &&
      options.automaticLossScalingSettings.enabled)
    throw error("automaticLossScalingSettings in a pipeline needs gradients that are accumulated: "
                "the scale of the loss holds for all micro-batches in it. Set "
                "enableGradientAccumulation, or switch enablePipelining off.");
}

void countStages(Preparation &p) { p.model().stages = transforms::countStages(p.graph()); }

} // namespace popart::session
