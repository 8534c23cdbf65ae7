// SPDX-License-Identifier: MIT
// What PopART's public headers offer, called or named once: builder, sessions, options, devices,
// optimisers, operators of the user. Compiled, never run. docs/compatibility.md lists what is left
// out.
#include <popart/adam.hpp>
#include <popart/adaptive.hpp>
#include <popart/builder.hpp>
#include <popart/defaulttilecount.hpp>
#include <popart/devicemanager.hpp>
#include <popart/error.hpp>
#include <popart/graphtransformer.hpp>
#include <popart/half.hpp>
#include <popart/inputshapeinfo.hpp>
#include <popart/logging.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/numerics.hpp>
#include <popart/op/accumulate.hpp>
#include <popart/op/adamupdater.hpp>
#include <popart/op/add.hpp>
#include <popart/op/clip.hpp>
#include <popart/op/collectives/replicatedallgather.hpp>
#include <popart/op/collectives/replicatedallreduce.hpp>
#include <popart/op/collectives/replicatedreducescatter.hpp>
#include <popart/op/custom/parameterizedop.hpp>
#include <popart/op/detach.hpp>
#include <popart/op/div.hpp>
#include <popart/op/dropout.hpp>
#include <popart/op/gather.hpp>
#include <popart/op/groupnorm.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/l1.hpp>
#include <popart/op/matmul.hpp>
#include <popart/op/mul.hpp>
#include <popart/op/reshape.hpp>
#include <popart/op/sgd0varupdate.hpp>
#include <popart/op/slice.hpp>
#include <popart/op/softmax.hpp>
#include <popart/op/subtract.hpp>
#include <popart/op/transpose.hpp>
#include <popart/operators.hpp>
#include <popart/opmanager.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/popx/op/collectives/replicatedallreducex.hpp>
#include <popart/popx/op/gatherx.hpp>
#include <popart/popx/op/matmulx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/session.hpp>
#include <popart/sgd.hpp>
#include <popart/stepio.hpp>
#include <popart/tensornames.hpp>

using namespace popart;
using Ids = std::vector<TensorId>;
using Ints = std::vector<std::int64_t>;

void exceptions(memory_allocation_err &oom) {
  error a("text"), b("{} of {}", 1, 2);
  internal_error c("text {}", 1);
  runtime_error d(std::string("text"));
  std::runtime_error &base = a;
  error &asError = d;
  oom.getSummaryReport(), oom.getSummaryReport(false), oom.getProfilePath();
}

void infos(const onnx::TensorProto &tensor, const onnx::TypeProto &type) {
  TensorInfo a, b(DataType::FLOAT, {2}), c(DataType::FLOAT, {2}, {2}), d("FLOAT16", Shape{2}),
      e("INT32", "(2,3)"), f(tensor), g(type);
  a.set(DataType::FLOAT), a.set(DataType::FLOAT, {1}), a.set(DataType::FLOAT, {1}, {1});
  a.shape(), a.metaShape(), a.shape_szt(), a.rank(), a.nelms(), a.nbytes(), a.dim(0),
      a.strides({1}), a.dataType(), a.data_type(), a.data_type_lcase(), a == b, a != b;
  a.getDataTypeInfo()->type(), a.getDataTypeInfo()->name(), a.getDataTypeInfo()->lcasename(),
      a.getDataTypeInfo()->nbytes(), a.getDataTypeInfo()->isFixedPoint();
  for (auto t : {DataType::UINT8, DataType::INT8, DataType::FLOAT8_143, DataType::FLOAT8_152,
                 DataType::UINT16, DataType::INT16, DataType::INT32, DataType::INT64,
                 DataType::UINT32, DataType::UINT64, DataType::BOOL, DataType::FLOAT,
                 DataType::FLOAT16, DataType::BFLOAT16, DataType::DOUBLE, DataType::COMPLEX64,
                 DataType::COMPLEX128, DataType::STRING, DataType::UNDEFINED})
    (void)t;
  InputShapeInfo shapes;
  shapes.add("x", a), shapes.get("x"), shapes.has("x"), shapes.getAllTensorIds(), shapes.getInfos();
}

void settings() {
  InputSettings a, b(TileSet::IO, ExchangeStrategy::OverlapInnerLoop),
      c(ReplicatedStreamMode::Broadcast);
  c = ReplicatedStreamMode::Replicate;
  a.tileSet(), a.exchangeStrategy(), a.replicatedStreamMode();
  for (auto s : {ExchangeStrategy::JustInTime, ExchangeStrategy::OverlapInnerLoop,
                 ExchangeStrategy::OverlapLoops, ExchangeStrategy::OverlapStep})
    (void)s;
  ReplicaGrouping grouping(4), pairs(4, 1, 2);
  pairs.getNumReplicas(), pairs.getStride(), pairs.getGroupSize(), pairs.getNumGroups(),
      pairs.getGroupIndexAt(0), pairs.getIndexInGroupAt(0), pairs.getReplicaAt(0),
      pairs.getReplicaAt(0, 1), pairs.getReplicasAt(0), pairs.getTranspose(), pairs.str(),
      pairs == grouping, pairs != grouping;
  CommGroup all, some(CommGroupType::Consecutive, 2), same(pairs);
  same.type = CommGroupType::Orthogonal, same.type = CommGroupType::None, same.replicaGroupSize = 1;
  VariableSettings d, e(some), f(VariableRetrievalMode::AllReplicas),
      g(some, VariableRetrievalMode::OnePerGroup), h(1, 2),
      i(2, 2, VariableRetrievalMode::AllReduceReplicas);
  d.getGroupCount(4), d.getRealGroupSize(4), d.groups(4), d.getGroupRepresentative(0),
      d.numReplicasReturningVariable(4), d.shapeOnReplica({2}, 4, "w"), d.shapeOnHost({2}, 4),
      d.getReplicaGrouping(4), d.getSharedVariableDomain(), d.getRetrievalMode();
  TensorLocation where, off(TensorStorage::OffChip),
      sharded(TensorStorage::OnChip, ReplicatedTensorSharding::On),
      within(TensorStorage::OnChip, ReplicatedTensorSharding::On, some),
      tiles(TensorStorage::OffChip, TileSet::IO, TileSet::IO, ReplicatedTensorSharding::Off),
      whole(TensorStorage::OffChip, TileSet::IO, TileSet::IO, ReplicatedTensorSharding::Off, some);
  where.storage, where.loadTileSet, where.storageTileSet, where.replicatedTensorSharding,
      where.shardingDomain, where.isRemote(), where == off;
  TensorLocationSettings byDefault, byLocation(off, 2, 8192), byStorage(TensorStorage::OffChip, 0);
  byDefault.location, byDefault.minElementsForOffChip,
      byDefault.minElementsForReplicatedTensorSharding;
}

