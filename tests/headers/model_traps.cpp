// SPDX-License-Identifier: MIT
// Every public name of PopART's C++ interface that programs use, and call forms that were
// ambiguous.
#include <popart/adam.hpp>
#include <popart/adaptive.hpp>
#include <popart/builder.hpp>
#include <popart/devicemanager.hpp>
#include <popart/graphtransformer.hpp>
#include <popart/inputshapeinfo.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/opmanager.hpp>
#include <popart/optimizer.hpp>
#include <popart/patterns/pattern.hpp>
#include <popart/popx/op/gatherx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/session.hpp>
#include <popart/sgd.hpp>
#include <popart/shapeinference.hpp>
#include <popart/stepio.hpp>
#include <popart/tensornames.hpp>
#include <popart/util.hpp>
// and those that many include without need
#include <popart/alias/aliasmodel.hpp>
#include <popart/error.hpp>
#include <popart/logging.hpp>
#include <popart/op/accumulate.hpp>
#include <popart/op/add.hpp>
#include <popart/op/collectives/replicatedallgather.hpp>
#include <popart/op/dropout.hpp>
#include <popart/op/elementwise.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/l1.hpp>
#include <popart/op/matmul.hpp>
#include <popart/opidentifier.hpp>
#include <popart/region.hpp>
#include <popart/tensordata.hpp>
#include <popart/tensorindex.hpp>
#include <popart/topocons.hpp>

using namespace popart;

static const OperatorIdentifier id("custom.ops", "Anything", 1, {1, 1}, 1);

class AnyOp : public Op {
public:
  AnyOp(const OperatorIdentifier &opid, const Op::Settings &s) : Op(opid, s) {}
  std::unique_ptr<Op> clone() const override { return std::unique_ptr<Op>(new AnyOp(*this)); }
};
class AnyOpx : public popx::Opx {
public:
  AnyOpx(Op *op, popx::Devicex *devicex) : Opx(op, devicex) {}
  void grow(poplar::program::Sequence &) const override {}
};
class AnyPattern : public PreAliasPattern {
public:
  bool matches(Op *op) const override { return op->isConvertibleTo<GatherOp>(); }
  std::vector<const Tensor *> touches(Op *) const override { return {}; }
  bool apply(Op *) const override { return false; }
};

void creators() {
  const OpDefinition::DataTypes T = {DataType::FLOAT};
  const OpDefinition definition({{"x", T}}, {{"y", T}}, {{"a", {"*"}}});
  OpCreator<AnyOp> a(OpDefinitions({{id, definition}}));
  OpCreator<AnyOp> b(OpDefinitions({{id, definition}}), true);
  OpCreator<AnyOp> c(OpDefinitions({{id, definition}}), [](const OpCreatorInfo &info) {
    return std::unique_ptr<Op>(new AnyOp(info.opid, info.settings));
  });
  OpCreator<AnyOp> d(
      OpDefinitions({{id, definition}}),
      [](const OpCreatorInfo &info) {
        return std::unique_ptr<AnyOp>(new AnyOp(info.opid, info.settings));
      },
      true);
  const OpDefinitions definitions = {{id, definition}};
  OpCreator<AnyOp> e(definitions);
  popx::OpxCreator<AnyOpx> f(id), g({id, id});
  PatternCreator<AnyPattern> h("Any"), i("Other", false), j("Third", true, false);
  RegisterShapeInferenceFunction k(id, [](ShapeInferenceContext &ctx) {
    propagateElemTypeFromInputToOutput(ctx, 0, 0);
    propagateShapeFromInputToOutput(ctx, 0, 0);
  });
}

void flows(const TensorId &x) {
  DataFlow a(1, {{x, AnchorReturnType("All")}});
  DataFlow b(1, {{"x", AnchorReturnType("All")}, {"y", AnchorReturnType("EveryN", 2)}});
  std::map<TensorId, AnchorReturnType> anchors;
  DataFlow c(1, anchors), d(1), e, f(1, std::vector<TensorId>{x}),
      g(1, {x}, AnchorReturnType("Sum"));
}

