// SPDX-License-Identifier: MIT
// Everything a session can be told beside its model. A plain struct; the defaults are the vendor's.
#ifndef POPART_SESSIONOPTIONS_HPP
#define POPART_SESSIONOPTIONS_HPP
#include <functional>
#include <popart/dataflow.hpp>
#include <popart/tensorlocation.hpp>
#include <popart/vendored/optional.hpp>

namespace popart {

// How operators come onto IPUs.
enum class VirtualGraphMode { Off = 0, Manual, Auto, ExecutionPhases, N };
// Which tensors of the forward pass are computed again.
enum class RecomputationType { None = 0, Standard, NormOnly, Pipeline, RecomputeAll, N };
// Whether an output is kept or computed again.
enum class RecomputeType { Undefined = 0, Checkpoint, Recompute, Recomputed };
// Which weight updates run as one.
enum class MergeVarUpdateType { None = 0, All, AutoLoose, AutoTight, N };
// What inputs hold when no data come from the host.
enum class SyntheticDataMode { Off = 0, Zeros, RandomNormal, RandomUniform, N };
enum class Instrumentation { Outer = 0, Inner, N }; // what a counter of cycles counts
// How gradients of replicas and micro-batches are combined.
enum class ReductionType { Sum = 0, Mean, NoReduction, N };
enum class MeanReductionStrategy { Running = 0, Post, PostAndLoss, N }; // when a mean is taken
// When inputs of a function are copied.
enum class SubgraphCopyingStrategy { OnEnterAndExit = 0, JustInTime, N };
enum class ExecutionPhaseIOSchedule { Preload = 0, OnDemand, N }; // when a phase loads its tensors
// How phases follow each other.
enum class ExecutionPhaseSchedule { Interleaving = 0, Batch, BatchClusteredIO, N };
// How operators outside of the loop over micro-batches are ordered.
enum class AccumulateOuterFragmentSchedule {
  Scheduler = 0,
  Serial,
  OverlapCycleOptimized,
  OverlapMemoryOptimized
};
// Where batches are cut.
enum class BatchSerializationTransformContext { Forward = 0, Fwd = 0, Backward, Bwd = 1, N };
// How the parts run.
enum class BatchSerializationMethod { UnrollDynamic = 0, UnrollStatic, Loop, N };
// How operators of the parts are ordered.
enum class BatchSerializationBatchSchedule {
  Scheduler = 0,
  Isomorphic,
  OverlapOnIo,
  OverlapOnCompute,
  N
};
// Which gradients automatic loss scaling looks at.
enum class GradientTensorTrackingMethod {
  AllNonViewChangingGradientTensors = 0,
  ConvAndMatmulGradients,
  GradientsOfUserSpecifiedTensors,
  N
};
// What the backward pass may use of the forward pass.
enum class AutodiffStitchStrategy {
  RecomputeMinimal = 0,
  RecomputeAllNonInputs,
  AddFwdOutputs,
  SafeAddFwdOutputs,
  N
};

// Phases that a model runs in one after the other.
struct ExecutionPhaseSettings {
  ExecutionPhaseSettings() = default;
  ExecutionPhaseSettings(int phases_, int stages_, ExecutionPhaseIOSchedule weights,
                         ExecutionPhaseIOSchedule activations,
                         ExecutionPhaseIOSchedule optimizerState,
                         ExecutionPhaseIOSchedule accumulators, ExecutionPhaseSchedule schedule_)
      : phases(phases_), stages(stages_), weightIOSchedule(weights),
        activationIOSchedule(activations), optimizerStateIOSchedule(optimizerState),
        accumulatorIOSchedule(accumulators), schedule(schedule_) {}

  int phases = 0;
  int stages = 2;
  ExecutionPhaseIOSchedule weightIOSchedule = ExecutionPhaseIOSchedule::Preload;
  ExecutionPhaseIOSchedule activationIOSchedule = ExecutionPhaseIOSchedule::Preload;
  ExecutionPhaseIOSchedule optimizerStateIOSchedule = ExecutionPhaseIOSchedule::OnDemand;
  ExecutionPhaseIOSchedule accumulatorIOSchedule = ExecutionPhaseIOSchedule::Preload;
  ExecutionPhaseSchedule schedule = ExecutionPhaseSchedule::Interleaving;
};

// Batches cut into parts that are computed one after the other.
struct BatchSerializationSettings {
  BatchSerializationSettings() = default;
  BatchSerializationSettings(
      int factor_, bool concatOnVirtualGraphChange_, bool concatOnExecutionPhaseChange_,
      bool concatOnPipelineStageChange_,
      BatchSerializationTransformContext context = BatchSerializationTransformContext::Fwd,
      BatchSerializationMethod method_ = BatchSerializationMethod::UnrollDynamic,
      BatchSerializationBatchSchedule schedule = BatchSerializationBatchSchedule::Isomorphic)
      : factor(factor_), concatOnVirtualGraphChange(concatOnVirtualGraphChange_),
        concatOnExecutionPhaseChange(concatOnExecutionPhaseChange_),
        concatOnPipelineStageChange(concatOnPipelineStageChange_), transformContext(context),
        method(method_), batchSchedule(schedule) {}