void options() {
  SessionOptions o;
  o.virtualGraphMode = VirtualGraphMode::Off, o.virtualGraphMode = VirtualGraphMode::Manual;
  o.virtualGraphMode = VirtualGraphMode::Auto,
  o.virtualGraphMode = VirtualGraphMode::ExecutionPhases;
  o.virtualGraphSplitRatios = {0.5f, 0.5f};
  o.accumulationAndReplicationReductionType = ReductionType::Mean;
  o.meanAccumulationAndReplicationReductionStrategy = MeanReductionStrategy::Running;
  o.executionPhaseSettings = ExecutionPhaseSettings(
      2, 2, ExecutionPhaseIOSchedule::Preload, ExecutionPhaseIOSchedule::Preload,
      ExecutionPhaseIOSchedule::OnDemand, ExecutionPhaseIOSchedule::Preload,
      ExecutionPhaseSchedule::Interleaving);
  o.batchSerializationSettings = BatchSerializationSettings(2, true, true, true);
  o.batchSerializationSettings = BatchSerializationSettings(
      2, true, true, true, BatchSerializationTransformContext::Bwd, BatchSerializationMethod::Loop,
      BatchSerializationBatchSchedule::Isomorphic);
  o.accumulateOuterFragmentSettings =
      AccumulateOuterFragmentSettings(AccumulateOuterFragmentSchedule::OverlapMemoryOptimized, {0});
  o.replicatedCollectivesSettings = ReplicatedCollectivesSettings(true, true, true, true);
  o.automaticLossScalingSettings = AutomaticLossScalingSettings(true, Ids{"x"}, 0.1f, 1e-7f, 1);
  o.automaticLossScalingSettings.toTrackTensors = nonstd::nullopt;
  o.automaticLossScalingSettings.gradientTensorTrackingMethod =
      GradientTensorTrackingMethod::GradientsOfUserSpecifiedTensors;
  for (auto r : {RecomputationType::None, RecomputationType::Standard, RecomputationType::NormOnly,
                 RecomputationType::Pipeline, RecomputationType::RecomputeAll})
    o.autoRecomputation = r;
  o.tensorLocationSettingsOverride["w"] = TensorStorage::OffChip;
  o.mergeVarUpdate = MergeVarUpdateType::None, o.mergeVarUpdate = MergeVarUpdateType::All;
  o.mergeVarUpdate = MergeVarUpdateType::AutoTight,
  o.mergeVarUpdate = MergeVarUpdateType::AutoLoose;
  o.subgraphCopyingStrategy = SubgraphCopyingStrategy::JustInTime;
  o.syntheticDataMode = SyntheticDataMode::RandomUniform;
  o.engineOptions["debug.instrument"] = "true", o.convolutionOptions["a"] = "b";
  o.lstmOptions["a"] = o.matmulOptions["a"] = o.gclOptions["a"] = o.reportOptions["a"] = "b";
  o.hardwareInstrumentations = {Instrumentation::Outer, Instrumentation::Inner};
  o.bufferingDepthMap = {{"x", 2u}};
  o.customCodelets = {"file"}, o.updatableNamedBuffers = {"b"}, o.dotChecks = {"FINAL"};
  o.autodiffSettings.stitchStrategy = AutodiffStitchStrategy::AddFwdOutputs;
  o.compilationProgressLogger = [](int, int) {};
  o.experimentalSettings.customTransformApplierSettings.clear();
  o.enableExplicitIR(true), o.getGlobalReplicationFactor(), o.getAccumulationFactor();
  Patterns a, b(PatternsLevel::Minimal), c(Ids{"PreUniRepl"});
  c = Patterns(PatternsLevel::All).enableInPlace(false).enablePattern("SplitGather", true);
  c.enableRuntimeAsserts(false).enablePreUniRepl(true).enablePostNRepl(true);
  c.enableSoftMaxGradDirect(true).enableNlllWithSoftMaxGradDirect(true).enableOpToIdentity(true);
  c.enableSubtractArg1GradOp(true).enableMulArgGradOp(true).enableMatMulOp(true);
  c.enableMatMulLhsGradOp(true).enableMatMulRhsGradOp(true);
  c.isPatternEnabled("SplitGather"), c.isInPlaceEnabled(), c.isPreUniReplEnabled();
}

