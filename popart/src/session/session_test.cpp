// SPDX-License-Identifier: MIT
#include "onnx/testmodels.hpp"
#include "sessions.hpp"
#include <gtest/gtest.h>
#include <limits>
#include <popart/builder.hpp>
#include <popart/error.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/sgd.hpp>
#include <popart/stepio.hpp>
#include <pva/pva.hpp>

using namespace popart;

namespace {
std::shared_ptr<DeviceInfo> smallDevice() {
  DeviceOptions options{{"numIPUs", "1"}, {"tilesPerIPU", "16"}};
  return DeviceManager::createDeviceManager().createIpuModelDevice(options);
}
} // namespace

namespace {
// The only output of a model without weights, given x.
std::vector<float> result(const std::string &text, std::vector<float> x, std::size_t elements) {
  const auto session =
      InferenceSession::createFromOnnxModel(popart::testing::parsed(text).SerializeAsString(),
                                            DataFlow(1, std::vector<TensorId>{"y"}), smallDevice());
  session->prepareDevice();
  std::vector<float> out(elements, -1);
  NDArrayWrapper<float> from(x.data(), Shape{std::int64_t(x.size())}),
      to(out.data(), Shape{std::int64_t(elements)});
  StepIO io({{"x", from}}, {{"y", to}});
  session->run(io);
  return out;
}
} // namespace

// The trip count of a loop is no input of the node any more when it is rewritten.
TEST(InferenceSession, GoesOnWithTheResultOfALoop) {
  EXPECT_EQ(result(R"(<ir_version: 7, opset_import: ["" : 13]>
    g (float[2] x) => (float[2] y) {
      n = Constant <value = int64 {3}> ()
      c = Constant <value = bool {1}> ()
      l = Loop (n, c, x) <body = b (int64 i, bool p, float[2] v) => (bool q, float[2] w)
        { q = Identity(p)  w = Add(v, x) }>
      y = Neg(l) })",
                   {1, 2}, 2),
            (std::vector<float>{-4, -8}));
}

// All that they are made of is numbers.
TEST(InferenceSession, ComputesWindowsOfOneElement) {
  for (const auto &[window, value] : {std::pair("HannWindow", 0.f),
                                      {"HammingWindow", 25.f / 46 - 21.f / 46},
                                      {"BlackmanWindow", 0.42f - 0.5f + 0.08f}}) {
    const auto text = std::string(R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[1] x) => (float[1] y) { n = Constant <value = int64 {1}> ()  w = )") +
                      window + "(n)  y = Add(w, x) }";
    EXPECT_NEAR(result(text, {0}, 1)[0], value, 1e-6) << window;
  }
}

TEST(InferenceSession, RunsAModelMadeWithTheBuilder) {
  auto builder = Builder::create();
  auto onnx = builder->aiOnnxOpset11();
  const auto x = builder->addInputTensor("FLOAT", {2, 3}, "x");
  std::vector<float> w{1, 2, 3, 4, 5, 6};
  const auto weights = builder->addInitializedInputTensor(
      ConstVoidData(w.data(), TensorInfo(DataType::FLOAT, {3, 2})), "w");
  const auto y = onnx.relu({onnx.matmul({x, weights})});
  EXPECT_EQ(y, "Relu:0");
  EXPECT_EQ(builder->getTensorShape(y), (Shape{2, 2}));

  auto session = InferenceSession::createFromOnnxModel(
      builder->getModelProto(), DataFlow(2, {{y, AnchorReturnType("All")}}), smallDevice());
  session->prepareDevice();
  std::vector<float> in{1, 0, 0, 0, 1, 0, -1, 0, 0, 0, 0, 1}, out(8);
  NDArrayWrapper<float> inArray(in.data(), {2, 2, 3}), outArray(out.data(), {2, 2, 2});
  StepIO io({{x, inArray}}, {{y, outArray}});
  session->weightsFromHost();
  session->run(io);
  EXPECT_EQ(out, (std::vector<float>{1, 2, 3, 4, 0, 0, 5, 6}));
  EXPECT_EQ(session->getAnchorArrayInfos().at(y).shape(), (Shape{2, 2, 2}));
}

