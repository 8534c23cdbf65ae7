// SPDX-License-Identifier: MIT
#include "analysis/orders.hpp"
#include "layers.hpp"
#include "model.hpp"
#include "transforms/memory/recompute.hpp"
#include "transforms/memory/schedule.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

SessionOptions presentOrder() {
  SessionOptions options;
  options.kahnTieBreaker = "fifo";
  options.swapLimitScheduler = 0;
  return options;
}

std::string typesOf(const ir::Graph &graph) {
  std::string out;
  for (const auto &node : graph.nodes)
    out += (out.empty() ? "" : " ") + node.def->type;
  return out;
}

// Four wide values from one narrow one, each reduced again: computed one by one or all at once.
struct Wide : Model {
  Value sum;
  Wide() {
    const Value x = randomInput({64});
    Values wide;
    for (int i = 0; i < 4; ++i)
      wide.push_back(
          b.op("Exp", {b.op("Expand", {b.add(x, i)}, {{"shape", ir::Integers{50, 64}}})}));
    for (Value w : wide) {
      const Value r = b.reduceSum(w, {0}, false);
      sum = w == wide[0] ? r : b.add(sum, r);
    }
  }
};

} // namespace

TEST(Schedule, ComputesWideValuesOneByOne) {
  Wide m;
  const auto before = m.run(m.sum);
  const auto wide = std::int64_t(50 * 64 * sizeof(float)),
             narrow = std::int64_t(64 * sizeof(float));
  EXPECT_GE(analysis::peakLiveBytes(m.graph), 4 * wide);
  transforms::schedule(m.graph, SessionOptions());
  EXPECT_LE(analysis::peakLiveBytes(m.graph), wide + 8 * narrow) << ir::text(m.graph);
  EXPECT_EQ(m.run(m.sum), before);
}

// The last stage has a large value whatever the order; the first is put in a good one all the same.
TEST(Schedule, EveryPipelineStageHasItsOwnPeak) {
  Wide m;
  const Value large =
      m.b.op("Exp", {m.b.op("Expand", {m.sum}, {{"shape", ir::Integers{900, 64}}})});
  m.b.reduceSum(large, {0}, false);
  for (std::size_t n = 0; n < m.graph.nodes.size(); ++n)
    m.graph.nodes[n].settings.pipelineStage = n + 3 < m.graph.nodes.size() ? 0 : 1;
  transforms::schedule(m.graph, SessionOptions());
  std::erase_if(m.graph.nodes, [](const auto &node) { return *node.settings.pipelineStage; });
  const auto wide = std::int64_t(50 * 64 * sizeof(float)),
             narrow = std::int64_t(64 * sizeof(float));
  EXPECT_LE(analysis::peakLiveBytes(m.graph), wide + 8 * narrow) << ir::text(m.graph);
}

TEST(Schedule, KeepsTheOrderWhenNothingIsToBeGained) {
  Model m;
  Value h = m.randomInput({4, 4});
  for (int i = 0; i < 5; ++i)
    h = m.b.matmul(m.b.op("Tanh", {h}), m.constant({4, 4}, m.random(16)));
  const auto before = ir::text(m.graph);
  transforms::schedule(m.graph, SessionOptions());
  EXPECT_EQ(ir::text(m.graph), before);
}

TEST(Schedule, ReadersStayOnTheirSideOfAnUpdate) {
  Model m;
  const Value w = m.graph.addVariable(
      "w", HostTensor::fromDoubles({DataType::FLOAT, {4}}, Doubles{1, 2, 3, 4}));
  const Value turned = m.b.op("Reshape", {w}, {{"shape", ir::Integers{2, 2}}});
  const Value old = m.b.op("Exp", {turned});
  const Value now = m.b.op("CopyVarUpdate", {w, m.randomInput({4})});
  const Value y = m.b.mul(now, m.b.op("Flatten", {old}, {{"axis", std::int64_t(0)}}));
  const auto before = m.run({old, y});
  for (const char *tie : {"greedy", "fifo", "random"}) {
    SessionOptions options;
    options.kahnTieBreaker = tie;
    transforms::schedule(m.graph, options);
    EXPECT_LT(typesOf(m.graph).find("Exp"), typesOf(m.graph).find("CopyVarUpdate")) << tie;
    EXPECT_EQ(m.run({old, y}), before) << tie;
  }
}