void flows() {
  AnchorReturnType all("All"), every("EveryN", 2), tiles("Final", TileSet::IO),
      overlapped("EveryN", 2, TileSet::IO, ExchangeStrategy::OverlapLoops);
  AnchorReturnTypeMap anchors{{"x", all}};
  DataFlow a, b(1), c(1, anchors), d(1, Ids{"x"}), e(1, Ids{"x"}, AnchorReturnType("Sum"));
  a.anchors(), a.nAnchors(), a.batchesPerStep(), a.art("x"), a.isAnchored("x"),
      a.setBatchesPerStep(2);
  all.id() == AnchorReturnTypeId::EveryN, every.rp(), all.tileSet(), all.exchangeStrategy();
}

void stepIo(IStepIO &io) {
  float f[2];
  std::int32_t i[2];
  NDArrayWrapper<float> a(f, {2}), b(f, TensorInfo(DataType::FLOAT, {2}));
  NDArrayWrapper<std::int32_t> c(i, {2});
  IArray &array = a;
  array.data(), array.dataType(), array.rank(), array.dim(0), array.nelms();
  std::map<TensorId, IArray &> in{{"x", a}}, out{{"y", b}};
  StepIO step(in, out);
  step.enableRuntimeAsserts(false);
  StepIOCallback calls([](TensorId, bool) { return ConstVoidData(); }, [](TensorId) {},
                       [](TensorId) { return MutableVoidData(); }, [](TensorId) {});
  io.in("x", 2, false, false), io.inComplete("x", 2, false), io.out("y", 2), io.outComplete("y");
  ConstVoidData data(f, TensorInfo(DataType::FLOAT, {2}));
  data.data, data.info;
  WeightsIO weights;
  weights.insert("w", MutableVoidData(f, TensorInfo("FLOAT", Shape{2})));
  weights.contains("w"), weights.weight("w");
}

void devices(DeviceManager &m, DeviceInfo &d) {
  DeviceManager &same = DeviceManager::createDeviceManager();
  std::map<std::string, std::string> o{{"numIPUs", "1"}};
  std::shared_ptr<DeviceInfo> made = m.createCpuDevice();
  m.createIpuModelDevice(o), m.createOfflineIPUDevice(o), m.createSimDevice(o);
  m.createOfflineIpuFromDeviceInfo(d), m.createOfflineIpuFromSystemString("s", 1);
  m.createHostDevice(DeviceType::IpuModel, o), m.acquireAvailableDevice();
  m.acquireAvailableDevice(1, 0, SyncPattern::Full, DeviceConnectionType::Always,
                           DeviceSelectionCriterion::First);
  m.tryAcquireAvailableDevice(2, 0, SyncPattern::SinglePipeline, DeviceConnectionType::OnDemand,
                              DeviceSelectionCriterion::Random);
  m.acquireDeviceById(0, SyncPattern::ReplicaAndLadder, DeviceConnectionType::Never);
  m.tryAcquireDeviceById(0), m.enumerateDevices(), m.setOnDemandAttachTimeout(5);
  m.enumerateDevices(SyncPattern::Full, 1, DeviceType::Ipu, DeviceConnectionType::Always, 0);
  d.attach(), d.detach(), d.tryAttachUntilTimeout(), d.getType() == DeviceType::OfflineIpu,
      d.getConnectionType(), d.getVersion(), d.getId(), d.getNumIpus(), d.getTilesPerIPU(),
      d.getDriverIds(), d.isAttached(), d.getNumWorkerContexts(), d.getTarget(), d.toString();
  DeviceType::Cpu, DeviceType::Sim;
  syncPatternFromString(syncPatternToString(SyncPattern::Full));
}

