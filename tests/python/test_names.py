# SPDX-License-Identifier: MIT
"""Every public name of PopART's Python interface is there, and the forms of calls that programs use."""
import inspect
import pathlib
import re

import numpy as np
import onnx
import popart
import popart_core
import pytest
from harness import device, infer

# Class: its attributes and methods. The names are those of PopART 3.4.
NAMES = {
    "": """Builder InferenceSession TrainingSession OutOfMemoryException TensorInfo DataType DebugContext DebugInfo
        OptimizerValue CommGroup CommGroupType InputShapeInfo InputSettings ReplicatedStreamMode VariableSettings
        ReplicaGrouping VariableRetrievalMode TileSet ExchangeStrategy TensorLocation TensorLocationSettings TensorStorage
        ReplicatedTensorSharding DataFlow AnchorReturnType PyStepIO PyStepIOCallback PyWeightsIO DeviceManager DeviceInfo
        DeviceType SyncPattern DeviceConnectionType DeviceSelectionCriterion syncPatternFromString syncPatternToString
        SessionOptions Patterns PatternsLevel ConstSGD SGD Adam Adaptive AdamMode WeightDecayMode
        SGDAccumulatorAndMomentum AdaptiveMode ClipNormSettings GraphTransformer NumericsReport getLogger
        getSupportedOperations getSupportedOperationsDefinition getUnsupportedOperations getTensorInfo
        IrSerializationFormat RecomputeType RecomputationType ReductionType MeanReductionStrategy CollectiveOperator
        ScatterReduction TensorRemapType InitType VirtualGraphMode SyntheticDataMode MergeVarUpdateType Instrumentation
        ExecutionPhaseSettings ExecutionPhaseIOSchedule ExecutionPhaseSchedule BatchSerializationSettings
        BatchSerializationTransformContext BatchSerializationMethod BatchSerializationBatchSchedule
        AccumulateOuterFragmentSettings AccumulateOuterFragmentSchedule ReplicatedCollectivesSettings
        SubgraphCopyingStrategy AutomaticLossScalingSettings GradientTensorTrackingMethod ExperimentalSettings
        popart_exception popart_internal_exception popart_runtime_error poplibs_exception poplar_exception
        poplar_runtime_error poplar_application_runtime_error poplar_system_runtime_error
        poplar_recoverable_runtime_error poplar_unrecoverable_runtime_error poplar_unknown_runtime_error RecoveryAction
        versionString versionNumber packageHash defaultAiOnnxOpset defaultAiOnnxMlOpset defaultAiGraphcoreOpset
        reservedGradientPrefix reservedUpdatedVarPrefix reservedAccumPrefix reservedAcclPrefix reservedAccl1Prefix
        reservedAccl2Prefix reservedAccl3Prefix reservedStepPrefix reservedLossScalingPrefix""",
    "Builder": """addInputTensor addInitializedInputTensor addUntypedInputTensor addInputTensorFromParentGraph
        addOutputTensor createSubgraphBuilder getModelProto saveModelProto saveInitializersExternally customOp
        reshape_const virtualGraph pipelineStage executionPhase getVirtualGraph getPipelineStage getExecutionPhase
        hasVirtualGraph hasPipelineStage hasExecutionPhase recomputeOutput recomputeOutputInBackwardPass
        getRecomputeOutputInBackwardPass checkpointOutput outputTensorLocation schedulePriority outlineAttributes
        commGroup excludePatterns setPartialsType getPartialsType setAvailableMemoryProportion setEnableConvDithering
        setSerializeMatMul setInplacePreferences nameScope getNameScope addNodeAttribute nodeHasAttribute
        getInt64NodeAttribute getInt64VectorNodeAttribute getFloatNodeAttribute getFloatVectorNodeAttribute
        getStringNodeAttribute getStringVectorNodeAttribute removeNodeAttribute getAllNodeAttributeNames
        getInputTensorIds getOutputTensorIds getValueTensorIds getTrainableTensorIds getTensorShape getTensorDtypeString
        isInitializer embedReplicationFactor setGraphName aiOnnx aiOnnxOpset6 aiOnnxOpset7 aiOnnxOpset8 aiOnnxOpset9
        aiOnnxOpset10 aiOnnxOpset11 aiGraphcore aiGraphcoreOpset1 aiOnnxMlOpset1""",
    "AiGraphcoreOpset1": """l1loss nllloss identityloss ctcloss _ctcloss ctcbeamsearchdecoder groupnormalization
        batchnormalization scale scaledadd gelu geluerf swish expm1 log1p atan2 fmod remainder round nearbyint bitwiseand
        bitwiseor bitwisexor bitwisexnor bitwisenot reshape slice detach nop subsample reverse depthtospace reducemedian
        sort scatterreduce groupedscatterreduce groupedgather bucketize dynamicslice dynamicupdate dynamiczero dynamicadd
        sequenceslice shapeddropout lstm multiconv copyvarupdate printtensor splinebasis splineweighting init call
        replicatedallreduce replicatedreducescatter tensorremap incrementmod normalize_image abort""",
    "TensorInfo": "shape metaShape rank nelms nbytes dim strides dataType data_type data_type_lcase set",
    "InputShapeInfo": "add get has",
    "InputSettings": "tileSet exchangeStrategy replicatedStreamMode",
    "VariableSettings": """getGroupCount getRealGroupSize groups getGroupRepresentative numReplicasReturningVariable
        shapeOnReplica shapeOnHost getReplicaGrouping""",
    "ReplicaGrouping": """getNumReplicas getStride getGroupSize getNumGroups getGroupIndexAt getIndexInGroupAt
        getReplicaAt getReplicasAt getTranspose""",
    "TensorLocation": "storage loadTileSet storageTileSet replicatedTensorSharding shardingDomain",
    "TensorLocationSettings": "location minElementsForOffChip minElementsForReplicatedTensorSharding",
    "DataFlow": "anchors nAnchors batchesPerStep art isAnchored setBatchesPerStep",
    "AnchorReturnType": "id rp tileSet exchangeStrategy",
    "PyStepIO": "enableRuntimeAsserts",
    "DeviceManager": """createCpuDevice createIpuModelDevice createOfflineIPUDevice createSimDevice
        createOfflineIpuFromDeviceInfo createOfflineIpuFromSystemString acquireAvailableDevice
        tryAcquireAvailableDevice acquireDeviceById tryAcquireDeviceById enumerateDevices setOnDemandAttachTimeout""",
    "DeviceInfo": """attach detach tryAttachUntilTimeout type connectionType version ipuVersion id numIpus tilesPerIPU
        tilesPerIpu driverIds isAttached numWorkerContexts __enter__ __exit__""",
    "InferenceSession": """prepareDevice weightsFromHost run initAnchorArrays modelToHost resetHostWeights getCycleCount
        setRandomSeed getRandomSeed weightsToHost readWeights writeWeights getInfo getAllTensorIds compileAndExport
        saveExecutable saveVariables loadExecutable loadEngineAndConnectStreams getRNGState setRNGState getSummaryReport
        getSerializedGraph updateExternallySavedTensorLocations _serializeIr dataFlow replicationFactor
        accumulationFactor""",
    "TrainingSession": """prepareDevice weightsFromHost run initAnchorArrays modelToHost resetHostWeights getCycleCount
        setRandomSeed getRandomSeed weightsToHost readWeights writeWeights broadcastWeights updateOptimizerFromHost getInfo
        getTensorIds compileAndExport saveExecutable saveVariables loadExecutable loadEngineAndConnectStreams getRNGState
        setRNGState getSummaryReport getSerializedGraph updateExternallySavedTensorLocations _serializeIr dataFlow
        replicationFactor accumulationFactor""",
    "SessionOptions": """virtualGraphMode virtualGraphSplitRatios enablePipelining enableReplicatedGraphs
        replicatedGraphCount enableGradientAccumulation accumulationFactor accumulationAndReplicationReductionType
        meanAccumulationAndReplicationReductionStrategy enableDistributedReplicatedGraphs globalReplicationFactor
        globalReplicaOffset executionPhaseSettings numIOTiles batchSerializationSettings
        accumulateOuterFragmentSettings replicatedCollectivesSettings useHostCopyOps enableExplicitMainLoops
        explicitRecomputation enableExplicitIR createImplicitPipeliningFwdOnlyProgram groupHostSync
        stashAllTensorsInferencePipeline autoRecomputation weightTensorLocationSettings
        optimizerStateTensorLocationSettings accumulatorTensorLocationSettings activationTensorLocationSettings
        tensorLocationSettingsOverride mergeVarUpdate mergeVarUpdateMemThreshold decomposeGradSum aliasZeroCopy
        subgraphCopyingStrategy enableOutlining outlineThreshold enableOutliningCopyCostPruning
        outlineSequenceBreakCost delayVarUpdates scheduleNonWeightUpdateGradientConsumersEarly
        enableStochasticRounding enableFloatingPointChecks partialsTypeMatMuls convolutionOptions lstmOptions
        matmulOptions gclOptions enableFullyConnectedPass enableNonStableSoftmax enableStableNorm
        groupNormStridedChannelGrouping automaticLossScalingSettings ensureFp32LossScaleTensor
        enableSupportedDataTypeCasting throwIfLog2ScaleTensorNotInRange enableLoadAndOffloadRNGState
        constantWeights syntheticDataMode engineOptions reportOptions
        instrumentWithHardwareCycleCounter hardwareInstrumentations enablePrefetchDatastreams defaultBufferingDepth
        bufferingDepthMap defaultPrefetchBufferingDepth prefetchBufferingDepthMap rearrangeAnchorsOnHost
        rearrangeStreamsOnHost disableGradAccumulationTensorStreams disableOptimizerStateTensorStreams
        enableEngineCaching cachePath enableVariablesCaching compileEngine customCodelets customCodeletCompileFlags
        updatableNamedBuffers enableMergeExchange enableEfficientOverlapIOTopoCons useLoopCandidateCreator
        enableConstantFoldingOfMultipleConsumers logDir dotChecks firstDotOp finalDotOp dotOpNames separateCallOpPdfs
        exportPoplarComputationGraph exportPoplarVertexGraph kahnTieBreaker timeLimitScheduler swapLimitScheduler
        transitiveClosureOptimizationThreshold serializedPoprithmsShiftGraphsDir strictOpVersions opxAliasChecking
        opxModifyChecking enableInplaceAmbiguityChecking experimentalSettings getGlobalReplicationFactor""",
    "Patterns": """InPlace PreUniRepl PostNRepl SoftMaxGradDirect NlllWithSoftMaxGradDirect OpToIdentity
        SubtractArg1GradOp MulArgGradOp MatMulOp MatMulLhsGradOp MatMulRhsGradOp enablePattern isPatternEnabled
        enableRuntimeAsserts""",
    "SGD": "insertSpecific learningRates weightDecays momentums dampenings velocityScalings",
    "Adam": "insertSpecific learningRates weightDecays beta1s beta2s epss",
    "Adaptive": "insertSpecific learningRates weightDecays alphas momentums epss",
    "ClipNormSettings": "clipWeights clipAllWeights",
    "GraphTransformer": """convertFloatsToHalfs convertDoublesToFloats convertDoublesToHalfs convertBFloats16ToFloat32
        convertUINT8ToINT32 convertUINT16ToINT32 convertINT8ToINT32 convertINT16ToINT32 convertINT64ToINT32
        convertInitializersToConstants convertAllFixedPointInitializersToConstants prepareNodesForTraining
        removeUnusedInputs saveInitializersExternally getModelProto""",
    "NumericsReport": "report fullReport getRelativeErrors",
    "Logger": "setLevel trace debug info warn error critical",
    "InitType": "NoInit Zero",
    "ReductionType": "Sum Mean NoReduction",
    "CollectiveOperator": "Add Mean Mul Min Max LogicalAnd LogicalOr SquareAdd Local",
    "ScatterReduction": "Sum Max Min Mul NoReduction",
    "TensorRemapType": "FwdBwdReverse FwdBwd Fwd",
    "DeviceType": "IpuModel Cpu Ipu OfflineIpu Sim",
    "RecoveryAction": "IPU_RESET LINK_RESET PARTITION_RESET FULL_RESET",
    "DataType": """UINT8 INT8 FLOAT8_143 FLOAT8_152 UINT16 INT16 INT32 INT64 UINT32 UINT64 BOOL FLOAT FLOAT16 BFLOAT16
        DOUBLE COMPLEX64 COMPLEX128 STRING UNDEFINED""",
}