TEST(SessionOptions, RefuseWhatIsNotThereYetInsteadOfIgnoringIt) {
  auto builder = Builder::create();
  const auto x = builder->addInputTensor("FLOAT", {2}, "x");
  const auto y = builder->aiOnnxOpset11().relu({x});
  const auto message = [&](const std::function<void(SessionOptions &)> &set) -> std::string {
    SessionOptions options;
    set(options);
    try {
      InferenceSession::createFromOnnxModel(builder->getModelProto(),
                                            DataFlow(1, {{y, AnchorReturnType("All")}}),
                                            smallDevice(), InputShapeInfo(), options);
    } catch (const error &e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message([](SessionOptions &) {}), "accepted");
  EXPECT_EQ(message([](SessionOptions &o) { o.executionPhaseSettings.phases = 2; }),
            "executionPhaseSettings.phases is 2, which needs virtualGraphMode ExecutionPhases.");
  EXPECT_EQ(message([](SessionOptions &o) { o.numIOTiles = 33; }),
            "numIOTiles is 33; it is 0, or an even number of at least 32 tiles of every IPU.");
  EXPECT_EQ(message([](SessionOptions &o) {
              o.enableReplicatedGraphs = true;
              o.replicatedGraphCount = 0;
            }),
            "replicatedGraphCount is 0; it must be at least 1.");
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(message([&](SessionOptions &o) { o.outlineThreshold = nan; }),
            "outlineThreshold is not a number. Give one, or leave it at its default.");
  EXPECT_EQ(message([&](SessionOptions &o) { o.timeLimitScheduler = double(nan); }),
            "timeLimitScheduler is not a number. Give one, or leave it at its default.");
  EXPECT_EQ(message([](SessionOptions &o) { o.timeLimitScheduler = -5; }),
            "timeLimitScheduler is -5; it must not be negative.");
  EXPECT_EQ(message([](SessionOptions &o) { o.numIOTiles = -1; }),
            "numIOTiles is -1; it must not be negative.");
  EXPECT_NE(message([](SessionOptions &o) { o.bufferingDepthMap["x"] = 0; }), "accepted");
  EXPECT_NE(
      message([](SessionOptions &o) { o.weightTensorLocationSettings.minElementsForOffChip = -1; }),
      "accepted");
}

TEST(SessionOptions, CountMicroBatchesWithoutWrapping) {
  const popart::testing::Product model;
  const auto message = [&](std::int64_t factor, int batches) {
    SessionOptions options;
    options.enableGradientAccumulation = true;
    options.accumulationFactor = factor;
    return popart::testing::messageOf([&] {
      model.training(DataFlow(batches, {{model.loss, AnchorReturnType("Final")}}), ConstSGD(0.1f),
                     options);
    });
  };
  EXPECT_EQ(message(std::int64_t(1) << 62, 1),
            "accumulationFactor is 4611686018427387904; it can be 2147483647 at most.");
  EXPECT_EQ(message(1 << 20, 1 << 20),
            "accumulationFactor 1048576 times 1048576 batches per step are more micro-batches than "
            "2147483647. Make one of them smaller.");
}

TEST(SessionOptions, RefuseToRecomputeThePipelineThatIsNotThere) {
  const popart::testing::Product model;
  SessionOptions options;
  options.autoRecomputation = RecomputationType::Pipeline;
  EXPECT_EQ(
      popart::testing::messageOf([&] { model.training(DataFlow(1), ConstSGD(0.1f), options); }),
      "autoRecomputation is Pipeline, which keeps what enters the stages of a pipeline, and "
      "there is none. Set enablePipelining, or take Standard or RecomputeAll.");
}

TEST(Session, SaysThatItsDeviceWasDetached) {
  const popart::testing::Product model;
  auto device = DeviceManager::createDeviceManager().acquireAvailableDevice(1, 8);
  auto session = model.training(DataFlow(1, {{model.y, AnchorReturnType("All")}}),
                                SGD({{"defaultLearningRate", {1, true}}}), {}, device);
  session->prepareDevice();
  session->weightsFromHost();
  const popart::testing::Floats first{2, 3}, second{1, 2}, ones{1, 1};
  EXPECT_EQ(popart::testing::step(*session, "x", ones, model.y, 2), first);
  session->weightsToHost();
  device->detach();
  EXPECT_EQ(
      popart::testing::messageOf([&] { popart::testing::step(*session, "x", ones, model.y, 2); }),
      "The session's device was detached. Call prepareDevice() to attach and load it again, "
      "then weightsFromHost().");
  EXPECT_EQ(session->getReport().compilation().target().numTiles(), 8u);
  EXPECT_NE(session->getSummaryReport().find("Tile"), std::string::npos);
  session->prepareDevice();
  session->weightsFromHost();
  EXPECT_EQ(popart::testing::step(*session, "x", ones, model.y, 2), second);
}

TEST(Session, LeavesIpusIdleThatItHasNoUseFor) {
  const popart::testing::Product model;
  SessionOptions options;
  options.enableReplicatedGraphs = true;
  options.replicatedGraphCount = 2;
  auto session = model.training(DataFlow(1, {{model.y, AnchorReturnType("All")}}),
                                SGD({{"defaultLearningRate", {1, true}}}), options,
                                popart::testing::modelDevice(4));
  session->prepareDevice();
  session->weightsFromHost();
  const popart::testing::Floats ones(4, 1), first{2, 3, 2, 3};
  EXPECT_EQ(popart::testing::step(*session, "x", ones, model.y, 4), first);
  for (const auto &tile : session->getReport().compilation().tiles())
    if (tile.id() / 8 % 2) {
      EXPECT_EQ(tile.memory().category().variable().total(), 0u) << "on tile " << tile.id();
    }
  options.enablePipelining = true;
  EXPECT_EQ(popart::testing::messageOf([&] {
              model.training(DataFlow(1, {{model.y, AnchorReturnType("All")}}),
                             SGD({{"defaultLearningRate", {1, true}}}), options,
                             popart::testing::modelDevice(4));
            }),
            "enablePipelining needs virtualGraphMode, which shares the stages out to IPUs; it is "
            "Off. Set it to Manual or Auto.");
}

TEST(DeviceManager, SaysWhatIsNoDevice) {
  auto &manager = DeviceManager::createDeviceManager();
  EXPECT_EQ(popart::testing::messageOf([&] { manager.acquireDeviceById(-1); }),
            "Devices are counted from 0; there is no device -1.");
  EXPECT_EQ(popart::testing::messageOf([&] { manager.acquireAvailableDevice(1 << 20); }),
            "Failed to acquire device with 1048576 IPUs: this machine has none of that kind. "
            "OPENIPU_NUM_IPUS sets how many IPUs it has.");
  DeviceOptions options{{"numIPUs", "-1"}};
  EXPECT_EQ(popart::testing::messageOf([&] { manager.createIpuModelDevice(options); }),
            "createIpuModelDevice: numIPUs must be a whole number from 1 to 999999999, not "
            "\"-1\".");
}

TEST(SessionOptions, MaySwitchSerializedProductsOff) {
  auto builder = Builder::create();
  const auto x = builder->addInputTensor("FLOAT", {2, 3}, "x");
  const auto y = builder->aiOnnxOpset11().matmul({x, builder->addInputTensor("FLOAT", {3, 2})});
  builder->setSerializeMatMul({y}, "output_channels", 3, false); // of two
  for (const bool on : {true, false}) {
    SessionOptions options;
    options.enableSerializedMatmuls = on;
    auto session = InferenceSession::createFromOnnxModel(
        builder->getModelProto(), DataFlow(1, {{y, AnchorReturnType("All")}}), smallDevice(),
        InputShapeInfo(), options);
    if (on)
      EXPECT_THROW(session->prepareDevice(), error);
    else
      EXPECT_NO_THROW(session->prepareDevice());
  }
}

TEST(Session, SaysWhatIsNoLossAndNoPipeline) {
  auto builder = Builder::create();
  const auto x = builder->addInputTensor("FLOAT", {2, 3}, "x");
  const auto y = builder->aiOnnxOpset11().relu({x});
  const auto message = [&](const TensorId &loss, bool pipelined) -> std::string {
    SessionOptions options;
    options.enablePipelining = pipelined;
    try {
      TrainingSession::createFromOnnxModel(builder->getModelProto(), DataFlow(1), loss,
                                           SGD({{"defaultLearningRate", {0.1f, true}}}),
                                           smallDevice(), InputShapeInfo(), options);
    } catch (const error &e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message(y, false), "The loss \"Relu:0\" must be a scalar tensor, but is FLOAT [2,3]. "
                               "Reduce it, for instance with identityloss.");
  EXPECT_EQ(message(y, true),
            "Pipelining requires more than 1 IPU in a replica, which virtualGraphMode shares the "
            "stages out to. Take a larger device, or switch it off.");
}

// The cost that is read off the executable is the one that a run counts.
TEST(TrainingSession, KnowsTheCyclesOfAStepBeforeItRuns) {
  auto builder = Builder::create();
  auto onnx = builder->aiOnnxOpset11();
  const auto x = builder->addInputTensor("UINT8", {4, 3}, "x");
  std::vector<float> w{1, 2, 3, 4, 5, 6};
  const auto weights = builder->addInitializedInputTensor(
      ConstVoidData(w.data(), TensorInfo(DataType::FLOAT, {3, 2})), "w");
  const auto y = onnx.matmul({onnx.cast({x}, "FLOAT"), weights});
  EXPECT_EQ(builder->getTensorDtypeString(onnx.cast({y}, "FLOAT16")), "float16");
  const auto loss = builder->aiGraphcoreOpset1().l1loss({y}, 0.1f, ReductionType::Sum);
  SessionOptions options;
  options.instrumentWithHardwareCycleCounter = true;
  options.enableGradientAccumulation = true;
  options.accumulationFactor = 3;
  SGD sgd({{"defaultLearningRate", {0.1f, true}}});
  auto session = TrainingSession::createFromOnnxModel(
      builder->getModelProto(), DataFlow(2, {{loss, AnchorReturnType("Final")}}), loss, sgd,
      smallDevice(), InputShapeInfo(), options);
  EXPECT_THROW(session->getModelledStep(), popart::error);
  session->prepareDevice(false);
  const auto step = session->getModelledStep();
  EXPECT_TRUE(step.exact);
  EXPECT_EQ(step.microBatches, 6);
  EXPECT_GT(step.fullestTile, 0u);
  EXPECT_LT(step.fullestTile, step.bytesPerTile);
  std::uint64_t parts = 0, products = 0;
  for (const auto &part : step.parts) {
    parts += part.cycles();
    products += part.kernel == "poplin.matmul" ? part.turns : 0;
  }
  EXPECT_EQ(parts, step.cycles);
  EXPECT_EQ(products, 12u); // forwards and for the weights, in each of 6 micro-batches
  session->loadEngineAndConnectStreams();
  session->weightsFromHost();
  std::vector<std::uint8_t> in(6 * 12);
  std::vector<float> out(1);
  NDArrayWrapper<std::uint8_t> inArray(in.data(), {6, 4, 3});
  NDArrayWrapper<float> outArray(out.data(), {1});
  StepIO io({{x, inArray}}, {{loss, outArray}});
  session->run(io);
  EXPECT_NEAR(double(session->getCycleCount()), double(step.cycles), 0.01 * double(step.cycles));
}