void builder(Builder &b, const ConstVoidData &data, const TensorId &x) {
  const std::set<TensorId> one{x};
  std::unique_ptr<Builder> made = Builder::create();
  made = Builder::createFromOnnxModel("file");
  b.addInputTensor(TensorInfo()), b.addInputTensor(TensorInfo(), "x");
  b.addInputTensor("FLOAT", Shape{2}), b.addInputTensor("FLOAT", Shape{2}, "x");
  b.addInputTensor(TensorInfo(), InputSettings(), "x");
  b.addInputTensor("FLOAT", Shape{2}, InputSettings(), "x");
  b.addInitializedInputTensor(data), b.addInitializedInputTensor(data, "w");
  b.addInitializedInputTensor(data, VariableSettings(), "w");
  b.addUntypedInputTensor("x"), b.addInputTensorFromParentGraph(x), b.addOutputTensor(x);
  Builder &body = b.createSubgraphBuilder();
  body.getParent(), body.hasParent(), body.setGraphName("body");
  b.getModelProto(), b.getModelProto(true), b.saveModelProto("file");
  b.saveInitializersExternally({x}, "file");
  const OperatorIdentifier id("domain", "Type", 1, NumInputs(1, 2), 1);
  Ids outputs = b.customOp(id, 1, {x}, 1, {{"a", 1}, {"b", Ints{1}}}, "name");
  b.customOp(id, 1, {x}, Ids{"named"}, {{"a", std::string("t")}}, "name");
  auto onnx = b.aiOnnxOpset10();
  b.reshape_const(onnx, {x}, {2}), b.reshape_const(onnx, {x}, {2}, "name");
  b.virtualGraph(x), b.virtualGraph(one, 1), b.pipelineStage(x, 1), b.pipelineStage(one, 1);
  b.executionPhase(x, 1), b.executionPhase(one, 1), b.getVirtualGraph(x), b.getVirtualGraph(one);
  b.getVirtualGraph(), b.getPipelineStage(), b.getExecutionPhase();
  b.hasVirtualGraph(), b.hasPipelineStage(), b.hasExecutionPhase();
  b.recomputeOutput(x, RecomputeType::Checkpoint), b.recomputeOutputInBackwardPass(x);
  b.recomputeOutputInBackwardPass(one, RecomputeType::Recompute);
  b.getRecomputeOutputInBackwardPass(x), b.checkpointOutput({x});
  b.outputTensorLocation(x, TensorLocation()), b.excludePatterns(x, {"PreUniRepl"});
  b.setPartialsType(x, "HALF"), b.getPartialsType(x), b.setEnableConvDithering(x, 1);
  b.setAvailableMemoryProportion(x, 0.5f), b.setAvailableMemoryProportion(one, 0.5f);
  b.setSerializeMatMul(one, "none"), b.setSerializeMatMul(one, "reducing_dim", 2, true);
  b.setInplacePreferences(x, {{"ReluInplace", 1.0f}});
  b.pushNameScope("s"), b.popNameScope(), b.getNameScope(), b.getNameScope("n");
  b.setAttribute("a", 1), b.getAttribute("a"), b.hasAttribute("a"), b.clearAttribute("a");
  b.addNodeAttribute("a", std::int64_t(1), one), b.addNodeAttribute("a", Ints{1}, one);
  b.addNodeAttribute("a", 1.0f, one), b.addNodeAttribute("a", std::vector<float>{1}, one);
  b.addNodeAttribute("a", "text", one), b.addNodeAttribute("a", std::string("text"), one);
  b.addNodeAttribute("a", Ids{"text"}, one), b.addNodeAttribute("a", true, one);
  b.addNodeAttribute("a", data, one), b.nodeHasAttribute("a", one);
  b.getInt64NodeAttribute("a", one), b.getInt64VectorNodeAttribute("a", one);
  b.getFloatNodeAttribute("a", one), b.getFloatVectorNodeAttribute("a", one);
  b.getStringNodeAttribute("a", one), b.getStringVectorNodeAttribute("a", one);
  b.removeNodeAttribute("a", one), b.getAllNodeAttributeNames(one);
  b.getInputTensorIds(), b.getOutputTensorIds(), b.getValueTensorIds(), b.getTrainableTensorIds();
  b.getTensorShape(x), b.getTensorDtypeString(x), b.getTensorDataType(x), b.isInitializer(x),
      b.hasValueInfo(x), b.embedReplicationFactor(2);
  DebugContext context("name", SourceLocation());
  b.addOutputTensor(onnx.relu({x}, context));
}

// Every operator with all its attributes: as opset 11 has it, and the older forms.
void operators(Builder &b, const ConstVoidData &data) {
  const Ids x{"x"};
  const Ints i{1};
  const std::vector<float> f{1};
  const Ids t{"Relu"};
  auto o = b.aiOnnxOpset11();
  using Id = TensorId;
  for (Id y : {o.abs(x),
               o.acos(x),
               o.acosh(x),
               o.add(x),
               o.logical_and(x),
               o.argmax(x, 0, 1),
               o.argmin(x, 0, 1),
               o.asin(x),
               o.asinh(x),
               o.atan(x),
               o.atanh(x),
               o.averagepool(x, i, 0, 0, i, i, "n"),
               o.cast(x, "FLOAT"),
               o.ceil(x),
               o.clip(x),
               o.concat(x, 1),
               o.constant(data),
               o.constant(data, "n"),
               o.constant(data, false),
               o.constant(data, false, "n"),
               o.constantofshape(x, data),
               o.conv(x, i, 1, i, i, i),
               o.convtranspose(x, i, 1, i, i, i, i, i),
               o.cos(x),
               o.cosh(x),
               o.cumsum(x, 0, 0),
               o.depthtospace(x, 2, "DCR"),
               o.div(x),
               o.elu(x, 1),
               o.equal(x),
               o.erf(x),
               o.exp(x),
               o.expand(x),
               o.flatten(x, 1),
               o.floor(x),
               o.gather(x, 0),
               o.gemm(x, 1, 1, 0, 0),
               o.globalaveragepool(x),
               o.globalmaxpool(x),
               o.greater(x),
               o.hardsigmoid(x, 1, 1),
               o.identity(x),
               o.instancenormalization(x, 1e-5f),
               o.isinf(x, 1, 1),
               o.isnan(x),
               o.lrn(x, 1, 1, 1, 1),
               o.leakyrelu(x, 1),
               o.less(x),
               o.log(x),
               o.logsoftmax(x, 1),
               o.matmul(x),
               o.max(x),
               o.mean(x),
               o.min(x),
               o.mod(x, 0),
               o.mul(x),
               o.neg(x),
               o.logical_not(x),
               o.onehot(x, -1),
               o.logical_or(x),
               o.prelu(x),
               o.pad(x, "constant"),
               o.pow(x),
               o.randomnormal(i, 1, 0, 1, nonstd::optional<float>()),
               o.randomnormallike(x, nonstd::optional<std::int64_t>(), 0, 1),
               o.randomuniform(i, 1, 1, 0),
               o.randomuniformlike(x),
               o.reciprocal(x),
               o.reducel1(x, i, 1),
               o.reducel2(x, i, 1),
               o.reducelogsum(x, i, 1),
               o.reducelogsumexp(x, i, 1),
               o.reducemax(x, i, 1),
               o.reducemean(x, i, 1),
               o.reducemin(x, i, 1),
               o.reduceprod(x, i, 1),
               o.reducesum(x, i, 1),
               o.reducesum(x),
               o.reducesumsquare(x, i, 1),
               o.relu(x),
               o.reshape(x),
               o.resize(x, "half_pixel", -0.75f, 0, 0, "nearest", "floor"),
               o.roialign(x, "avg", 1, 1, 0, 1),
               o.round(x),
               o.scatter(x, 0),
               o.scatterelements(x, 0),
               o.selu(x, 1, 1),
               o.shape(x),
               o.shrink(x, 0, 1),
               o.sigmoid(x),
               o.sign(x),
               o.sin(x),
               o.sinh(x),
               o.slice(x),
               o.softmax(x, 1),
               o.softplus(x),
               o.softsign(x),
               o.spacetodepth(x, 2),
               o.sqrt(x),
               o.squeeze(x, i),
               o.sub(x),
               o.sum(x),
               o.tan(x),
               o.tanh(x),
               o.thresholdedrelu(x, 1),
               o.tile(x),
               o.transpose(x, i),
               o.unsqueeze(x, i),
               o.upsample(x, "nearest"),
               o.where(x),
               o.logical_xor(x)})
    (void)y;
  const nonstd::optional<float> clip;
  const nonstd::optional<std::int64_t> size;
  for (Ids y : {o.batchnormalization(x, 5, 1e-5f, 0.9f), o.dropout(x, 1, 0.5f),
                o.gru(x, 2, f, f, t, clip, "forward", size, 0), o.logical_if(x, 1, b, b),
                o.lstm(x, 3, f, f, t, clip, "forward", size, 0), o.loop(x, 1, b),
                o.maxpool(x, 1, i, 0, i, i, 0, i), o.rnn(x, 2, f, f, t, clip, "forward", size),
                o.scan(x, 1, b, 1, i, i, i, i), o.split(x, 2, 0, i), o.topk(x, -1, 1, 1)})
    (void)y;
  auto old = b.aiOnnxOpset8();
  old.averagepool(x, i, 0, i, i), old.batchnormalization(x, 1, 1e-5f, 0.9f, 1), old.clip(x, 1, 0);
  old.maxpool(x, 1, i, i, 0, i), old.pad(x, i, "constant", 0), old.scan(x, 1, b, 1, i);
  old.slice(x, i, i, i), old.upsample(x, f, "nearest"), old.topk(x, 1, -1);
  b.aiOnnxOpset10().resize(x, "nearest"), b.aiOnnxOpset10().topk(x, -1);
  b.aiOnnxOpset6(), b.aiOnnxOpset7(), b.aiOnnxOpset9(), b.aiOnnxMlOpset1();
}