@pytest.mark.parametrize("owner", NAMES)
def test_every_public_name_is_there(owner):
    where = getattr(popart, owner) if owner else popart
    missing = [name for name in NAMES[owner].split() if not hasattr(where, name)]
    assert not missing, f"{owner or 'popart'} has no {', '.join(missing)}"


def test_argument_names_of_sessions_and_operators():
    def first(function, n):
        return list(inspect.signature(function).parameters)[:n]

    assert first(popart.InferenceSession, 7) == ["fnModel", "dataFlow", "deviceInfo", "inputShapeInfo", "patterns",
                                                 "userOptions", "name"]
    assert first(popart.TrainingSession, 9) == ["fnModel", "dataFlow", "loss", "optimizer", "deviceInfo",
                                                "inputShapeInfo", "patterns", "userOptions", "name"]
    graphcore = popart.Builder().aiGraphcore
    assert first(graphcore.printtensor, 4) == ["args", "print_gradient", "debugContext", "title"]
    assert first(popart.Builder().aiOnnx.randomnormal, 1) == ["shape"]
    assert inspect.signature(popart.Builder.customOp)  # in signatures that inspect reads


# What C++ calls an exception, with the library's name where two libraries have one of that name.
RAISED = {"popart_error": "popart_exception", "popart_internal_error": "popart_internal_exception",
          "popart_runtime_error": "popart_runtime_error", "poplibs_error": "poplibs_exception",
          "poplar_error": "poplar_exception", "poplar_runtime_error": "poplar_runtime_error",
          **{f"{kind}_runtime_error": f"poplar_{kind}_runtime_error"
             for kind in ("application", "system", "recoverable", "unrecoverable", "unknown")}}


