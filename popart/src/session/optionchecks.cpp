// SPDX-License-Identifier: MIT
#include "session/optionchecks.hpp"

#include "base/Text.hpp"
#include "session/dot.hpp"
#include <popart/error.hpp>

namespace popart::session {

namespace {

// What would be asked for in vain. docs/session-options.md says the same.
void checkWhatIsThere(const SessionOptions &o) {
  const auto notYet = [](bool set, const char *what) {
    if (set)
      throw error(base::str(what, " is not there yet; leave it at its default."));
  };
  notYet(o.ensureFp32LossScaleTensor, "ensureFp32LossScaleTensor");
  notYet(o.createImplicitPipeliningFwdOnlyProgram, "createImplicitPipeliningFwdOnlyProgram");
  notYet(!o.enableSupportedDataTypeCasting, "enableSupportedDataTypeCasting off");
  notYet(o.exportPoplarComputationGraph, "exportPoplarComputationGraph");
  notYet(o.exportPoplarVertexGraph, "exportPoplarVertexGraph");
  notYet(!o.serializedPoprithmsShiftGraphsDir.empty(), "serializedPoprithmsShiftGraphsDir");
  notYet(!o.experimentalSettings.customTransformApplierSettings.empty(),
         "experimentalSettings.customTransformApplierSettings");
  if (o.enableDistributedReplicatedGraphs)
    throw error(
        "enableDistributedReplicatedGraphs: replicas in several processes are not there yet.");
}

} // namespace

void checkOptions(const SessionOptions &o, const DataFlow &flow, bool training) {
  if (o.replicatedGraphCount > 1 && !o.enableReplicatedGraphs)
    throw error(base::str("replicatedGraphCount is ", o.replicatedGraphCount,
                          ", but enableReplicatedGraphs is not set."));
  if (o.replicatedGraphCount < 1)
    throw error(
        base::str("replicatedGraphCount is ", o.replicatedGraphCount, "; it must be at least 1."));
  if (flow.batchesPerStep() < 1)
    throw error(base::str("The DataFlow has ", flow.batchesPerStep(),
                          " batches per step; there must be at least 1."));
  o.getAccumulationFactor(); // a factor without its flag
  if (o.enableGradientAccumulation && !training)
    throw error("Gradient accumulation is for training; switch enableGradientAccumulation off.");
  if (!training && flow.anchors().empty())
    throw error("An inference session without anchors computes nothing. Name at least one tensor "
                "in the DataFlow.");
  const bool phased = o.virtualGraphMode == VirtualGraphMode::ExecutionPhases;
  if (o.executionPhaseSettings.phases > 1 && !phased)
    throw error(base::str("executionPhaseSettings.phases is ", o.executionPhaseSettings.phases,
                          ", which needs virtualGraphMode ExecutionPhases."));
  if (phased && o.enablePipelining)
    throw error("A model runs in execution phases or as a pipeline, not both. Switch "
                "enablePipelining off, or take another virtualGraphMode.");
  const auto &batches = o.batchSerializationSettings;
  if (batches.factor > 1 && batches.method == BatchSerializationMethod::Loop &&
      batches.transformContext != BatchSerializationTransformContext::Bwd)
    throw error(
        "batchSerializationSettings.method Loop needs transformContext Bwd. Set it, or take "
        "UnrollDynamic.");
  if (o.numIOTiles != 0 && (o.numIOTiles < 32 || o.numIOTiles % 2))
    throw error(base::str("numIOTiles is ", o.numIOTiles,
                          "; it is 0, or an even number of at least 32 tiles of every IPU."));
  checkWhatIsThere(o);
  checkDotOptions(o);
}

} // namespace popart::session