void graphcore(Builder &b, CollectiveOperator collective, CommGroup group) {
  const Ids x{"x"};
  const Ints i{1};
  auto o = b.aiGraphcoreOpset1();
  using Id = TensorId;
  for (Id y : {o.l1loss(x, 1, ReductionType::Sum),
               o.nllloss(x, ReductionType::Mean, 0, true),
               o.identityloss(x, ReductionType::NoReduction),
               o.ctcloss(x, ReductionType::Mean, 0, "UNDEFINED", true),
               o.scale(x, 1),
               o.scaledadd(x, 1, 1),
               o.gelu(x),
               o.geluerf(x),
               o.swish(x),
               o.expm1(x),
               o.log1p(x),
               o.atan2(x),
               o.fmod(x),
               o.remainder(x),
               o.round(x),
               o.nearbyint(x),
               o.bitwiseand(x),
               o.bitwiseor(x),
               o.bitwisexor(x),
               o.bitwisexnor(x),
               o.bitwisenot(x),
               o.reshape("x", i),
               o.slice(x, i, i, i),
               o.detach(x),
               o.nop(x),
               o.subsample(x, i),
               o.reverse(x, i),
               o.depthtospace(x, 2, "CRD"),
               o.scatterreduce(x, 1, -1, ScatterReduction::Max, 1),
               o.groupedscatterreduce(x, 1, -1, ScatterReduction::None, 1, 1),
               o.groupedgather(x, 0, 1),
               o.bucketize(x, 0),
               o.dynamicslice(x, i, i, 0),
               o.dynamicupdate(x, i, i, 0),
               o.dynamiczero(x, i, i),
               o.dynamicadd(x, i, i),
               o.sequenceslice(x, 0),
               o.shapeddropout(x, i, 0.5f),
               o.copyvarupdate(x),
               o.printtensor(x, 1, "n", "t", 1000, 3, 75, 8, 0, " ", "[", "]"),
               o.splineweighting(x),
               o.init(i, 1, 1, -1),
               o.replicatedallreduce(x),
               o.replicatedallreduce(x, collective, group),
               o.replicatedreducescatter(x, collective, group),
               o.tensorremap(x, 0),
               o.incrementmod(x, 1, 2),
               o.normalize_image(x, 1)})
    (void)y;
  for (Ids y : {o._ctcloss(x, ReductionType::Sum, 0), o.ctcbeamsearchdecoder(x, 0, 100, 1),
                o.groupnormalization(x, 1, 1e-5f), o.batchnormalization(x, 5, 1e-5f, 0.9f),
                o.reducemedian(x, i, 1), o.sort(x, -1, 0, 0), o.lstm(x, 1), o.splinebasis(x, 1),
                o.multiconv({x}, {i}, {i}, {i}, {i}, {i}, {0.5f}, {"float"},
                            std::string("parallel"), 1, 0.1f, i),
                o.call(x, 1, b)})
    (void)y;
  o.abort(), o.abort(x);
  CollectiveOperator::Add, CollectiveOperator::Mean, CollectiveOperator::Mul,
      CollectiveOperator::Min, CollectiveOperator::Max, CollectiveOperator::LogicalAnd,
      CollectiveOperator::LogicalOr, CollectiveOperator::SquareAdd, CollectiveOperator::Local;
  ScatterReduction::Sum, ScatterReduction::Min, ScatterReduction::Mul;
  TensorRemapType::FwdBwdReverse, TensorRemapType::FwdBwd, TensorRemapType::Fwd;
  InitType::NoInit, InitType::Zero;
}

