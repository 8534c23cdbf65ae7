// SPDX-License-Identifier: MIT
#include "session/optionchecks.hpp"

#include "base/CheckedSize.hpp"
#include "base/Text.hpp"
#include "openipu/SessionOptionTable.hpp"
#include "session/dot.hpp"
#include <cmath>
#include <limits>
#include <popart/error.hpp>
#include <poplar/EngineOptions.hpp>

namespace popart::session {

namespace {

const char *offOr(const auto &) { return ""; }
const char *offOr(bool given) { return given ? "" : " off"; }

template <bool refused, class T> void refuse(const T &given, const T &usual, const char *name) {
  if constexpr (refused)
    if (given != usual)
      throw error(base::str(name, offOr(given), " is not there yet; leave it at its default."));
}

// What would be asked for in vain.
void checkWhatIsThere(const SessionOptions &o) {
  const SessionOptions usual;
#define OPTION(member, key, use, text, ...)                                                        \
  refuse<option::Use::use == option::Use::Refused>(o.member, usual.member, #member);
#define OPTION_PART(owner, member, key, use, text)                                                 \
  refuse<option::Use::use == option::Use::Refused>(o.owner.member, usual.owner.member,             \
                                                   #owner "." #member);
#include "openipu/SessionOptions.def"
}

// Replicas of several instances.
void checkShare(const SessionOptions &o) {
  if (!o.enableDistributedReplicatedGraphs)
    return;
  const auto here = o.enableReplicatedGraphs ? o.replicatedGraphCount : 1;
  const auto first = o.globalReplicaOffset, all = o.globalReplicationFactor;
  if (all < 1 || first < 0 || here > all || first > all - here)
    throw error(base::str(
        "enableDistributedReplicatedGraphs: ", here, " replicas from globalReplicaOffset ", first,
        " on are not among the ", all,
        " of globalReplicationFactor. replicatedGraphCount is the number of this instance, "
        "globalReplicationFactor that of all."));
}

// What no arithmetic could make sense of.
void checkNumbers(const SessionOptions &o) {
  const std::pair<const char *, double> numbers[] = {
      {"outlineThreshold", double(o.outlineThreshold)},
      {"outlineSequenceBreakCost", double(o.outlineSequenceBreakCost)},
      {"timeLimitScheduler", o.timeLimitScheduler}};
  for (const auto &[name, value] : numbers)
    if (std::isnan(value))
      throw error(base::str(name, " is not a number. Give one, or leave it at its default."));
  const std::pair<const char *, double> counts[] = {
      {"timeLimitScheduler", o.timeLimitScheduler},
      {"numIOTiles", double(o.numIOTiles)},
      {"batchSerializationSettings.factor", double(o.batchSerializationSettings.factor)}};
  for (const auto &[name, value] : counts)
    if (value < 0)
      throw error(base::str(name, " is ", value, "; it must not be negative."));
  for (const auto *location :
       {&o.activationTensorLocationSettings, &o.weightTensorLocationSettings,
        &o.optimizerStateTensorLocationSettings, &o.accumulatorTensorLocationSettings})
    if (location->minElementsForOffChip < 0 || location->minElementsForReplicatedTensorSharding < 0)
      throw error("TensorLocationSettings: minElementsForOffChip and "
                  "minElementsForReplicatedTensorSharding must not be negative.");
  bool buffered = o.defaultBufferingDepth > 0;
  for (const auto &[id, depth] : o.bufferingDepthMap)
    buffered = buffered && depth > 0;
  if (!buffered)
    throw error("defaultBufferingDepth and every depth in bufferingDepthMap must be at least 1.");
}

void checkMicroBatches(const SessionOptions &o, const DataFlow &flow) {
  const auto ofStep =
      base::checkedProduct(o.getAccumulationFactor(), std::uint64_t(flow.batchesPerStep()),
                           std::numeric_limits<std::int32_t>::max());
  if (!ofStep)
    throw error(base::str("accumulationFactor ", o.getAccumulationFactor(), " times ",
                          flow.batchesPerStep(), " batches per step are more micro-batches than ",
                          std::numeric_limits<std::int32_t>::max(), ". Make one of them smaller."));
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
  checkMicroBatches(o, flow);
  if (o.enableGradientAccumulation && !training)
    throw error("Gradient Accumulation only available when training; switch "
                "enableGradientAccumulation off.");
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
  if (o.numIOTiles > 0 && (o.numIOTiles < 32 || o.numIOTiles % 2))
    throw error(base::str("numIOTiles is ", o.numIOTiles,
                          "; it is 0, or an even number of at least 32 tiles of every IPU."));
  if (training && o.autoRecomputation == RecomputationType::Pipeline && !o.enablePipelining)
    throw error("autoRecomputation is Pipeline, which keeps what enters the stages of a pipeline, "
                "and there is none. Set enablePipelining, or take Standard or RecomputeAll.");
  if (o.createImplicitPipeliningFwdOnlyProgram &&
      !(training && o.enablePipelining && o.enableGradientAccumulation))
    throw error("createImplicitPipeliningFwdOnlyProgram is for training in a pipeline that "
                "accumulates gradients. Set enablePipelining and enableGradientAccumulation, or "
                "make an InferenceSession.");
  checkShare(o);
  checkNumbers(o);
  checkWhatIsThere(o);
  checkDotOptions(o);
}

bool checksIndices(const SessionOptions &options) {
  constexpr const char *key = "debug.checkIndices";
  poplar::OptionFlags given;
  if (const auto it = options.engineOptions.find(key); it != options.engineOptions.end())
    given.set(key, it->second);
  const poplar::EngineOptions engine(given, poplar::Target());
  const auto it = engine.flags().find(key);
  return it != engine.flags().end() && it->second == "true";
}

} // namespace popart::session