@pytest.mark.parametrize("hook, name", RAISED.items())
def test_the_core_raises_every_exception_as_its_own_class(hook, name):
    with pytest.raises(getattr(popart, name), match="why") as caught:
        getattr(popart_core, "_throw_" + hook)("why")
    assert caught.type is getattr(popart, name)


def test_a_recoverable_error_says_what_brings_the_device_back():
    with pytest.raises(popart.poplar_recoverable_runtime_error) as caught:
        popart_core._throw_recoverable_runtime_error("why", popart.RecoveryAction.LINK_RESET)
    assert caught.value.recoveryAction == popart.RecoveryAction.LINK_RESET


def test_operators_without_inputs_take_none():
    def build(b, _):
        zeros = b.aiGraphcore.init([2, 3], popart.DataType.FLOAT, popart.InitType.Zero, "zeros")
        ints = b.aiGraphcore.init([2], popart.DataType.INT32, popart.InitType.NoInit, 0)
        assert b.getTensorDtypeString(ints) == "int32"
        return [zeros, b.aiOnnx.randomnormal([4, 5], mean=100.0), b.aiOnnx.randomuniform(shape=[50], low=2.0, high=3.0)]

    zeros, normal, uniform = infer(build, [])
    assert zeros.shape == (2, 3) and not zeros.any()
    assert normal.shape == (4, 5) and 90 < normal.mean() < 110 and normal.std() > 0
    assert (uniform >= 2).all() and (uniform <= 3).all() and uniform.std() > 0