  int factor = 0;
  bool concatOnVirtualGraphChange = true;
  bool concatOnExecutionPhaseChange = true;
  bool concatOnPipelineStageChange = true;
  BatchSerializationTransformContext transformContext = BatchSerializationTransformContext::Fwd;
  BatchSerializationMethod method = BatchSerializationMethod::UnrollDynamic;
  BatchSerializationBatchSchedule batchSchedule = BatchSerializationBatchSchedule::Isomorphic;
};

// Operators outside of the loop over micro-batches.
struct AccumulateOuterFragmentSettings {
  AccumulateOuterFragmentSettings() = default;
  AccumulateOuterFragmentSettings(AccumulateOuterFragmentSchedule schedule_,
                                  const std::vector<int> &excluded = std::vector<int>())
      : schedule(schedule_), excludedVirtualGraphs(excluded) {}

  AccumulateOuterFragmentSchedule schedule = AccumulateOuterFragmentSchedule::Serial;
  std::vector<int> excludedVirtualGraphs;
};

// Collectives that run as one.
struct ReplicatedCollectivesSettings {
  ReplicatedCollectivesSettings(bool prepareSchedule = false, bool mergeAllReduce = false,
                                bool mergeReduceScatter = false, bool mergeAllGather = false)
      : prepareScheduleForMergingCollectives(prepareSchedule),
        mergeAllReduceCollectives(mergeAllReduce),
        mergeReduceScatterCollectives(mergeReduceScatter),
        mergeAllGatherCollectives(mergeAllGather) {}

  bool prepareScheduleForMergingCollectives;
  bool mergeAllReduceCollectives;
  bool mergeReduceScatterCollectives;
  bool mergeAllGatherCollectives;
};

// Loss scaling that follows the gradients.
struct AutomaticLossScalingSettings {
  AutomaticLossScalingSettings() = default;
  AutomaticLossScalingSettings(bool enabled_,
                               const nonstd::optional<std::vector<TensorId>> &tracked,
                               float binEdge = 0.125f, float upperProportion = 1e-7f,
                               int period = 1,
                               GradientTensorTrackingMethod method =
                                   GradientTensorTrackingMethod::AllNonViewChangingGradientTensors)
      : enabled(enabled_), binEdgeLocation(binEdge), thresholdUpperCountProportion(upperProportion),
        updatePeriod(period), toTrackTensors(tracked), gradientTensorTrackingMethod(method) {}

  bool enabled = false;
  float binEdgeLocation = 0.125f;
  float thresholdUpperCountProportion = 1e-7f;
  int updatePeriod = 1;
  nonstd::optional<std::vector<TensorId>> toTrackTensors; // none: what the method says
  GradientTensorTrackingMethod gradientTensorTrackingMethod =
      GradientTensorTrackingMethod::AllNonViewChangingGradientTensors;
};

// How the backward pass is made.
struct AutodiffSettings {
  AutodiffStitchStrategy stitchStrategy = AutodiffStitchStrategy::RecomputeAllNonInputs;
};

// Settings that may change.
struct ExperimentalSettings {
  std::map<std::string, std::vector<std::string>> customTransformApplierSettings;
  bool createHostTransferableTensorWithOffset = false;
};

using StringMap = std::map<std::string, std::string>; // options by name, as Poplar takes them

// How a session compiles and runs a model. docs/session-options.md tells what each option does.
struct SessionOptions {
  SessionOptions(); // reads POPART_CACHE_DIR and POPXL_CACHE_DIR

  // Execution and parallelism
  VirtualGraphMode virtualGraphMode = VirtualGraphMode::Off;
  std::vector<float> virtualGraphSplitRatios;
  bool enablePipelining = false;
  bool enableReplicatedGraphs = false;
  std::int64_t replicatedGraphCount = 1;
  bool enableGradientAccumulation = false;
  std::int64_t accumulationFactor = 1;
  ReductionType accumulationAndReplicationReductionType = ReductionType::Sum;
  MeanReductionStrategy meanAccumulationAndReplicationReductionStrategy =
      MeanReductionStrategy::Post;
  bool enableDistributedReplicatedGraphs = false;
  std::int64_t globalReplicationFactor = 1;
  std::int64_t globalReplicaOffset = 0;
  ExecutionPhaseSettings executionPhaseSettings; // of VirtualGraphMode::ExecutionPhases
  int numIOTiles = 0;
  BatchSerializationSettings batchSerializationSettings; // parts of a batch, one after the other
  AccumulateOuterFragmentSettings accumulateOuterFragmentSettings; // without effect
  ReplicatedCollectivesSettings replicatedCollectivesSettings;     // without effect
  bool useHostCopyOps = false;
  bool enableExplicitMainLoops = false;
  bool explicitRecomputation = false;
  bool createImplicitPipeliningFwdOnlyProgram = false;
  bool groupHostSync = false;
  bool stashAllTensorsInferencePipeline = false;