template <class S> void session(S &s, IStepIO &io, const IWeightsIO &weights) {
  s.prepareDevice(), s.prepareDevice(false), s.loadEngineAndConnectStreams();
  s.weightsFromHost(), s.broadcastWeights(), s.broadcastWeights(1), s.weightsToHost(),
      s.readWeights(weights), s.writeWeights(weights);
  s.buffersFromHost(), s.run(io), s.run(io, "name"), s.run("handle", io), s.run("handle", io, "n");
  s.modelToHost("file"), s.resetHostWeights("file"), s.resetHostWeights("file", true);
  s.setRandomSeed(1), s.getRandomSeed(), s.setRNGState(s.getRNGState());
  s.getCycleCount(), s.getCycleCount("inner_ipu_0"), s.getInfo("x"), s.hasInfo("x");
  std::set<TensorId> ids = s.getAllTensorIds();
  s.getSummaryReport(), s.getSummaryReport(false), s.getSerializedGraph(), &S::getReport;
  std::ostream *out = nullptr;
  s.compileAndExport("file"), s.compileAndExport(*out);
  s.saveExecutable("path"), s.saveExecutable("path", true, false), s.saveVariables("path");
  s.saveExecutableToFile("file"), s.saveExecutableToStream(*out);
  s.loadExecutableFromFile("file"), s.loadExecutableFromStream(std::shared_ptr<std::istream>());
  s.updateExternallySavedTensorLocations("a", "b"), s.serializeIr(IrSerializationFormat::JSON);
  s.connectStreamToCallback("h", [](void *) {}), s.connectStreamToCallback(
                                                     "h", [](void *) {}, 1);
  s.connectStream("h", nullptr);
  s.connectHostFunction(
      "h", [](const void *const *, std::size_t, void *const *, std::size_t) {}, 0);
}
template void session(InferenceSession &, IStepIO &, const IWeightsIO &);
template void session(TrainingSession &, IStepIO &, const IWeightsIO &);

void sessions(std::shared_ptr<DeviceInfo> device, const Optimizer &optimizer, TrainingSession &s) {
  std::unique_ptr<InferenceSession> a =
      InferenceSession::createFromOnnxModel("file", DataFlow(), device);
  a = InferenceSession::createFromOnnxModel("file", DataFlow(), device, InputShapeInfo(),
                                            SessionOptions(), Patterns(), "name");
  std::unique_ptr<TrainingSession> b =
      TrainingSession::createFromOnnxModel("file", DataFlow(), "loss", optimizer, device);
  b = TrainingSession::createFromOnnxModel("file", DataFlow(), "loss", optimizer, device,
                                           InputShapeInfo(), SessionOptions(),
                                           Patterns(PatternsLevel::Default), "name");
  float f;
  s.updateOptimizerFromHost(&optimizer);
  s.copyFromRemoteBuffer("b", &f, 0), s.copyToRemoteBuffer(&f, "b", 0, 1);
}

void optimisers(SGD &sgd, Adam &adam, Adaptive &adaptive) {
  const OptimizerValue v(0.1f, false), constant(0.1f), pair(std::make_pair(0.1f, true)), none;
  v.val(), v.isConst(), v.validReplacement(constant);
  const auto F = DataType::FLOAT, U = DataType::UNDEFINED;
  const std::vector<ClipNormSettings> clip{ClipNormSettings::clipWeights({"w"}, 1),
                                           ClipNormSettings::clipAllWeights(1),
                                           ClipNormSettings({"w"}, 1)};
  const std::map<std::string, std::pair<float, bool>> map{{"defaultLearningRate", {0.1f, false}}};
  SGD a(v, v, v, v, v, v), b(v, v, v, v, v, v, clip, SGDAccumulatorAndMomentum::Separate, F, F),
      c(v, v, v, v, v, v, v),
      d(v, v, v, v, v, v, v, clip, SGDAccumulatorAndMomentum::Combined, U, U), e(map),
      g(map, clip, SGDAccumulatorAndMomentum::Separate, F, F, "name");
  ConstSGD h(0.1f), i(0.1f, 0), j(0.1f, 0, 1, clip);
  const auto M = AdamMode::Adam;
  const auto D = WeightDecayMode::L2Regularization;
  Adam k(v, v, v, v, v, v, M, D, F, F, F), l(v, v, v, v, v, v, v, M, D, F, F, F, clip, true, "n"),
      m(v, v, v, v, v, v, M, F, F, F), n(v, v, v, v, v, v, v, M, F, F, F),
      o(map, M, D, F, F, F, clip, true), p(map, M, F, F, F);
  for (auto mode : {AdamMode::AdamNoBias, AdamMode::AdaMax, AdamMode::Lamb, AdamMode::LambNoBias})
    (void)mode;
  Adaptive q(v, v, v, v, v, v, AdaptiveMode::AdaGrad, D, F, F, F, U, true, "n"),
      r(map, AdaptiveMode::CenteredRMSProp, WeightDecayMode::Decay, F, F, F, F);
  AdaptiveMode::RMSProp, AdaptiveMode::AdaDelta;
  sgd.insertSpecific("w", v, v, v, v, v, v), sgd.insertSpecific("w", map);
  adam.insertSpecific("w", v, v, v, v, v, v), adam.insertSpecific("w", map), adam.setStep(1);
  adam.setStep("w", 1), adaptive.insertSpecific("w", v, v, v, v, v);
  sgd.learningRates().getDefault(), sgd.weightDecays().get("w"), sgd.momentums(), sgd.dampenings();
  sgd.velocityScalings(), sgd.nesterovs(), adam.learningRates(), adam.weightDecays(), adam.beta1s();
  adam.beta2s(), adam.epss(), adam.maxWeightNorms(), adaptive.learningRates(), adaptive.alphas();
  adaptive.weightDecays(), adaptive.momentums(), adaptive.epss();
  const Optimizer &base = sgd;
  base.clone(), base.validReplacement(adam), base.lossScaling(), base.getLossScalingVal();
  base.getClipNormSettings(), base.type() == OptimizerType::SGD, base.type_s();
}

