// SPDX-License-Identifier: MIT
// SessionOptions and everything in it, DataFlow, Patterns.
#include "bind.hpp"
#include "mapview.hpp"
#include <popart/patterns/patterns.hpp>

using namespace popart;

namespace {

void bindEnums(py::module &m) {
  py::enum_<VirtualGraphMode>(m, "VirtualGraphMode")
      .value("Off", VirtualGraphMode::Off)
      .value("Manual", VirtualGraphMode::Manual)
      .value("Auto", VirtualGraphMode::Auto)
      .value("ExecutionPhases", VirtualGraphMode::ExecutionPhases);
  py::enum_<RecomputationType>(m, "RecomputationType")
      .value("NoRecompute", RecomputationType::None)
      .value("Standard", RecomputationType::Standard)
      .value("NormOnly", RecomputationType::NormOnly)
      .value("Pipeline", RecomputationType::Pipeline)
      .value("RecomputeAll", RecomputationType::RecomputeAll);
  py::enum_<RecomputeType>(m, "RecomputeType")
      .value("Undefined", RecomputeType::Undefined)
      .value("Checkpoint", RecomputeType::Checkpoint)
      .value("Recompute", RecomputeType::Recompute)
      .value("Recomputed", RecomputeType::Recomputed);
  py::enum_<MergeVarUpdateType>(m, "MergeVarUpdateType")
      .value("Off", MergeVarUpdateType::None)
      .value("All", MergeVarUpdateType::All)
      .value("AutoLoose", MergeVarUpdateType::AutoLoose)
      .value("AutoTight", MergeVarUpdateType::AutoTight);
  py::enum_<SyntheticDataMode>(m, "SyntheticDataMode")
      .value("Off", SyntheticDataMode::Off)
      .value("Zeros", SyntheticDataMode::Zeros)
      .value("RandomNormal", SyntheticDataMode::RandomNormal)
      .value("RandomUniform", SyntheticDataMode::RandomUniform);
  py::enum_<Instrumentation>(m, "Instrumentation")
      .value("Outer", Instrumentation::Outer)
      .value("Inner", Instrumentation::Inner);
  py::enum_<ReductionType>(m, "ReductionType")
      .value("Sum", ReductionType::Sum)
      .value("Mean", ReductionType::Mean)
      .value("NoReduction", ReductionType::NoReduction);
  py::enum_<MeanReductionStrategy>(m, "MeanReductionStrategy")
      .value("Running", MeanReductionStrategy::Running)
      .value("Post", MeanReductionStrategy::Post)
      .value("PostAndLoss", MeanReductionStrategy::PostAndLoss);
  py::enum_<SubgraphCopyingStrategy>(m, "SubgraphCopyingStrategy")
      .value("OnEnterAndExit", SubgraphCopyingStrategy::OnEnterAndExit)
      .value("JustInTime", SubgraphCopyingStrategy::JustInTime);
  py::enum_<ExecutionPhaseIOSchedule>(m, "ExecutionPhaseIOSchedule")
      .value("Preload", ExecutionPhaseIOSchedule::Preload)
      .value("OnDemand", ExecutionPhaseIOSchedule::OnDemand);
  py::enum_<ExecutionPhaseSchedule>(m, "ExecutionPhaseSchedule")
      .value("Interleaving", ExecutionPhaseSchedule::Interleaving)
      .value("Batch", ExecutionPhaseSchedule::Batch)
      .value("BatchClusteredIO", ExecutionPhaseSchedule::BatchClusteredIO);
  py::enum_<AccumulateOuterFragmentSchedule>(m, "AccumulateOuterFragmentSchedule")
      .value("Scheduler", AccumulateOuterFragmentSchedule::Scheduler)
      .value("Serial", AccumulateOuterFragmentSchedule::Serial)
      .value("OverlapCycleOptimized", AccumulateOuterFragmentSchedule::OverlapCycleOptimized)
      .value("OverlapMemoryOptimized", AccumulateOuterFragmentSchedule::OverlapMemoryOptimized);
  py::enum_<BatchSerializationTransformContext>(m, "BatchSerializationTransformContext")
      .value("Fwd", BatchSerializationTransformContext::Fwd)
      .value("Bwd", BatchSerializationTransformContext::Bwd);
  py::enum_<BatchSerializationMethod>(m, "BatchSerializationMethod")
      .value("UnrollDynamic", BatchSerializationMethod::UnrollDynamic)
      .value("UnrollStatic", BatchSerializationMethod::UnrollStatic)
      .value("Loop", BatchSerializationMethod::Loop);
  py::enum_<BatchSerializationBatchSchedule>(m, "BatchSerializationBatchSchedule")
      .value("Scheduler", BatchSerializationBatchSchedule::Scheduler)
      .value("Isomorphic", BatchSerializationBatchSchedule::Isomorphic)
      .value("OverlapOnIo", BatchSerializationBatchSchedule::OverlapOnIo)
      .value("OverlapOnCompute", BatchSerializationBatchSchedule::OverlapOnCompute);
  py::enum_<GradientTensorTrackingMethod>(m, "GradientTensorTrackingMethod")
      .value("AllNonViewChangingGradientTensors",
             GradientTensorTrackingMethod::AllNonViewChangingGradientTensors)
      .value("ConvAndMatmulGradients", GradientTensorTrackingMethod::ConvAndMatmulGradients)
      .value("GradientsOfUserSpecifiedTensors",
             GradientTensorTrackingMethod::GradientsOfUserSpecifiedTensors);
  py::enum_<ScatterReduction>(m, "ScatterReduction")
      .value("Sum", ScatterReduction::Sum)
      .value("Max", ScatterReduction::Max)
      .value("Min", ScatterReduction::Min)
      .value("Mul", ScatterReduction::Mul)
      .value("NoReduction", ScatterReduction::None);
  py::enum_<CollectiveOperator>(m, "CollectiveOperator")
      .value("Add", CollectiveOperator::Add)
      .value("Mean", CollectiveOperator::Mean)
      .value("Mul", CollectiveOperator::Mul)
      .value("Min", CollectiveOperator::Min)
      .value("Max", CollectiveOperator::Max)
      .value("LogicalAnd", CollectiveOperator::LogicalAnd)
      .value("LogicalOr", CollectiveOperator::LogicalOr)
      .value("SquareAdd", CollectiveOperator::SquareAdd)
      .value("Local", CollectiveOperator::Local);
}

void bindLocations(py::module &m) {
  py::enum_<TensorStorage>(m, "TensorStorage")
      .value("OnChip", TensorStorage::OnChip)
      .value("OffChip", TensorStorage::OffChip);
  py::enum_<TileSet>(m, "TileSet").value("Compute", TileSet::Compute).value("IO", TileSet::IO);
  py::enum_<ReplicatedTensorSharding>(m, "ReplicatedTensorSharding")
      .value("Off", ReplicatedTensorSharding::Off)
      .value("On", ReplicatedTensorSharding::On);
  py::enum_<ExchangeStrategy>(m, "ExchangeStrategy")
      .value("JustInTime", ExchangeStrategy::JustInTime)
      .value("OverlapInnerLoop", ExchangeStrategy::OverlapInnerLoop)
      .value("OverlapLoops", ExchangeStrategy::OverlapLoops)
      .value("OverlapStep", ExchangeStrategy::OverlapStep);
  py::enum_<ReplicatedStreamMode>(m, "ReplicatedStreamMode")
      .value("Replicate", ReplicatedStreamMode::Replicate)
      .value("Broadcast", ReplicatedStreamMode::Broadcast);
  py::enum_<CommGroupType>(m, "CommGroupType")
      .value("All", CommGroupType::All)
      .value("Consecutive", CommGroupType::Consecutive)
      .value("Orthogonal", CommGroupType::Orthogonal)
      .value("Ungrouped", CommGroupType::None);
  py::class_<CommGroup>(m, "CommGroup")
      .def(py::init<>())
      .def(py::init<CommGroupType, unsigned>(), py::arg("type"), py::arg("replicaGroupSize"))
      .def_readwrite("type", &CommGroup::type)
      .def_readwrite("replicaGroupSize", &CommGroup::replicaGroupSize);
  py::enum_<VariableRetrievalMode>(m, "VariableRetrievalMode")
      .value("OnePerGroup", VariableRetrievalMode::OnePerGroup)
      .value("AllReduceReplicas", VariableRetrievalMode::AllReduceReplicas)
      .value("AllReplicas", VariableRetrievalMode::AllReplicas);
  py::class_<VariableSettings>(m, "VariableSettings")
      .def(py::init<>())
      .def(py::init<CommGroup>())
      .def(py::init<VariableRetrievalMode>())
      .def(py::init<CommGroup, VariableRetrievalMode>())
      .def("getRealGroupSize", &VariableSettings::getRealGroupSize)
      .def("getGroupCount", &VariableSettings::getGroupCount)
      .def("numReplicasReturningVariable", &VariableSettings::numReplicasReturningVariable)
      .def("groups", &VariableSettings::groups)
      .def("getGroupRepresentative", &VariableSettings::getGroupRepresentative)
      .def("shapeOnReplica", &VariableSettings::shapeOnReplica)
      .def("shapeOnHost", &VariableSettings::shapeOnHost)
      .def("getSharedVariableDomain", &VariableSettings::getSharedVariableDomain)
      .def("getRetrievalMode", &VariableSettings::getRetrievalMode);
  py::class_<TensorLocation>(m, "TensorLocation")
      .def(py::init<>())
      .def(py::init<TensorStorage>(), py::arg("storage"))
      .def(py::init<TensorStorage, ReplicatedTensorSharding>(), py::arg("storage"),
           py::arg("replicatedTensorSharding"))
      .def(py::init<TensorStorage, ReplicatedTensorSharding, CommGroup>(), py::arg("storage"),
           py::arg("replicatedTensorSharding"), py::arg("shardingDomain"))
      .def(py::init<TensorStorage, TileSet, TileSet, ReplicatedTensorSharding>(),
           py::arg("storage"), py::arg("loadTileSet"), py::arg("storageTileSet"),
           py::arg("replicatedTensorSharding"))
      .def_readwrite("storage", &TensorLocation::storage)
      .def_readwrite("loadTileSet", &TensorLocation::loadTileSet)
      .def_readwrite("storageTileSet", &TensorLocation::storageTileSet)
      .def_readwrite("replicatedTensorSharding", &TensorLocation::replicatedTensorSharding)
      .def_readwrite("shardingDomain", &TensorLocation::shardingDomain);
  py::class_<TensorLocationSettings>(m, "TensorLocationSettings")
      .def(py::init<TensorLocation, int, int>(), py::arg("location"),
           py::arg("minElementsForOffChip") = 2,
           py::arg("minElementsForReplicatedTensorSharding") = 8192)
      .def(py::init<TensorStorage, int, int>(), py::arg("storage"),
           py::arg("minElementsForOffChip") = 2,
           py::arg("minElementsForReplicatedTensorSharding") = 8192)
      .def_readwrite("location", &TensorLocationSettings::location)
      .def_readwrite("minElementsForOffChip", &TensorLocationSettings::minElementsForOffChip)
      .def_readwrite("minElementsForReplicatedTensorSharding",
                     &TensorLocationSettings::minElementsForReplicatedTensorSharding);
  py::class_<InputSettings>(m, "InputSettings")
      .def(py::init<>())
      .def(py::init<TileSet, ExchangeStrategy>(), py::arg("tileSet") = TileSet::Compute,
           py::arg("exchangeStrategy") = ExchangeStrategy::JustInTime)
      .def(py::init<ReplicatedStreamMode>(), py::arg("replicatedStreamMode"));
}

void bindDataFlow(py::module &m) {
  py::enum_<AnchorReturnTypeId>(m, "AnchorReturnTypeId")
      .value("Final", AnchorReturnTypeId::Final)
      .value("EveryN", AnchorReturnTypeId::EveryN)
      .value("All", AnchorReturnTypeId::All)
      .value("Sum", AnchorReturnTypeId::Sum);
  py::class_<AnchorReturnType>(m, "AnchorReturnType")
      .def(py::init<std::string, TileSet, ExchangeStrategy>(), py::arg("anchorReturnTypeString"),
           py::arg("tileSet") = TileSet::Compute,
           py::arg("exchangeStrategy") = ExchangeStrategy::JustInTime)
      .def(py::init<std::string, int, TileSet, ExchangeStrategy>(),
           py::arg("anchorReturnTypeString"), py::arg("returnPeriod"),
           py::arg("tileSet") = TileSet::Compute,
           py::arg("exchangeStrategy") = ExchangeStrategy::JustInTime)
      .def("id", &AnchorReturnType::id)
      .def("rp", &AnchorReturnType::rp)
      .def("tileSet", &AnchorReturnType::tileSet)
      .def("exchangeStrategy", &AnchorReturnType::exchangeStrategy);
  py::class_<DataFlow>(m, "DataFlow")
      .def(py::init<int, const AnchorReturnTypeMap &>(), py::arg("batchesPerStep"),
           py::arg("anchorTensors"))
      .def(py::init<int, const std::vector<TensorId>, const AnchorReturnType &>(),
           py::arg("batchesPerStep"), py::arg("anchorTensorIds"),
           py::arg("anchorReturnType") = AnchorReturnType("All"))
      .def("isAnchored", &DataFlow::isAnchored)
      .def("anchors", &DataFlow::anchors)
      .def("nAnchors", &DataFlow::nAnchors)
      .def("batchesPerStep", &DataFlow::batchesPerStep)
      .def("setBatchesPerStep", &DataFlow::setBatchesPerStep)
      .def("art", &DataFlow::art);
}

void bindSettings(py::module &m) {
  py::class_<ExecutionPhaseSettings>(m, "ExecutionPhaseSettings")
      .def(py::init<>())
      .def_readwrite("phases", &ExecutionPhaseSettings::phases)
      .def_readwrite("stages", &ExecutionPhaseSettings::stages)
      .def_readwrite("weightIOSchedule", &ExecutionPhaseSettings::weightIOSchedule)
      .def_readwrite("activationIOSchedule", &ExecutionPhaseSettings::activationIOSchedule)
      .def_readwrite("optimizerStateIOSchedule", &ExecutionPhaseSettings::optimizerStateIOSchedule)
      .def_readwrite("accumulatorIOSchedule", &ExecutionPhaseSettings::accumulatorIOSchedule)
      .def_readwrite("schedule", &ExecutionPhaseSettings::schedule);
  py::class_<BatchSerializationSettings>(m, "BatchSerializationSettings")
      .def(py::init<>())
      .def_readwrite("factor", &BatchSerializationSettings::factor)
      .def_readwrite("concatOnVirtualGraphChange",
                     &BatchSerializationSettings::concatOnVirtualGraphChange)
      .def_readwrite("concatOnExecutionPhaseChange",
                     &BatchSerializationSettings::concatOnExecutionPhaseChange)
      .def_readwrite("concatOnPipelineStageChange",
                     &BatchSerializationSettings::concatOnPipelineStageChange)
      .def_readwrite("transformContext", &BatchSerializationSettings::transformContext)
      .def_readwrite("method", &BatchSerializationSettings::method)
      .def_readwrite("batchSchedule", &BatchSerializationSettings::batchSchedule);
  py::class_<AccumulateOuterFragmentSettings>(m, "AccumulateOuterFragmentSettings")
      .def(py::init<>())
      .def(py::init([](AccumulateOuterFragmentSchedule schedule, const std::vector<int> &excluded) {
             return AccumulateOuterFragmentSettings{schedule, excluded};
           }),
           py::arg("schedule"), py::arg("excludedVirtualGraphs") = std::vector<int>())
      .def_readwrite("schedule", &AccumulateOuterFragmentSettings::schedule)
      .def_readwrite("excludedVirtualGraphs",
                     &AccumulateOuterFragmentSettings::excludedVirtualGraphs);
  py::class_<ReplicatedCollectivesSettings>(m, "ReplicatedCollectivesSettings")
      .def(py::init<>())
      .def_readwrite("prepareScheduleForMergingCollectives",
                     &ReplicatedCollectivesSettings::prepareScheduleForMergingCollectives)
      .def_readwrite("mergeAllReduceCollectives",
                     &ReplicatedCollectivesSettings::mergeAllReduceCollectives)
      .def_readwrite("mergeReduceScatterCollectives",
                     &ReplicatedCollectivesSettings::mergeReduceScatterCollectives)
      .def_readwrite("mergeAllGatherCollectives",
                     &ReplicatedCollectivesSettings::mergeAllGatherCollectives);
  py::class_<AutomaticLossScalingSettings>(m, "AutomaticLossScalingSettings")
      .def(py::init<>())
      .def_readwrite("enabled", &AutomaticLossScalingSettings::enabled)
      .def_readwrite("binEdgeLocation", &AutomaticLossScalingSettings::binEdgeLocation)
      .def_readwrite("thresholdUpperCountProportion",
                     &AutomaticLossScalingSettings::thresholdUpperCountProportion)
      .def_readwrite("updatePeriod", &AutomaticLossScalingSettings::updatePeriod)
      .def_property(
          "toTrackTensors",
          [](const AutomaticLossScalingSettings &s) -> py::object {
            if (!s.hasToTrackTensors)
              return py::none();
            return py::cast(s.toTrackTensors);
          },
          [](AutomaticLossScalingSettings &s, const py::object &ids) {
            s.hasToTrackTensors = !ids.is_none();
            s.toTrackTensors =
                ids.is_none() ? std::vector<TensorId>() : ids.cast<std::vector<TensorId>>();
          })
      .def_readwrite("gradientTensorTrackingMethod",
                     &AutomaticLossScalingSettings::gradientTensorTrackingMethod);
}

void bindSessionOptions(py::module &m) {
  bindMapView<StringMap>(m, "_StringMap");
  bindMapView<std::map<TensorId, TensorLocation>>(m, "_LocationMap");
  bindMapView<std::map<TensorId, unsigned>>(m, "_DepthMap");
  bindMapView<std::map<std::string, std::vector<std::string>>>(m, "_ListMap");
  py::class_<ExperimentalSettings> experimental(m, "ExperimentalSettings");
  experimental.def(py::init<>())
      .def_readwrite("createHostTransferableTensorWithOffset",
                     &ExperimentalSettings::createHostTransferableTensorWithOffset);
  mapProperty(experimental, "customTransformApplierSettings",
              &ExperimentalSettings::customTransformApplierSettings);
  py::class_<SessionOptions> c(m, "SessionOptions");
  c.def(py::init<>());
#define FIELD(name) c.def_readwrite(#name, &SessionOptions::name)
#define MAP(name) mapProperty(c, #name, &SessionOptions::name)
  FIELD(virtualGraphMode);
  FIELD(virtualGraphSplitRatios);
  FIELD(enablePipelining);
  FIELD(enableReplicatedGraphs);
  FIELD(replicatedGraphCount);
  FIELD(enableGradientAccumulation);
  FIELD(accumulationFactor);
  FIELD(accumulationAndReplicationReductionType);
  FIELD(meanAccumulationAndReplicationReductionStrategy);
  FIELD(enableDistributedReplicatedGraphs);
  FIELD(globalReplicationFactor);
  FIELD(globalReplicaOffset);
  FIELD(executionPhaseSettings);
  FIELD(numIOTiles);
  FIELD(batchSerializationSettings);
  FIELD(accumulateOuterFragmentSettings);
  FIELD(replicatedCollectivesSettings);
  FIELD(useHostCopyOps);
  FIELD(enableExplicitMainLoops);
  FIELD(explicitRecomputation);
  FIELD(createImplicitPipeliningFwdOnlyProgram);
  FIELD(groupHostSync);
  FIELD(stashAllTensorsInferencePipeline);
  FIELD(autoRecomputation);
  FIELD(weightTensorLocationSettings);
  FIELD(optimizerStateTensorLocationSettings);
  FIELD(accumulatorTensorLocationSettings);
  FIELD(activationTensorLocationSettings);
  MAP(tensorLocationSettingsOverride);
  FIELD(mergeVarUpdate);
  FIELD(mergeVarUpdateMemThreshold);
  FIELD(decomposeGradSum);
  FIELD(aliasZeroCopy);
  FIELD(subgraphCopyingStrategy);
  FIELD(enableOutlining);
  FIELD(outlineThreshold);
  FIELD(enableOutliningCopyCostPruning);
  FIELD(outlineSequenceBreakCost);
  FIELD(delayVarUpdates);
  FIELD(scheduleNonWeightUpdateGradientConsumersEarly);
  FIELD(enableStochasticRounding);
  FIELD(enableFloatingPointChecks);
  FIELD(partialsTypeMatMuls);
  MAP(convolutionOptions);
  MAP(lstmOptions);
  MAP(matmulOptions);
  MAP(gclOptions);
  FIELD(enableFullyConnectedPass);
  FIELD(enableSerializedMatmuls);
  FIELD(enableNonStableSoftmax);
  FIELD(enableStableNorm);
  FIELD(groupNormStridedChannelGrouping);
  FIELD(automaticLossScalingSettings);
  FIELD(ensureFp32LossScaleTensor);
  FIELD(enableSupportedDataTypeCasting);
  FIELD(throwIfLog2ScaleTensorNotInRange);
  FIELD(enableLoadAndOffloadRNGState);
  FIELD(_enableRngStateManagement);
  FIELD(constantWeights);
  FIELD(syntheticDataMode);
  MAP(engineOptions);
  MAP(reportOptions);
  FIELD(instrumentWithHardwareCycleCounter);
  FIELD(hardwareInstrumentations);
  FIELD(enablePrefetchDatastreams);
  FIELD(defaultBufferingDepth);
  MAP(bufferingDepthMap);
  FIELD(rearrangeAnchorsOnHost);
  FIELD(rearrangeStreamsOnHost);
  FIELD(disableGradAccumulationTensorStreams);
  FIELD(disableOptimizerStateTensorStreams);
  FIELD(enableEngineCaching);
  FIELD(cachePath);
  FIELD(enableVariablesCaching);
  FIELD(compileEngine);
  FIELD(customCodelets);
  FIELD(customCodeletCompileFlags);
  FIELD(updatableNamedBuffers);
  FIELD(enableMergeExchange);
  FIELD(enableEfficientOverlapIOTopoCons);
  FIELD(useLoopCandidateCreator);
  FIELD(enableConstantFoldingOfMultipleConsumers);
  FIELD(compilationProgressLogger);
  FIELD(compilationProgressTotal);
  FIELD(logDir);
  FIELD(dotChecks);
  FIELD(firstDotOp);
  FIELD(finalDotOp);
  FIELD(dotOpNames);
  FIELD(separateCallOpPdfs);
  FIELD(exportPoplarComputationGraph);
  FIELD(exportPoplarVertexGraph);
  FIELD(kahnTieBreaker);
  FIELD(timeLimitScheduler);
  FIELD(swapLimitScheduler);
  FIELD(transitiveClosureOptimizationThreshold);
  FIELD(serializedPoprithmsShiftGraphsDir);
  FIELD(strictOpVersions);
  FIELD(opxAliasChecking);
  FIELD(opxModifyChecking);
  FIELD(enableInplaceAmbiguityChecking);
#undef FIELD
#undef MAP
  c.def_readwrite("defaultPrefetchBufferingDepth", &SessionOptions::defaultBufferingDepth);
  mapProperty(c, "prefetchBufferingDepthMap", &SessionOptions::bufferingDepthMap);
  c.def_readwrite("experimentalSettings", &SessionOptions::experimentalSettings);
  c.def("enableExplicitIR", &SessionOptions::enableExplicitIR);
  c.def("getGlobalReplicationFactor", &SessionOptions::getGlobalReplicationFactor);
}

void bindPatterns(py::module &m) {
  py::enum_<PatternsLevel>(m, "PatternsLevel")
      .value("NoPatterns", PatternsLevel::NoPatterns)
      .value("Minimal", PatternsLevel::Minimal)
      .value("Default", PatternsLevel::Default)
      .value("All", PatternsLevel::All);
  py::class_<Patterns> c(m, "Patterns");
  c.def(py::init<>())
      .def(py::init<PatternsLevel>())
      .def(py::init<std::vector<std::string>>())
      .def("enablePattern", &Patterns::enablePattern)
      .def("isPatternEnabled", &Patterns::isPatternEnabled)
      .def("enableRuntimeAsserts", &Patterns::enableRuntimeAsserts)
      .def_property("InPlace", &Patterns::isInPlaceEnabled, &Patterns::enableInPlace);
  for (const char *name :
       {"PreUniRepl", "PostNRepl", "SoftMaxGradDirect", "NlllWithSoftMaxGradDirect", "OpToIdentity",
        "SubtractArg1GradOp", "MulArgGradOp", "MatMulOp", "MatMulLhsGradOp", "MatMulRhsGradOp"}) {
    const std::string pattern = name;
    c.def_property(
        name, [pattern](const Patterns &p) { return p.isPatternEnabled(pattern); },
        [pattern](Patterns &p, bool on) { p.enablePattern(pattern, on); });
  }
}

} // namespace

void bindOptions(py::module &m) {
  bindEnums(m);
  bindLocations(m);
  bindDataFlow(m);
  bindSettings(m);
  bindSessionOptions(m);
  bindPatterns(m);
}
