// SPDX-License-Identifier: MIT
// What pipelines and several IPUs must go together with: recomputation, optimiser values that
// change, clipping, running means, random numbers, automatic loss scaling.
#include "plainmlp.hpp"

using namespace popart;
using namespace popart::testing;

namespace {

using Make = std::function<std::unique_ptr<Optimizer>(int)>;
constexpr DataType F = DataType::FLOAT;

Trial pipelined(int stages = 3, int ipus = 3) {
  Trial t;
  t.stages = stages;
  t.ipus = ipus;
  t.accumulation = t.depth() + 1;
  t.options.virtualGraphMode = VirtualGraphMode::Manual;
  t.options.enablePipelining = true;
  return t;
}
Trial sharded(int ipus) {
  Trial t;
  t.stages = t.ipus = ipus;
  t.accumulation = 2;
  t.options.virtualGraphMode = VirtualGraphMode::Manual;
  return t;
}
Trial phased(int phases, int ipus) {
  Trial t;
  t.ipus = ipus;
  t.accumulation = 2;
  t.options.virtualGraphMode = VirtualGraphMode::ExecutionPhases;
  t.options.executionPhaseSettings.phases = phases;
  t.options.executionPhaseSettings.stages = ipus;
  return t;
}
std::vector<Trial> severalIpus() {
  auto replicated = pipelined(2, 2);
  replicated.replicas = 2;
  auto beside = pipelined(), shared = replicated;
  for (auto *settings : {&beside.options.weightTensorLocationSettings,
                         &beside.options.optimizerStateTensorLocationSettings})
    *settings = {TensorLocation(TensorStorage::OffChip), 2, 2};
  for (auto *settings : {&shared.options.weightTensorLocationSettings,
                         &shared.options.optimizerStateTensorLocationSettings,
                         &shared.options.accumulatorTensorLocationSettings})
    *settings = {TensorLocation(TensorStorage::OnChip, ReplicatedTensorSharding::On), 2, 2};
  return {pipelined(), pipelined(3, 2), replicated,   beside,
          shared,      sharded(3),      phased(2, 1), phased(3, 2)};
}
const char *const names[] = {
    "pipelined", "stages share an IPU", "replicas", "off the chip", "shared out",
    "sharded",   "phases on one IPU",   "phases"};

// Values at step 0, 1, 2: everything that may change does.
float at(int step, float value) { return value * (1 + 0.4f * float(step)); }

Make sgd(SGDAccumulatorAndMomentum how, float nesterov = 0,
         const std::vector<ClipNormSettings> &clip = {}) {
  return [=](int step) {
    return std::make_unique<SGD>(
        OptimizerValue(at(step, 0.02f), false), OptimizerValue(at(step, 0.05f), false),
        OptimizerValue(at(step, 0.4f), false), OptimizerValue(nesterov ? 0 : at(step, 0.2f), false),
        OptimizerValue(at(step, 0.5f), false), OptimizerValue(at(step, 4), false),
        OptimizerValue(nesterov, true), clip, how);
  };
}
Make plainSgd(const std::vector<ClipNormSettings> &clip = {}) {
  return [=](int step) {
    return std::make_unique<SGD>(OptimizerValue(at(step, 0.05f), false), OptimizerValue(0.1f),
                                 OptimizerValue(0), OptimizerValue(0), OptimizerValue(1),
                                 OptimizerValue(at(step, 8), false), clip);
  };
}
Make adam(AdamMode mode, const std::vector<ClipNormSettings> &clip = {}) {
  return [=](int step) {
    return std::make_unique<Adam>(
        OptimizerValue(at(step, 0.02f), false), OptimizerValue(at(step, 0.05f), false),
        OptimizerValue(at(step, 0.5f), false), OptimizerValue(at(step, 0.55f), false),
        OptimizerValue(at(step, 0.02f), false), OptimizerValue(at(step, 4), false),
        OptimizerValue(at(step, 0.5f), false), mode, WeightDecayMode::Decay, F, F, F, clip);
  };
}
Make adaptive(AdaptiveMode mode) {
  return [=](int step) {
    return std::make_unique<Adaptive>(
        OptimizerValue(at(step, 0.02f), false), OptimizerValue(at(step, 0.05f), false),
        OptimizerValue(at(step, 0.5f), false), OptimizerValue(at(step, 0.3f), false),
        OptimizerValue(at(step, 0.02f), false), OptimizerValue(at(step, 4), false), mode,
        WeightDecayMode::L2Regularization, F, F, F, F);
  };
}

void expectEverywhereSame(const Make &make, const std::function<void(Trial &)> &set = {}) {
  const auto trials = severalIpus();
  for (std::size_t i = 0; i < trials.size(); ++i) {
    SCOPED_TRACE(names[i]);
    auto trial = trials[i];
    trial.optimizer = make;
    if (set)
      set(trial);
    expectSameAsPlain(trial);
  }
}

} // namespace