void utilities(GraphTransformer &t, numerics::NumericsReport &n, logging::Logger &log) {
  GraphTransformer made("file");
  t.convertFloatsToHalfs(), t.convertDoublesToFloats(), t.convertDoublesToHalfs();
  t.convertBFloats16ToFloat32(), t.convertUINT8ToINT32(), t.convertUINT16ToINT32();
  t.convertINT8ToINT32(), t.convertINT16ToINT32(), t.convertINT64ToINT32();
  t.convertINT64ToINT32(true), t.convertInitializersToConstants({"w"});
  t.convertAllFixedPointInitializersToConstants(), t.prepareNodesForTraining();
  t.removeUnusedInputs(), t.saveInitializersExternally({"w"}, "file"), t.getModelProto();
  numerics::NumericsReport("a", "b", "c", "d"), n.report("w"), n.fullReport();
  n.getRelativeErrors();
  log.setLevel("DEBUG");
  OpManager::getSupportedOperations(true), OpManager::getSupportedOperationsDefinition(false);
  OpManager::getUnsupportedOperations(11);
  for (const char *prefix : {reservedGradientPrefix(),
                             reservedUpdatedVarPrefix(),
                             reservedAccumPrefix(),
                             reservedAcclPrefix(),
                             reservedAccl1Prefix(),
                             reservedAccl2Prefix(),
                             reservedAccl3Prefix(),
                             reservedStepPrefix(),
                             reservedCounterPrefix(),
                             reservedAcclToReducePrefix(),
                             reservedAcclToUpdatePrefix(),
                             reservedAcclFinalOutPrefix(),
                             reservedFinalReducedGradPrefix(),
                             reservedAdamUpdaterPrefix(),
                             reservedAdaptiveUpdaterPrefix(),
                             reservedLambR1SqPrefix(),
                             reservedLambR2SqPrefix(),
                             reservedLossScalingPrefix(),
                             reservedAutomaticLossScaleProxyPrefix(),
                             reservedStashedPrefix(),
                             reservedRestoredPrefix(),
                             reservedRandomSeedPrefix(),
                             reservedSeedModifierPrefix(),
                             reservedRemoteArgPrefix(),
                             reservedAnchorSumPrefix(),
                             reservedAnchorFinalPrefix(),
                             reservedCycleCountPrefix(),
                             reservedConcatInitPrefix(),
                             reservedConstValuePrefix(),
                             reservedGlobalNormPrefix(),
                             reservedIndexPrefix(),
                             reservedInitPrefix(),
                             reservedLoopIteratorPrefix(),
                             reservedLoopCondPrefix(),
                             reservedDefaultScaledLearningRate0Prefix(),
                             reservedSpecificAdamEpsPrefix()})
    (void)prefix;
}