// What PopTorch calls.
void builder() {
  auto b = Builder::create();
  Builder &body = b->createSubgraphBuilder();
  (void)body.getParent();
  const TensorId x = b->addInputTensor(TensorInfo("FLOAT", Shape{2}), "x");
  b->addInputTensor("FLOAT", Shape{2}, InputSettings(), "y");
  b->addUntypedInputTensor();
  b->addInitializedInputTensor(ConstVoidData(), VariableSettings());
  b->addOutputTensor(x);
  b->customOp(id, 1, {x}, 1, {{"a", 1.0f}}, "name");
  auto onnx = b->aiOnnxOpset11();
  auto graphcore = b->aiGraphcoreOpset1();
  b->aiOnnxMlOpset1();
  onnx.randomnormal({2, 2});
  graphcore.printtensor({x}, 1, "debug", "title");
  graphcore.init({2}, static_cast<std::int64_t>(DataType::FLOAT),
                 static_cast<std::int64_t>(InitType::Zero), -1);
  b->setAttribute("a", 1);
  b->clearAttribute("a");
  b->nodeHasAttribute("a", {x});
  (void)b->hasValueInfo(x), (void)b->getTensorShape(x), (void)b->getTensorDtypeString(x);
  (void)b->getTensorDataType(x);
  b->pushNameScope("s"), b->popNameScope(), b->getNameScope("n");
  b->checkpointOutput({x});
  b->virtualGraph(x, 0), b->pipelineStage(x, 0), b->executionPhase(x, 0);
  b->getVirtualGraph(x), b->getVirtualGraph(std::set<TensorId>{x});
  b->setInplacePreferences(x, {{"ReluInplace", 1.0f}});
  b->setAvailableMemoryProportion(x, 0.5f);
  b->setSerializeMatMul({x}, "input_channels", 2, false);
  b->setEnableConvDithering(x, 1);
  b->saveInitializersExternally({x}, "file");
  b->getModelProto();
}

template <class S> void session(S &s, IStepIO &io, IWeightsIO &weights) {
  s.prepareDevice(), s.prepareDevice(false), s.loadEngineAndConnectStreams();
  s.weightsFromHost(), s.weightsToHost(), s.readWeights(weights), s.writeWeights(weights);
  s.run(io), s.run(io, "name");
  s.getRandomSeed(), s.setRandomSeed(1), s.getRNGState();
  s.getCycleCount(), s.modelToHost("file"), s.resetHostWeights("file");
  s.getInfo("x"), s.hasInfo("x"), s.serializeIr(IrSerializationFormat::JSON);
  s.getSummaryReport(), s.getSerializedGraph();
  s.updateExternallySavedTensorLocations("a", "b");
  s.compileAndExport("file");
}
template void session(InferenceSession &, IStepIO &, IWeightsIO &);
template void session(TrainingSession &, IStepIO &, IWeightsIO &);

void optimisers() {
  const OptimizerValue v(0.1f, false);
  SGD a(v, v, v, v, v, v);
  SGD b({{"defaultLearningRate", {0.1f, false}}});
  ConstSGD c(0.1f), d(0.1f, 0, 1);
  Adam e(v, v, v, v, v, v, AdamMode::Adam, WeightDecayMode::Decay, DataType::FLOAT, DataType::FLOAT,
         DataType::FLOAT);
  Adaptive f(v, v, v, v, v, v, AdaptiveMode::RMSProp, WeightDecayMode::Decay, DataType::FLOAT,
             DataType::FLOAT, DataType::FLOAT, DataType::FLOAT);
  a.insertSpecific("w", {{"learningRate", {0.1f, true}}});
  (void)a.lossScaling(), (void)a.getLossScalingVal(), (void)a.clone();
}

void log() {
  logging::debug("{} of {}", 1, 2), logging::info("x"), logging::trace("x"), logging::warn("x");
  logging::opx::debug("x"), logging::pattern::trace("{}", 1), logging::devicex::info("x");
  (void)vXtoY<std::int64_t, std::size_t>(Shape{1});
  (void)popx::popType(DataType::FLOAT);
}