def test_opsets_of_other_domains_are_written_down():
    b = popart.Builder(opsets={"ai.onnx": 9, "ai.onnx.ml": 1, "ai.graphcore": 1, "own": 3})
    x = b.addInputTensor("FLOAT", [2])
    b.aiOnnx.relu([x])
    b.customOp("Anything", 3, "own", [x], {})
    versions = {i.domain: i.version for i in onnx.load_from_string(b.getModelProto()).opset_import}
    assert versions == {"": 9, "ai.onnx.ml": 1, "own": 3}
    with pytest.raises(RuntimeError, match="ai.graphcore"):
        popart.Builder(opsets={"ai.onnx": 9})


def test_virtual_graph_of_a_node_by_name_list_or_set():
    b = popart.Builder()
    with b.virtualGraph(3):
        y = b.aiOnnx.relu([b.addInputTensor("FLOAT", [2])])
        assert b.getVirtualGraph() == 3
    assert b.getVirtualGraph(y) == b.getVirtualGraph([y]) == b.getVirtualGraph({y}) == 3


def test_values_stand_in_the_fields_of_the_model():
    b = popart.Builder()
    floats = np.array([[1.5, -2, 3]], np.float32)
    halves = np.array([1, -2, 3], np.float16)
    large = np.zeros(1 << 19, np.float32)
    for name, value in (("f", floats), ("h", halves), ("i", np.array([7, -8], np.int32)), ("l", large),
                        ("b", np.array([True, False]))):
        b.addInitializedInputTensor(value, name)
    h, f = b.aiOnnx.add(["h", "h"]), b.aiOnnx.add(["f", "f"])
    model = b.getModelProto()
    by = {t.name: t for t in onnx.load_from_string(model).graph.initializer}
    assert list(by["f"].float_data) == [1.5, -2, 3] and not by["f"].raw_data
    assert np.array(by["h"].int32_data, np.int32).view(np.float16)[:3].tolist() == [1, -2, 3]  # two in each
    assert list(by["i"].int32_data) == [7, -8] and list(by["b"].int32_data) == [1, 0]
    assert len(by["l"].raw_data) == large.nbytes
    for given in (model, onnx.load_from_string(model).SerializeToString()):
        session = popart.InferenceSession(given, popart.DataFlow(1, [h, f]), device())
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        session.run(popart.PyStepIO({}, anchors))
        assert anchors[h].tolist() == [2, -4, 6] and anchors[f].tolist() == [[3, -4, 6]]


