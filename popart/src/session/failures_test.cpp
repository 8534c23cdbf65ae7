// SPDX-License-Identifier: MIT
// Steps that fail leave a session that goes on: of itself with the weights of the last whole
// update, or after weightsFromHost if the failure fell within an update.
#include "trial.hpp"
#include <limits>
#include <popart/adam.hpp>
#include <poplar/exceptions.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

struct Broken : std::exception {
  const char *what() const noexcept override { return "the disk is gone"; }
};

// A step whose inputs are all `value`. At the n-th input or output something happens.
struct BadStep {
  Session &session;
  float value = 1;
  int input = 0, output = 0; // counted from 1; 0: never
  std::function<void()> happens = [] { throw Broken(); };
  std::map<TensorId, Floats> buffers = {};
  int inputs = 0, outputs = 0;

  Floats &buffer(const TensorId &id) {
    auto &out = buffers[id];
    out.assign(std::size_t(session.getInfo(id).nelms()), value);
    return out;
  }
  void run() {
    const auto in = [&](const TensorId &id, bool prefetch) -> ConstVoidData {
      if (prefetch)
        return {};
      if (++inputs == input)
        happens();
      return {buffer(id).data(), session.getInfo(id)};
    };
    const auto out = [&](const TensorId &id) -> MutableVoidData {
      if (++outputs == output)
        happens();
      return {buffer(id).data(), session.getInfo(id)};
    };
    StepIOCallback io(
        in, [](const TensorId &) {}, out, [](const TensorId &) {});
    session.run(io);
  }
};

// How a step fails whose numbers overflow.
std::string floatingPoint(const std::function<void()> &f) {
  try {
    f();
  } catch (const poplar::application_runtime_error &e) {
    return std::string(e.what()).substr(0, 24);
  }
  return "nothing was thrown";
}
const std::string exception = "Floating point exception";

std::unique_ptr<Optimizer> momentum(int) {
  return std::make_unique<SGD>(std::map<std::string, std::pair<float, bool>>{
      {"defaultLearningRate", {0.05f, false}}, {"defaultMomentum", {0.9f, true}}});
}
std::unique_ptr<Optimizer> separate(int) {
  return std::make_unique<SGD>(
      std::map<std::string, std::pair<float, bool>>{{"defaultLearningRate", {0.05f, false}},
                                                    {"defaultMomentum", {0.9f, true}}},
      std::vector<ClipNormSettings>(), SGDAccumulatorAndMomentum::Separate);
}
std::unique_ptr<Optimizer> adam(int) {
  return std::make_unique<Adam>(
      std::map<std::string, std::pair<float, bool>>{{"defaultLearningRate", {0.01f, false}}},
      AdamMode::Adam, WeightDecayMode::Decay, DataType::FLOAT, DataType::FLOAT, DataType::FLOAT);
}

Trial accumulating() {
  Trial t;
  t.accumulation = 4;
  return t;
}
Trial pipelined() {
  Trial t;
  t.ipus = t.stages = 2;
  t.accumulation = 6;
  t.options.virtualGraphMode = VirtualGraphMode::Manual;
  t.options.enablePipelining = true;
  return t;
}
Trial replicated() {
  Trial t = accumulating();
  t.replicas = 2;
  t.options.optimizerStateTensorLocationSettings.location.storage = TensorStorage::OffChip;
  t.options.optimizerStateTensorLocationSettings.minElementsForOffChip = 0;
  return t;
}

std::vector<Trial> trials() {
  std::vector<Trial> out;
  for (const auto &base : {Trial(), accumulating(), pipelined(), replicated()})
    for (const auto &optimizer : {separate, adam}) {
      out.push_back(base);
      out.back().optimizer = optimizer;
      out.back().returned.insert({"loss", AnchorReturnType("All")});
      out.back().options.enableFloatingPointChecks = true;
    }
  return out;
}

void expectEqual(const Trained &got, const Trained &want) {
  EXPECT_EQ(got.weights, want.weights);
  EXPECT_EQ(got.returned, want.returned);
}

} // namespace

TEST(FailedSteps, LeaveTrainingAsItWas) {
  for (auto &trial : trials()) {
    const auto want = trained(trial);
    trial.before = [&](Session &session, int step) {
      BadStep bad{session};
      (step == 1 ? bad.output : bad.input) = step == 0 ? 1 : trial.accumulation;
      EXPECT_THROW(bad.run(), Broken);
    };
    expectEqual(trained(trial), want);
  }
}