// A whole operator of the user: everything that may be overridden, and what helps to write it.
class MyOp : public Op {
public:
  MyOp(const OperatorIdentifier &id, const Op::Settings &s) : Op(id, s) {}
  std::unique_ptr<Op> clone() const override { return std::unique_ptr<Op>(new MyOp(*this)); }
  void setup() override { outInfo(0) = inInfo(0); }
  std::vector<std::unique_ptr<Op>> getGradOps() override { return {}; }
  const std::vector<GradInOutMapper> &gradInputInfo() const override {
    static const std::vector<GradInOutMapper> all{
        {0, 0, GradOpInType::In}, {1, 0, GradOpInType::Out}, {2, 0, GradOpInType::GradOut}};
    return all;
  }
  const std::map<int, int> &gradOutToNonGradIn() const override {
    static const std::map<int, int> all{{0, 0}};
    return all;
  }
  void appendAttributes(OpSerialiserBase &os) const override { os.appendAttribute("a", 1.0f); }
  void appendOutlineAttributes(OpSerialiserBase &os) const override {
    Op::appendOutlineAttributes(os);
    os.appendAttribute("b", Ints{1});
  }
  float getSubgraphValue() const override { return getHighSubgraphValue(); }
  bool requiresRandomSeed() const override { return true; }
  InIndex getSeedInIndex() const override { return 1; }
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override {
    return {std::make_tuple(opid, 10.0f)};
  }
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier &id) const override {
    return Op::getInplaceVariant(id);
  }
  view::Regions aliases(InIndex in, OutIndex) const override { return uses(in); }
  view::Regions modifies(InIndex in) const override {
    return {view::Region::getFull(inShape(in), view::AccessType::ReadWrite)};
  }
  view::RegMap fwdRegMap(InIndex i, OutIndex o) const override { return Op::fwdRegMap(i, o); }
  view::RegMap bwdRegMap(InIndex i, OutIndex o) const override { return Op::bwdRegMap(i, o); }
  void growAliasModel(AliasModel &m) const override { m.insertUnaryModifier0(*this); }
  void helpers() {
    inInfo(0), inShape(0), inRank(0), inTensor(0), inId(0), outInfo(0), outShape(0), outTensor(0),
        outId(0), hasInput(0), hasOutput(0), getIr(), getGraph(), getSettings(), settings, opid,
        input->n(), output->n(), getLowSubgraphValue(), connectInTensor(0, "x"),
        disconnectInTensor(0), createAndConnectOutTensor(0, "y"), disconnectAllInputs();
  }
};
class MyOpx : public popx::Opx {
public:
  MyOpx(Op *op, popx::Devicex *devicex) : Opx(op, devicex) {
    verifyOp<MyOp>(op, OperatorIdentifier("d", "T", 1));
    verifyOp<MyOp>(op, {OperatorIdentifier("d", "T", 1)});
  }
  void grow(poplar::program::Sequence &prog) const override {
    poplar::Graph &g = graph();
    poplar::Tensor t = getInTensor(0);
    setOutTensor(0, cloneNcopy(prog, t)), getOutTensor(0), insert(outId(0), get(inId(0)));
    getConst(poplar::FLOAT, {}, 1, "one"), debugContext("name"), debugContext();
    getOp<MyOp>(), inShape(0), outShape(0), inInfo(0), outInfo(0), hasInput(0), inTensor(0);
    (void)dv_p->lowering(), (void)dv_p->ir(), (void)op_p;
  }
  popx::InputCreatorType getInputCreatorType(InIndex) const override {
    return popx::InputCreatorType::CanCreate;
  }
  poplar::Tensor createInputTensor(InIndex i, const poplar::DebugNameAndId &n) const override {
    return Opx::createInputTensor(i, n);
  }
  poplar::Tensor createInput(InIndex i, const poplar::DebugNameAndId &n) const override {
    return Opx::createInput(i, n);
  }
  poplar::Tensor createInput(InIndex i, const std::string &n) const override {
    return Opx::createInput(i, n);
  }
  bool canUnwind(InIndex, OutIndex) const override { return true; }
  poplar::Tensor unwindTensorLayout(poplar::Tensor t, InIndex, OutIndex) const override {
    return t;
  }
  view::RegMap unwindRegion(InIndex i, OutIndex o) const override {
    return Opx::unwindRegion(i, o);
  }
};

// Operators of PopART's that patterns look for and make.
void makeOperators(const Op::Settings &s) {
  using namespace Onnx;
  AddOp a(Operators::Add_7, s);
  IdentityOp b(Operators::Identity_1, s);
  GatherOp c(Operators::Gather_11, 0, s);
  MatMulOp d(Operators::MatMul_9, s);
  DropoutOp e(Operators::Dropout_10, 0.5f, s);
  GroupNormOp f(AiGraphcore::OpSet1::GroupNormalization, 2, 1e-5f, s);
  L1Op g(AiGraphcore::OpSet1::L1, 0.1f, ReductionType::Sum, s);
  f.getNumGroups(), f.getEpsilon(), GroupNormOp::getXInIndex(), GroupNormOp::getScaleInIndex(),
      GroupNormOp::getBInIndex(), GroupNormOp::getYOutIndex(), GroupNormOp::getMeanOutIndex(),
      GroupNormOp::getInvStdDevOutIndex();
  AiOnnx::OpSet11::Conv, AiOnnx::OpSet9::Add;
  MulOp h(Operators::Mul_7, s);
  SubtractOp i(Operators::Sub_7, s);
  DivOp j(Operators::Div_7, s);
  SoftmaxOp k(Operators::Softmax_11, 1, s);
  ReshapeOp l(Operators::Reshape_5, {2}, s), m(Operators::Reshape_5, {2}, s, false);
  SliceOp n(Operators::Slice_1, {0}, {1}, {0}, s);
  TransposeOp o(Operators::Transpose_1, {1, 0}, s);
  DetachOp p(AiGraphcore::OpSet1::Detach, s);
  ClipOp q(Operators::Clip_11, s);
  IdentityGradOp t(s), u(b);
  k.getAxis(), k.setAxis(0), l.getOutShape(), n.getStarts(), n.getEnds(), n.getAxes(), o.getPerm(),
      o.setPerm({0, 1}), p.canShard(), p.getReplicatedTensorShardingIndices();
}
// Those that optimisers and sessions make.
void lookAtOperators(Op *op, Graph &graph, Ir &ir) {
  op->isConvertibleTo<SGD0VarUpdateOp>() || op->isConvertibleTo<AdamVarUpdateOp>() ||
      op->isConvertibleTo<ReplicatedAllReduceOp>() ||
      op->isConvertibleTo<ReplicatedAllReduceInplaceOp>() ||
      op->isConvertibleTo<ReplicatedReduceScatterOp>() ||
      op->isConvertibleTo<ReplicatedAllGatherOp>() || op->isConvertibleTo<CollectivesBaseOp>();
  VarUpdateOp::getVarToUpdateInIndex(), VarUpdateWithUpdaterOp::getUpdaterInIndex(),
      AccumulateOp::getFactorInIndex(), AccumulateOp::getUpdatedVarOutIndex();
  graph.getTensors().addVarInit("w", TensorInfo(), nullptr);
  ir.addAdditionalModelProtoTensor("w"), ir.addAdditionalModelProtoTensor(op->inTensor(0));
  floatToHalf(1.0f), halfToFloat(float16_t(1.0f)), defaultFewTiles + defaultManyTiles;
}
