// SPDX-License-Identifier: MIT
// Tensors beside the chip and shared out over replicas: the same numbers as on the chip, whole.
#include "locations.hpp"
#include <popart/adam.hpp>
#include <popart/adaptive.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

using Params = std::map<std::string, std::pair<float, bool>>;
const Params sgdParams{{"defaultLearningRate", {0.01f, true}},
                       {"defaultMomentum", {0.9f, true}},
                       {"defaultWeightDecay", {0.1f, true}}};
Adam adam(AdamMode mode, const std::vector<ClipNormSettings> &clip = {}, float eps = 1e-6f) {
  return Adam(Params{{"defaultLearningRate", {0.01f, false}}, {"defaultEps", {eps, true}}}, mode,
              WeightDecayMode::Decay, DataType::FLOAT, DataType::FLOAT, DataType::FLOAT, clip);
}

const std::vector<How> allHows{{},
                               {.accumulation = 3},
                               {.replicas = 2},
                               {.replicas = 4, .accumulation = 3},
                               {.ipus = 2},
                               {.ipus = 2, .accumulation = 6, .pipelined = true},
                               {.ipus = 2, .replicas = 2, .accumulation = 6, .pipelined = true}};
const std::vector<Where> allWheres{
    {here, beside, here},          {beside, beside, beside},
    {here, shared, here},          {shared, here, here},
    {here, here, shared},          {shared, shared, shared},
    {shared, sharedBeside, here},  {sharedBeside, sharedBeside, sharedBeside},
    {beside, sharedBeside, beside}};

void expectSameEverywhere(const Optimizer &optimizer, const std::vector<std::string> &prefixes,
                          const std::vector<How> &hows = allHows) {
  for (const auto &how : hows) {
    const auto plain = trained(optimizer, how, {}, prefixes);
    for (std::size_t w = 0; w < allWheres.size(); ++w)
      expectClose(trained(optimizer, how, allWheres[w], prefixes), plain,
                  optimizer.type_s() + " " + std::to_string(w) + " on " +
                      std::to_string(how.replicas) + " x " + std::to_string(how.ipus));
  }
}

} // namespace

TEST(OffChip, MomentumTrainsToTheSameWeights) { expectSameEverywhere(SGD(sgdParams), {""}); }
TEST(OffChip, AdamTrainsToTheSameWeightsAndState) {
  expectSameEverywhere(adam(AdamMode::Adam), {"", "Accl1___", "Accl2___"});
}
TEST(OffChip, NormsAreThoseOfTheWhole) {
  const std::vector<How> hows{{.replicas = 2}, {.replicas = 4, .accumulation = 3}};
  expectSameEverywhere(adam(AdamMode::Lamb), {""}, hows);
  expectSameEverywhere(adam(AdamMode::Adam, {ClipNormSettings::clipAllWeights(0.5f)}), {""}, hows);
  expectSameEverywhere(SGD(sgdParams, {}, SGDAccumulatorAndMomentum::Separate), {"", "Accl1___"},
                       hows);
}
// What fills up the last part is 0 / (0 + eps): it must not be seen, be eps as small as it may.
TEST(OffChip, FillOfPartsIsNotSeenByTheSmallestEps) {
  const float least = std::numeric_limits<float>::min();
  expectSameEverywhere(adam(AdamMode::Lamb, {}, least), {"", "Accl2___"},
                       {{.replicas = 4, .accumulation = 3}});
}
TEST(OffChip, ShardsMayBeThoseOfSomeReplicas) {
  const How how{.replicas = 4, .accumulation = 3};
  const auto plain = trained(adam(AdamMode::Lamb), how, {}, {"", "Accl1___"});
  for (const auto type : {CommGroupType::Consecutive, CommGroupType::Orthogonal})
    for (const auto storage : {TensorStorage::OnChip, TensorStorage::OffChip}) {
      const TensorLocation some(storage, ReplicatedTensorSharding::On, CommGroup(type, 2));
      for (const auto &where : {Where{some, some, some}, Where{here, some, here}})
        expectClose(trained(adam(AdamMode::Lamb), how, where, {"", "Accl1___"}), plain, "domain");
    }
}

TEST(OffChip, OtherOptimisersUpdateShards) {
  const How how{.replicas = 2, .accumulation = 2};
  const Where all{sharedBeside, shared, sharedBeside};
  const auto expectSame = [&](const Optimizer &optimizer) {
    expectClose(trained(optimizer, how, all, {""}), trained(optimizer, how, {}, {""}),
                optimizer.type_s());
  };
  expectSame(SGD(Params{{"defaultLearningRate", {0.01f, false}}}));
  expectSame(adam(AdamMode::AdaMax));
  for (const auto mode : {AdaptiveMode::AdaGrad, AdaptiveMode::CenteredRMSProp})
    expectSame(
        Adaptive(Params{{"defaultLearningRate", {0.01f, true}}, {"defaultMomentum", {0.9f, true}}},
                 mode, WeightDecayMode::Decay, DataType::FLOAT, DataType::FLOAT, DataType::FLOAT,
                 DataType::FLOAT));
}

// With means over replicas and micro-batches, kept running.
TEST(OffChip, MeansAreTheSame) {
  const How how{.replicas = 2, .accumulation = 3};
  const auto run = [&](const Where &where) {
    auto options = optionsOf(how, where);
    options.accumulationAndReplicationReductionType = ReductionType::Mean;
    options.meanAccumulationAndReplicationReductionStrategy = MeanReductionStrategy::Running;
    auto session = sessionOf(adam(AdamMode::Adam), how, options);
    session->prepareDevice();
    session->weightsFromHost();
    train(*session, 3);
    return variables(*session, {""});
  };
  const auto plain = run({});
  expectClose(run({shared, shared, shared}), plain, "shared");
  expectClose(run({beside, sharedBeside, beside}), plain, "beside");
}

// On the path that decides the time there are only the loads of one of them.
TEST(OffChip, IpusUpdateTheirWeightsSideBySide) {
  const auto loaded = [](const How &how) {
    auto session = sessionOf(adam(AdamMode::Adam), how, optionsOf(how, {here, beside, here}));
    session->prepareDevice(false);
    std::set<std::string> names;
    for (const auto &part : session->getModelledStep().parts)
      if (const std::string start = "remoteLoad/Accl1___"; part.name.rfind(start, 0) == 0)
        names.insert(part.name.substr(start.size()));
    return names;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(loaded({}), (Names{"b0", "b1", "w0", "w1"}));
  for (const How &how :
       {How{.ipus = 2, .accumulation = 6}, How{.ipus = 2, .accumulation = 6, .pipelined = true}}) {
    const auto names = loaded(how);
    EXPECT_TRUE(names == (Names{"b0", "w0"}) || names == (Names{"b1", "w1"})) << names.size();
  }
}