def test_saved_models_keep_the_form_of_their_values(tmp_path):
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", [2])
    w = b.addInitializedInputTensor(np.array([2, 3], np.float32), "w")
    loss = b.aiGraphcore.identityloss([b.aiOnnx.mul([x, w])], popart.ReductionType.Sum)
    session = popart.TrainingSession(b.getModelProto(), popart.DataFlow(1, [loss]), loss, popart.ConstSGD(0.5), device())
    session.prepareDevice()
    session.weightsFromHost()
    session.run(popart.PyStepIO({x: np.array([1, 4], np.float32)}, session.initAnchorArrays()))
    session.modelToHost(str(tmp_path / "m.onnx"))
    assert list(onnx.load(tmp_path / "m.onnx").graph.initializer[0].float_data) == [1.5, 1]
    session.resetHostWeights(str(tmp_path / "m.onnx"))
    report = popart.NumericsReport(b.getModelProto(), str(tmp_path / "m.onnx"), b.getModelProto(),
                                   str(tmp_path / "m.onnx"))
    assert report.getRelativeErrors() == {"w": 0} and report.report("w") in report.fullReport()
    other = popart.NumericsReport(b.getModelProto(), str(tmp_path / "m.onnx"), str(tmp_path / "m.onnx"),
                                  b.getModelProto())  # the opposite change: |2 d|^2 / |d|^2
    assert other.getRelativeErrors()["w"] == pytest.approx(4)


def test_arrays_that_are_no_anchors_are_left_alone():
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", [2], "x")
    y = b.aiOnnx.relu([x])
    session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]), device())
    session.prepareDevice()
    anchors, more = session.initAnchorArrays(), np.full(3, 7, np.float32)
    array = np.array([-1, 2], np.float32)
    session.run(popart.PyStepIO({x: array}, {**anchors, "no": more}))
    assert anchors[y].tolist() == [0, 2] and (more == 7).all()
    for name in ("other", y):
        given_twice = f"The tensor '{name}' has been provided as one of the inputs to the stepIO"
        with pytest.raises(popart.popart_runtime_error, match=given_twice):
            session.run(popart.PyStepIO({x: array, name: array}, anchors))


def test_patterns_and_options_by_the_vendors_spellings():
    patterns = popart.Patterns().enablePattern("InPlace", False)
    assert not patterns.isPatternEnabled("InPlace") and not patterns.InPlace
    options = popart.SessionOptions()
    for tie in ("FIFO", "Greedy", "RANDOM"):
        options.kahnTieBreaker = tie
        (y,) = infer(lambda b, ids: b.aiOnnx.relu(ids), [np.array([-1, 2], np.float32)], options=options)
        assert y.tolist() == [0, 2]
    settings = popart.InputSettings(popart.ReplicatedStreamMode.Broadcast)
    assert settings.replicatedStreamMode() == popart.ReplicatedStreamMode.Broadcast
    where = popart.TensorLocation(popart.TensorStorage.OffChip, popart.TileSet.IO, popart.TileSet.IO,
                                  popart.ReplicatedTensorSharding.On, popart.CommGroup())
    assert where.loadTileSet == popart.TileSet.IO and where.shardingDomain.type == popart.CommGroupType.All


def test_definitions_of_operators():
    definitions = popart.getSupportedOperationsDefinition(False)
    assert {str(i) for i in definitions} == {str(i) for i in popart.getSupportedOperations(False)}
    (add,) = [d for i, d in definitions.items() if (i.domain, i.type, i.version) == ("ai.onnx", "Add", 7)]
    assert [i.name for i in add.inputs] == ["A", "B"] and popart.DataType.FLOAT16 in add.inputs[0].supportedTensors
    (conv,) = [d for i, d in definitions.items() if (i.type, i.version) == ("Conv", 11)]
    assert "strides" in conv.attributes and len(conv.outputs) == 1


def test_an_operator_finds_its_file():
    """One file is named for it, or its family's file names it in its opening comment."""
    folder = pathlib.Path(__file__).resolve().parents[2] / "popart/src/ops"
    opening = " ".join(re.match(r"(//.*\n)*", file.read_text()).group() for file in folder.glob("*_ops.cpp"))
    types = {op.type for op in popart.getSupportedOperations(True)}
    named = set(re.findall(r"\w+", opening)) | {t for t in types if (folder / f"{t.lower()}.cpp").exists()}
    assert len(types) > 200 and not types - named