TEST(FailedSteps, FloatingPointExceptionsLeaveTrainingAsItWas) {
  for (auto &trial : trials()) {
    trial.activation = "Relu";
    const auto want = trained(trial);
    trial.before = [](Session &session, int) {
      EXPECT_EQ(floatingPoint([&] { BadStep{session, 2e38f}.run(); }), exception);
    };
    expectEqual(trained(trial), want);
  }
}

TEST(FailedSteps, InterruptsLeaveTrainingAsItWas) {
  for (auto &trial : trials()) {
    if (trial.accumulation == 1)
      continue; // a step of one micro-batch may come to its end
    const auto want = trained(trial);
    trial.before = [](Session &session, int) {
      BadStep bad{session, 1, 2};
      bad.happens = [&] { session.interrupt(); };
      bad.run();
      EXPECT_LT(bad.outputs, 4);
    };
    expectEqual(trained(trial), want);
  }
}

TEST(FailedSteps, AreNotNoticedByInference) {
  for (const bool constant : {true, false}) {
    Product model;
    SessionOptions options;
    options.constantWeights = constant;
    options.enableFloatingPointChecks = true;
    auto session = model.inference(DataFlow(1, {{model.y, AnchorReturnType("All")}}), options);
    session->prepareDevice();
    if (!constant)
      session->weightsFromHost();
    const Floats x{1, 2}, y{2, 6};
    EXPECT_EQ(floatingPoint([&] { BadStep{*session, 3e38f}.run(); }), exception);
    EXPECT_EQ(step(*session, "x", x, model.y, 2), y);
    EXPECT_THROW((BadStep{*session, 1, 1}.run()), Broken);
    EXPECT_EQ(step(*session, "x", x, model.y, 2), y);
  }
}

// The weights may be infinite, or only some of them new.
TEST(FailedSteps, WithinAnUpdateNeedTheWeightsOfTheHost) {
  Product model;
  const auto rate = [](float value) { return SGD({{"defaultLearningRate", {value, false}}}); };
  SessionOptions options;
  options.enableFloatingPointChecks = true;
  auto session =
      model.training(DataFlow(1, {{model.y, AnchorReturnType("All")}}), rate(3e38f), options);
  session->prepareDevice();
  session->weightsFromHost();
  EXPECT_EQ(floatingPoint([&] { BadStep{*session, 10}.run(); }), exception);
  const std::string lost = ": the weights on the device are lost, because the last step ended "
                           "within an update or the device failed. Call weightsFromHost() to go on "
                           "from the weights that the host has.";
  EXPECT_EQ(messageOf([&] { BadStep{*session}.run(); }), "run" + lost);
  EXPECT_EQ(messageOf([&] { session->weightsToHost(); }), "weightsToHost" + lost);
  const auto small = rate(1);
  session->updateOptimizerFromHost(&small);
  session->weightsFromHost();
  BadStep{*session}.run();
  EXPECT_EQ(readWeight(*session, model.w, 2), (Floats{1, 2}));
}

// Combined velocities take in every micro-batch.
TEST(FailedSteps, AmongGatheredMomentaNeedTheWeightsOfTheHost) {
  Trial trial = accumulating();
  trial.optimizer = momentum;
  const auto want = trained(trial);
  trial.before = [](Session &session, int step) {
    if (step)
      return;
    EXPECT_THROW((BadStep{session, 1, 3}.run()), Broken);
    EXPECT_NE(messageOf([&] { session.weightsToHost(); }), "no error");
    session.weightsFromHost();
  };
  expectEqual(trained(trial), want);
}

TEST(FailedSteps, MistakesThatAreFoundBeforeChangeNothing) {
  Product model;
  auto session = model.training(DataFlow(1, {{model.y, AnchorReturnType("All")}}), ConstSGD(1));
  session->prepareDevice();
  session->weightsFromHost();
  StepIO nothing({}, {});
  EXPECT_NE(messageOf([&] { session->run(nothing); }), "no error");
  EXPECT_EQ(step(*session, "x", {1, 1}, model.y, 2), (Floats{2, 3}));
}