TEST(Pipelines, RecomputeToTheSameWeights) {
  for (const auto type : {RecomputationType::Standard, RecomputationType::NormOnly,
                          RecomputationType::Pipeline, RecomputationType::RecomputeAll})
    for (const int ipus : {3, 2})
      for (const auto body : {Body::Dense, Body::Residual}) {
        SCOPED_TRACE(std::to_string(int(type)) + " on " + std::to_string(ipus) + " IPUs");
        auto trial = pipelined(3, ipus);
        trial.body = body;
        trial.norm = trial.dropout = trial.labels = true;
        trial.options.autoRecomputation = type;
        trial.returned = {{"loss", AnchorReturnType("All")}};
        expectSameAsPlain(trial);
      }
}

// Such a view lies in the memory in which the other stage's result arrives.
TEST(Pipelines, KeepViewsOfWhatOtherStagesMade) {
  for (const int stages : {2, 3, 5}) // of 5, one has nothing but a view
    for (const int ipus : {stages, 2})
      for (const auto body : {Body::Dense, Body::Residual, Body::Convolution}) {
        SCOPED_TRACE(std::to_string(stages) + " stages on " + std::to_string(ipus) + " IPUs");
        auto trial = pipelined(stages, ipus);
        trial.body = body;
        trial.views = true;
        expectSameAsPlain(trial);
      }
}

TEST(Pipelines, RecomputeWhatIsMarked) {
  auto trial = pipelined();
  trial.layers = 4;
  for (const auto &layers : {std::set<int>{0}, {1, 2}, {3}, {0, 1, 2, 3}}) {
    trial.recomputed = layers;
    expectSameAsPlain(trial);
  }
}

TEST(Pipelines, KeepCheckpointsWithinStages) {
  auto trial = pipelined(2, 2);
  trial.layers = 5;
  trial.norm = trial.dropout = true;
  trial.options.autoRecomputation = RecomputationType::Pipeline;
  for (const auto &layers : {std::set<int>{0}, {1}, {0, 1, 3}, {0, 1, 2, 3}}) {
    trial.kept = layers;
    expectSameAsPlain(trial);
  }
}

TEST(SeveralIpus, FollowValuesOfSgdThatChange) {
  expectEverywhereSame(plainSgd());
  expectEverywhereSame(sgd(SGDAccumulatorAndMomentum::Combined));
  expectEverywhereSame(sgd(SGDAccumulatorAndMomentum::Separate, 1));
}

TEST(SeveralIpus, FollowValuesOfAdamThatChange) {
  expectEverywhereSame(adam(AdamMode::Adam));
  expectEverywhereSame(adam(AdamMode::Lamb));
}

TEST(SeveralIpus, FollowValuesOfAdaptiveOptimisersThatChange) {
  expectEverywhereSame(adaptive(AdaptiveMode::CenteredRMSProp));
}

TEST(SeveralIpus, ClipByTheNormOfAllOfThem) {
  for (const float norm : {0.3f, 1000.0f}) {
    expectEverywhereSame(plainSgd({ClipNormSettings::clipAllWeights(norm)}));
    const std::vector<ClipNormSettings> groups{
        ClipNormSettings::clipWeights({"w0", "b1", "w2"}, norm),
        ClipNormSettings::clipWeights({"b0", "w1"}, norm / 2)};
    expectEverywhereSame(adam(AdamMode::Adam, groups));
    expectEverywhereSame(sgd(SGDAccumulatorAndMomentum::Combined, 0, groups));
  }
}

TEST(Pipelines, TakeRunningMeans) {
  auto trial = pipelined();
  trial.optimizer = adam(AdamMode::Adam);
  trial.options.accumulationAndReplicationReductionType = ReductionType::Mean;
  trial.options.meanAccumulationAndReplicationReductionStrategy = MeanReductionStrategy::Running;
  expectSameAsPlain(trial);
  trial.replicas = 2;
  trial.body = Body::Convolution;
  expectSameAsPlain(trial);
}

