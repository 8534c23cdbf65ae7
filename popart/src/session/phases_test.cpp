// SPDX-License-Identifier: MIT
// Models in execution phases: the numbers of the plain run, weights loaded for each phase.
#include "locations.hpp"
#include <popart/adam.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

Adam adam() {
  return Adam({{"defaultLearningRate", {0.01f, false}}}, AdamMode::Adam, WeightDecayMode::Decay,
              DataType::FLOAT, DataType::FLOAT, DataType::FLOAT);
}
SessionOptions phased(const How &how, int phases, const Where &where = {}) {
  auto options = optionsOf(how, where);
  options.virtualGraphMode = VirtualGraphMode::ExecutionPhases;
  options.executionPhaseSettings.phases = phases;
  options.executionPhaseSettings.stages = how.ipus;
  return options;
}
// Weights after three steps, and the ir.
std::pair<Floats, std::string> run(const How &how, const SessionOptions &options) {
  auto session = sessionOf(adam(), how, options);
  session->prepareDevice();
  session->weightsFromHost();
  train(*session, 3);
  return {variables(*session, {""}), session->serializeIr(IrSerializationFormat::JSON)};
}
std::size_t countOf(const std::string &what, const std::string &text) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

} // namespace

TEST(Phases, TrainToTheSameWeights) {
  for (const auto &how : {How{}, How{.ipus = 2}, How{.ipus = 2, .accumulation = 3},
                          How{.ipus = 2, .replicas = 2, .accumulation = 2}}) {
    const auto plain = trained(adam(), {1, how.replicas, how.accumulation}, {}, {""});
    for (const int phases : {2, 3})
      for (const auto &where :
           {Where{}, Where{beside, beside, beside}, Where{shared, shared, here}})
        expectClose(run(how, phased(how, phases, where)).first, plain,
                    std::to_string(phases) + " phases");
    auto options = phased(how, 2);
    options.autoRecomputation = RecomputationType::RecomputeAll;
    options.activationTensorLocationSettings = TensorLocationSettings(TensorStorage::OffChip);
    expectClose(run(how, options).first, plain, "recomputed");
  }
}

TEST(Phases, PassOverIoTiles) {
  const TensorLocation over(TensorStorage::OffChip, TileSet::IO, TileSet::IO,
                            ReplicatedTensorSharding::Off),
      sharedOver(TensorStorage::OffChip, TileSet::IO, TileSet::IO, ReplicatedTensorSharding::On);
  for (const auto &how :
       {How{}, How{.ipus = 2, .accumulation = 2}, How{.replicas = 2, .accumulation = 2}}) {
    const auto plain = trained(adam(), {1, how.replicas, how.accumulation}, {}, {""});
    for (const auto &where : {Where{over, over, over}, Where{sharedOver, sharedOver, sharedOver}}) {
      auto options = phased(how, 2, where);
      options.numIOTiles = 32;
      options.activationTensorLocationSettings = {over, 2, 2};
      options.reportOptions = {{"showExecutionSteps", "true"}};
      auto session = sessionOf(adam(), how, options);
      session->prepareDevice();
      session->weightsFromHost();
      train(*session, 3);
      expectClose(variables(*session, {""}), plain, "over I/O tiles");
      const auto summary = session->getSummaryReport();
      for (const char *what : {"remoteLoad/", "remoteStore/", "Activation___", "/ioTileCopy"})
        EXPECT_NE(summary.find(what), std::string::npos) << what;
    }
  }
}

// Of the second layer: for the forward pass, for the backward pass, and for the update, which waits
// for the gradients of other small weights.
TEST(Phases, LoadWeightsOncePerPhaseAndPass) {
  const auto ir = run({}, phased({}, 2, {beside, here, here})).second;
  EXPECT_EQ(countOf("\"name\":\"remoteLoad/w1\"", ir), 3u);
  EXPECT_EQ(countOf("\"name\":\"remoteStore/w1\"", ir), 1u);
}

TEST(Phases, SayWhatDoesNotFit) {
  const auto message = [](const How &how, const std::function<void(SessionOptions &)> &set) {
    auto options = phased(how, 2);
    set(options);
    return messageOf([&] { sessionOf(adam(), how, options); });
  };
  EXPECT_EQ(message({}, [](auto &o) { o.executionPhaseSettings.phases = 1; }),
            "virtualGraphMode is ExecutionPhases, which needs at least 2 phases; "
            "executionPhaseSettings.phases is 1.");
  EXPECT_EQ(message({}, [](auto &o) { o.executionPhaseSettings.stages = 3; }),
            "executionPhaseSettings.stages is 3. Phases run on 1 IPU, or on 2 in turn.");
  EXPECT_EQ(
      message({}, [](auto &o) { o.executionPhaseSettings.stages = 2; }),
      "executionPhaseSettings.stages is 2, but a replica has 1 IPUs. They must be the same, or "
      "several times as many.");
  EXPECT_EQ(message({}, [](auto &o) { o.virtualGraphMode = VirtualGraphMode::Off; }),
            "executionPhaseSettings.phases is 2, which needs virtualGraphMode ExecutionPhases.");
  EXPECT_EQ(message({}, [](auto &o) { o.enablePipelining = true; }),
            "A model runs in execution phases or as a pipeline, not both. Switch enablePipelining "
            "off, or take another virtualGraphMode.");

  const auto annotated = [](std::optional<int> first, std::optional<int> second) {
    auto builder = Builder::create();
    const auto x = builder->addInputTensor("FLOAT", {4}, "x");
    const auto a = builder->aiOnnxOpset11().relu({x}), y = builder->aiOnnxOpset11().exp({a});
    if (first)
      builder->executionPhase(a, *first);
    if (second)
      builder->executionPhase(y, *second);
    return messageOf([&] {
      InferenceSession::createFromOnnxModel(builder->getModelProto(),
                                            DataFlow(1, {{y, AnchorReturnType("All")}}),
                                            modelDevice(), InputShapeInfo(), phased({}, 2));
    });
  };
  EXPECT_EQ(annotated(0, 1), "no error");
  EXPECT_EQ(annotated(1, 0), "Exp (output \"Exp:0\") is in execution phase 0, but reads "
                             "\"Relu:0\", which phase 1 makes.");
  EXPECT_EQ(annotated(0, 2), "Exp (output \"Exp:0\") is in execution phase 2; there are 2.");
  EXPECT_EQ(annotated(0, {}), "no error");
  EXPECT_EQ(annotated({}, 1), "no error");
  EXPECT_EQ(annotated(2, {}), "Relu (output \"Relu:0\") is in execution phase 2; there are 2.");
}