// Gradients come last layer first and are gathered first layer first; that replicas reduce all
// accumulators together later does not tie one to the other.
TEST(Schedule, GradientsThatAreReducedTogetherAreGatheredOneByOne) {
  Model m;
  Value h = m.randomInput({64});
  Values wide, accumulators, gathered;
  for (int i = 0; i < 4; ++i) {
    h = m.b.op("Tanh", {h});
    wide.push_back(m.b.op("Exp", {m.b.op("Expand", {h}, {{"shape", ir::Integers{50, 64}}})}));
    accumulators.push_back(m.graph.addVariable("a" + std::to_string(i),
                                               HostTensor::filled({DataType::FLOAT, {50, 64}}, 0)));
  }
  for (int i = 4; i-- > 0;)
    gathered.push_back(m.b.op("Accumulate", {accumulators[std::size_t(i)], wide[std::size_t(i)]},
                              {{"weights", std::int64_t(1)}}));
  ir::Node reduce;
  reduce.def = &ops::opOf("ReplicatedReduceScatter");
  reduce.inputs = gathered;
  reduce.attributes.set("replicas", std::int64_t(2));
  m.b.append(std::move(reduce), 4);
  EXPECT_GE(analysis::peakLiveBytes(m.graph), 4 * 50 * 64 * 4);
  transforms::schedule(m.graph, SessionOptions());
  // One gradient, or the four halves that are left of all.
  EXPECT_LE(analysis::peakLiveBytes(m.graph), 3 * 50 * 64 * 4) << ir::text(m.graph);
  EXPECT_LT(typesOf(m.graph).find("Accumulate"), typesOf(m.graph).rfind("Exp"));
}

TEST(Schedule, StagesAndPassesStayInOrder) {
  Wide m;
  const auto n = m.graph.nodes.size();
  for (std::size_t i = 0; i < n; ++i) {
    m.graph.nodes[i].settings.pipelineStage = i < n / 2 ? 0 : 1;
    m.graph.nodes[i].pass = i + 1 == n ? ir::Pass::Update : ir::Pass::Forward;
  }
  transforms::schedule(m.graph, SessionOptions());
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_EQ(m.graph.nodes[i].settings.pipelineStage, i < n / 2 ? 0 : 1);
  EXPECT_EQ(m.graph.nodes.back().pass, ir::Pass::Update);
}

TEST(Schedule, OptionsAct) {
  const auto orderOf = [](const SessionOptions &options) {
    Wide m;
    transforms::schedule(m.graph, options);
    return std::pair(ir::text(m.graph), analysis::peakLiveBytes(m.graph));
  };
  const auto present = orderOf(presentOrder()), best = orderOf(SessionOptions());
  EXPECT_LT(best.second, present.second);
  auto options = presentOrder();
  options.swapLimitScheduler = 1000; // shifts alone find it as well
  EXPECT_EQ(orderOf(options).second, best.second);
  for (double limit : {0.0, 1e9}) {
    options.timeLimitScheduler = limit;
    EXPECT_EQ(orderOf(options).second, limit ? best.second : present.second);
  }
  options.transitiveClosureOptimizationThreshold = 3; // nodes
  EXPECT_EQ(orderOf(options), present);
  options = presentOrder();
  options.kahnTieBreaker = "random";
  EXPECT_NE(orderOf(options).first, present.first);
  EXPECT_EQ(orderOf(options), orderOf(options));
  options.kahnTieBreaker = "fast";
  try {
    orderOf(options);
    FAIL();
  } catch (const error &e) {
    EXPECT_STREQ(e.what(),
                 "kahnTieBreaker is \"fast\"; it can be \"greedy\", \"fifo\" or \"random\".");
  }
}

// The weights are the same, and the tiles hold less.
TEST(Schedule, TrainingKeepsItsNumbersInFewerBytes) {
  struct Case {
    Net net;
    RecomputationType recompute;
    double least; // of the temporaries before
  };
  for (const Case c : {Case{Net::Dense, RecomputationType::None, 0.8},
                       Case{Net::Residual, RecomputationType::None, 0.8},
                       Case{Net::Residual, RecomputationType::RecomputeAll, 0.8},
                       Case{Net::Encoder, RecomputationType::None, 0.8},
                       Case{Net::Encoder, RecomputationType::Standard, 0.9}}) {
    LayersSetup setup;
    setup.net = c.net;
    setup.depth = 6;
    setup.width = 72; // smaller weights are updated together
    setup.options.autoRecomputation = c.recompute;
    const auto best = LayersNet(setup).train();
    setup.options = presentOrder();
    setup.options.autoRecomputation = c.recompute;
    const auto plain = LayersNet(setup).train();
    EXPECT_EQ(best.weights, plain.weights) << int(c.net);
    EXPECT_LE(double(best.temporaries), c.least * double(plain.temporaries)) << int(c.net);
  }
}

TEST(Schedule, UpdatesCanGoFirst) {
  for (bool delay : {true, false})
    for (int accumulation : {1, 2}) {
      LayersSetup setup;
      setup.width = 72;
      setup.accumulation = accumulation;
      setup.options = presentOrder();
      const auto plain = LayersNet(setup).train();
      setup.options.delayVarUpdates = delay;
      setup.options.scheduleNonWeightUpdateGradientConsumersEarly = !delay;
      const auto other = LayersNet(setup).train();
      EXPECT_EQ(other.weights, plain.weights);
      EXPECT_EQ(other.temporaries < plain.temporaries, !delay) << accumulation;
    }
}