TEST(SeveralIpus, ScaleTheLossByWhatAllOfThemCount) {
  const auto scaled = [](int) {
    return std::make_unique<SGD>(OptimizerValue(0.01f), OptimizerValue(0), OptimizerValue(0),
                                 OptimizerValue(0), OptimizerValue(1), OptimizerValue(1024, false));
  };
  for (const float edge : {0.05f, 0.125f, 0.4f})
    for (const int period : {1, 2})
      expectEverywhereSame(scaled, [&](Trial &trial) {
        trial.half = true;
        trial.steps = 5;
        trial.scalars = {"AutomaticLossScaleProxy___factor"};
        auto &settings = trial.options.automaticLossScalingSettings;
        settings.enabled = true;
        settings.updatePeriod = period;
        settings.binEdgeLocation = edge;
      });
  auto trial = pipelined();
  trial.half = true;
  trial.accumulation = 1;
  trial.batches = 8;
  trial.options.automaticLossScalingSettings.enabled = true;
  trial.optimizer = scaled;
  EXPECT_EQ(messageOf([&] { TrialRun run(trial); }),
            "automaticLossScalingSettings in a pipeline needs gradients that are accumulated: the "
            "scale of the loss holds for all micro-batches in it. Set enableGradientAccumulation, "
            "or switch enablePipelining off.");
}

// Every micro-batch changes the weights: what the schedule says, in double precision.
TEST(Pipelines, UpdateForEveryMicroBatchWithoutAccumulation) {
  for (const bool clips : {false, true}) {
    Trial trial = pipelined();
    trial.accumulation = trial.batch = 1;
    trial.batches = 11;
    Rates rates;
    rates.values = {{"defaultLearningRate", {0.05f, false}},  {"defaultWeightDecay", {0.1f, false}},
                    {"defaultMomentum", {0.5f, false}},       {"defaultDampening", {0.2f, false}},
                    {"defaultVelocityScaling", {0.5f, true}}, {"lossScaling", {4, false}}};
    rates.later = {{"defaultLearningRate", 0.02f}, {"defaultMomentum", 0.7f}, {"lossScaling", 8}};
    if (clips)
      rates.clip = {ClipNormSettings::clipAllWeights(0.8f)};
    trial.optimizer = [&](int step) { return rates.make(step); };
    // The factor is there in the fifth stage of the backward pass, on the last IPU; others follow.
    const auto updates = clips ? std::vector<int>{6, 7, 5} : std::vector<int>{4, 3, 2};
    const auto got = trained(trial);
    expectSameWeights(got, PlainMlp(trial, rates).trainPipelined(updates));
  }
}

TEST(Pipelines, KeepStepsOfAdamWithoutAccumulation) {
  Trial trial = pipelined(2, 2);
  trial.layers = 2;
  trial.accumulation = trial.batch = 1;
  trial.batches = 5;
  Rates rates;
  rates.family = Family::Adam;
  rates.values = {{"defaultLearningRate", {0.02f, false}},
                  {"defaultWeightDecay", {0.1f, false}},
                  {"defaultBeta1", {0.7f, false}},
                  {"defaultBeta2", {0.8f, false}},
                  {"defaultEps", {0.02f, false}},
                  {"defaultMaxWeightNorm", {1, false}},
                  {"lossScaling", {4, false}}};
  rates.later = {{"defaultLearningRate", 0.05f}, {"defaultBeta1", 0.8f}};
  trial.optimizer = [&](int step) { return rates.make(step); };
  const auto got = trained(trial);
  expectSameWeights(got, PlainMlp(trial, rates).trainPipelined({2, 1}));
}

TEST(Pipelines, ReturnVariablesWhereTheyChange) {
  auto trial = pipelined();
  trial.steps = 2;
  trial.batches = 2;
  trial.returned = {{"Accum___w0", AnchorReturnType("All")},
                    {"Accum___w2", AnchorReturnType("Sum")},
                    {"w1", AnchorReturnType("All")}};
  expectSameAsPlain(trial);
}

TEST(Pipelines, SayWhenStagesRunBackwards) {
  auto trial = pipelined(3, 2);
  TrialNet net(trial);
  net.builder->setAttribute(sVirtualGraphAttribute, std::int64_t(0));
  net.builder->setAttribute(sPipelineStageAttribute, std::int64_t(0));
  const auto y = net.builder->aiOnnxOpset11().relu({net.loss});
  const auto message = messageOf([&] {
    TrainingSession::createFromOnnxModel(
        net.builder->getModelProto(), DataFlow(1, {{y, AnchorReturnType("All")}}), net.loss,
        ConstSGD(0.1f), modelDevice(2), InputShapeInfo(), optionsOf(trial));
  });
  EXPECT_NE(
      message.find(" is in pipeline stage 0, but reads \"" + net.loss + "\", which stage 2 makes."),
      std::string::npos)
      << message;
}