  // Recomputation and placement
  RecomputationType autoRecomputation = RecomputationType::None;
  TensorLocationSettings weightTensorLocationSettings;
  TensorLocationSettings optimizerStateTensorLocationSettings;
  TensorLocationSettings accumulatorTensorLocationSettings;
  TensorLocationSettings activationTensorLocationSettings;
  std::map<TensorId, TensorLocation> tensorLocationSettingsOverride;
  MergeVarUpdateType mergeVarUpdate = MergeVarUpdateType::None;
  std::int64_t mergeVarUpdateMemThreshold = 1000000;
  std::int64_t looseThresholdAtPeak = 8000;
  bool decomposeGradSum = false;
  bool aliasZeroCopy = false;
  SubgraphCopyingStrategy subgraphCopyingStrategy = SubgraphCopyingStrategy::OnEnterAndExit;
  bool enableOutlining = true;
  float outlineThreshold = 1.0f;
  bool enableOutliningCopyCostPruning = true;
  float outlineSequenceBreakCost = 10000.0f;
  bool delayVarUpdates = true;
  bool scheduleNonWeightUpdateGradientConsumersEarly = false;

  // Numerics and kernels
  bool enableStochasticRounding = false;
  bool enableFloatingPointChecks = false;
  std::string partialsTypeMatMuls;
  StringMap convolutionOptions, lstmOptions, matmulOptions, gclOptions;
  bool enableFullyConnectedPass = true;
  bool enableSerializedMatmuls = true;
  bool enableNonStableSoftmax = false;
  bool enableStableNorm = false;
  bool groupNormStridedChannelGrouping = false;
  AutomaticLossScalingSettings automaticLossScalingSettings; // a scale that follows the gradients
  bool ensureFp32LossScaleTensor = false;
  bool enableSupportedDataTypeCasting = true;
  bool throwIfLog2ScaleTensorNotInRange = true;
  bool enableLoadAndOffloadRNGState = false;
  bool _enableRngStateManagement = false;

  // Input, output, engine
  bool constantWeights = true;
  SyntheticDataMode syntheticDataMode = SyntheticDataMode::Off;
  StringMap engineOptions, reportOptions;
  bool instrumentWithHardwareCycleCounter = false;
  std::set<Instrumentation> hardwareInstrumentations = {Instrumentation::Outer};
  bool enablePrefetchDatastreams = true;
  unsigned defaultBufferingDepth = 1;
  std::map<TensorId, unsigned> bufferingDepthMap;
  bool rearrangeAnchorsOnHost = true;
  bool rearrangeStreamsOnHost = false;
  bool disableGradAccumulationTensorStreams = false;
  bool disableOptimizerStateTensorStreams = false;
  bool enableEngineCaching = false;
  std::string cachePath = "session_cache";
  bool enableVariablesCaching = true;
  bool compileEngine = true;
  std::vector<std::string> customCodelets;
  std::string customCodeletCompileFlags;
  std::vector<TensorId> updatableNamedBuffers;
  bool enableMergeExchange = true;
  bool enableEfficientOverlapIOTopoCons = false;
  bool useLoopCandidateCreator = false;
  bool enableConstantFoldingOfMultipleConsumers = true;
  std::function<void(int, int)> compilationProgressLogger; // (done, total)
  int compilationProgressTotal = 100;

  // Debugging, scheduling, checks
  std::string logDir;
  std::set<std::string> dotChecks;
  int firstDotOp = 0, finalDotOp = 10000;
  bool dotOpNames = false;
  bool separateCallOpPdfs = true;
  bool exportPoplarComputationGraph = false, exportPoplarVertexGraph = false;
  std::string kahnTieBreaker = "greedy";
  double timeLimitScheduler = 1e9;
  std::int64_t swapLimitScheduler = static_cast<std::int64_t>(1e9);
  std::size_t transitiveClosureOptimizationThreshold = 100000;
  std::string serializedPoprithmsShiftGraphsDir;
  bool strictOpVersions = true;
  bool opxAliasChecking = false, opxModifyChecking = false;
  bool enableInplaceAmbiguityChecking = false;
  AutodiffSettings autodiffSettings;         // without effect
  ExperimentalSettings experimentalSettings; // settings that may change

  // Sets three options together.
  void enableExplicitIR(bool enable) {
    useHostCopyOps = enableExplicitMainLoops = explicitRecomputation = enable;
  }
  // Replicas of all processes.
  std::int64_t getGlobalReplicationFactor() const {
    return enableDistributedReplicatedGraphs ? globalReplicationFactor
           : enableReplicatedGraphs          ? replicatedGraphCount
                                             : 1;
  }
  unsigned getAccumulationFactor() const; // popart::error for a factor without the flag
  // Whether the pipeline is made of explicit loops and copies.
  bool explicitPipeliningEnabled() const {
    return enablePipelining && useHostCopyOps && enableExplicitMainLoops;
  }
  unsigned getBufferingDepth(const TensorId &id) const; // of a stream: its own or the default
};

} // namespace popart
#endif
