// SPDX-License-Identifier: MIT
#include "analysis/repeats.hpp"
#include "layers.hpp"
#include "model.hpp"
#include "transforms/memory/outline.hpp"

using namespace popart;
using namespace popart::testing;

namespace {

// Layers of one shape: product, activation.
struct Stack : Model {
  explicit Stack(int layers, std::int64_t width = 8) {
    Value h = randomInput({4, width});
    for (int i = 0; i < layers; ++i)
      h = b.op("Tanh", {b.matmul(h, graph.addVariable("w", HostTensor::fromDoubles(
                                                               {DataType::FLOAT, {width, width}},
                                                               random(width * width))))});
    y = h;
  }
  ir::Calls outlined(const SessionOptions &options = {}) {
    return transforms::outline(graph, {}, options);
  }
  Value y;
};

std::string text(const ir::Calls &calls) {
  std::string out;
  for (const auto &c : calls)
    out += base::str(out.empty() ? "" : " ", c.function, ":", c.begin, "-", c.end, "(",
                     c.arguments.size(), ")");
  return out;
}

SessionOptions off() {
  SessionOptions options;
  options.enableOutlining = false;
  return options;
}

} // namespace

TEST(Repeats, AreFoundWithTheirPeriods) {
  const auto has = [](const std::vector<analysis::Repeat> &all, std::uint32_t length,
                      std::vector<std::uint32_t> places) {
    return std::any_of(all.begin(), all.end(),
                       [&](const auto &r) { return r.length == length && r.places == places; });
  };
  const auto some = analysis::findRepeats({9, 1, 2, 3, 8, 1, 2, 3, 7, 2, 3}, 100);
  EXPECT_TRUE(has(some, 3, {1, 5}));
  EXPECT_TRUE(has(some, 2, {2, 6, 9}));
  const auto periodic = analysis::findRepeats({9, 1, 2, 1, 2, 1, 2, 1, 2, 8}, 100);
  EXPECT_TRUE(has(periodic, 2, {1, 3, 5, 7}));
  EXPECT_TRUE(analysis::findRepeats({1, 2, 3, 4}, 100).empty());
  EXPECT_TRUE(analysis::findRepeats({}, 100).empty());
  EXPECT_LE(analysis::findRepeats(std::vector<std::uint32_t>(500, 1), 10).size(), 20u);
}

TEST(Outline, FindsLayersAndTheirArguments) {
  Stack m(5);
  const auto calls = m.outlined();
  EXPECT_EQ(text(calls), "0:0-2(3) 0:2-4(3) 0:4-6(3) 0:6-8(3) 0:8-10(3)");
  for (const auto &call : calls) {
    ASSERT_EQ(call.arguments.size(), 3u);
    unsigned in = 0, out = 0;
    for (const auto &a : call.arguments) {
      in += a.in;
      out += a.out;
      EXPECT_EQ(a.last, a.out ? 1u : 0u);
    }
    EXPECT_EQ(in, 2u);
    EXPECT_EQ(out, 1u);
  }
}

// What is kept beside the chip is no argument: the code is told where it lies.
TEST(Outline, SharesLoadsFromMemoryBesideTheChip) {
  Stack m(0);
  for (int i = 0; i < 3; ++i) {
    const Value state =
        m.graph.addVariable("state", HostTensor::filled({DataType::FLOAT, {8, 8}}, 0));
    m.graph[state].offChip = true;
    const Value x = m.b.op("RemoteLoad", {state});
    m.b.op("RemoteStore", {state, m.b.op("Tanh", {m.b.matmul(x, x)})});
  }
  EXPECT_EQ(text(m.outlined()), "0:0-4(0) 0:4-8(0) 0:8-12(0)");
}

TEST(Outline, OptionsAct) {
  Stack m(5);
  SessionOptions options;
  options.outlineThreshold = 3500; // four calls more than one, 1000 for a product
  EXPECT_EQ(m.outlined(options).size(), 5u);
  options.outlineThreshold = 4500;
  EXPECT_EQ(text(m.outlined(options)), "");
  // 4 MB of weights for every product: too much to copy, unless nobody asks
  Stack wide(5, 1024);
  options.outlineThreshold = 3500;
  EXPECT_EQ(text(wide.outlined(options)), "");
  options.enableOutliningCopyCostPruning = false;
  EXPECT_EQ(wide.outlined(options).size(), 5u);
  options.enableOutliningCopyCostPruning = true;
  options.outlineThreshold = -1; // everything that occurs twice
  EXPECT_EQ(wide.outlined(options).size(), 5u);
  Model single; // element-wise alone is worth less than the default threshold
  Value x = single.randomInput({4});
  for (int i = 0; i < 4; ++i)
    x = single.b.op("Tanh", {x});
  EXPECT_EQ(text(transforms::outline(single.graph, {}, {})), "");
  EXPECT_GE(transforms::outline(single.graph, {}, options).size(), 2u);
}

TEST(Outline, BreaksBetweenNodesThatCommunicateCost) {
  Model m;
  Value h = m.randomInput({4, 4});
  for (int i = 0; i < 3; ++i) { // product and collective, twice in a row between layers
    h = m.b.op("ReplicatedAllReduce", {h});
    h = m.b.matmul(h, m.randomInput({4, 4}));
    h = m.b.op("ReplicatedAllReduce", {h});
  }
  SessionOptions options;
  for (float cost : {0.0f, 1e6f}) {
    options.outlineSequenceBreakCost = cost;
    for (const auto &call : transforms::outline(m.graph, {}, options)) {
      const auto between = [&](std::uint32_t at) {
        return at && at < m.graph.nodes.size() &&
               m.graph.nodes[at - 1].def->type == "ReplicatedAllReduce" &&
               m.graph.nodes[at].def->type == "ReplicatedAllReduce";
      };
      EXPECT_TRUE(cost == 0 || (!between(call.begin) && !between(call.end))) << text({call});
    }
  }
  options.outlineSequenceBreakCost = 0;
  EXPECT_FALSE(transforms::outline(m.graph, {}, options).empty());
}

TEST(Outline, DifferencesAreNotShared) {
  for (int what : {0, 1, 2, 3}) {
    Stack m(4);
    auto &node = m.graph.nodes[4]; // product of the third layer
    if (what == 0)
      node.settings.virtualGraph = 1;
    else if (what == 1)
      node.settings.pipelineStage = 1;
    else if (what == 2)
      node.settings.extra.set("__outline_attribute", std::string("other"));
    else
      node.settings.extra.set("__available_memory_proportion", 0.1f);
    for (const auto &call : m.outlined())
      EXPECT_TRUE(call.end <= 4 || call.begin >= 5) << what << ": " << text(m.outlined());
  }
}

TEST(Outline, ConnectionsMustBeTheSame) {
  Stack m(4);
  m.graph.nodes[5].inputs[0] = m.graph.nodes[2].outputs[0]; // the product of the layer before
  for (const auto &call : m.outlined())
    EXPECT_FALSE(call.begin <= 4 && call.end >= 6) << text(m.outlined());
}

// The same weights; less code, and with every layer more of it saved.
TEST(Outline, TrainingKeepsItsNumbersInLessCode) {
  for (Net net : {Net::Residual, Net::Encoder}) {
    std::uint64_t saved = 0;
    for (int depth : {3, 6}) {
      LayersSetup setup;
      setup.net = net;
      setup.depth = depth;
      setup.dropout = net == Net::Encoder;
      const auto shared = LayersNet(setup).train();
      setup.options = off();
      const auto apart = LayersNet(setup).train();
      EXPECT_EQ(shared.weights, apart.weights);
      EXPECT_GT(shared.cycles, apart.cycles); // arguments are copied
      EXPECT_LT(shared.codeBytes, apart.codeBytes);
      EXPECT_GT(apart.codeBytes - shared.codeBytes, saved) << depth;
      saved = apart.codeBytes - shared.codeBytes;
    }
  }
}

TEST(Outline, WorksInPipelinesReplicasAndRecomputation) {
  for (int what : {0, 1, 2, 3}) {
    LayersSetup setup;
    setup.net = Net::Residual;
    setup.depth = 6;
    setup.ipus = what == 0 ? 2 : 1;
    setup.accumulation = what == 0 ? 6 : what == 1 ? 3 : 1;
    setup.replicas = what == 2 ? 2 : 1;
    setup.adam = what == 1;
    if (what == 3)
      setup.options.autoRecomputation = RecomputationType::Standard;
    const auto shared = LayersNet(setup).train();
    setup.options.enableOutlining = false;
    const auto apart = LayersNet(setup).train();
    EXPECT_EQ(shared.weights, apart.weights) << what;
    EXPECT_LT(shared.codeBytes, apart.codeBytes) << what;
  }
}

TEST(Outline, ArgumentsCanComeJustInTime) {
  LayersSetup setup;
  setup.net = Net::Encoder;
  setup.width = 72;
  const auto atOnce = LayersNet(setup).train();
  setup.options.subgraphCopyingStrategy = SubgraphCopyingStrategy::JustInTime;
  const auto late = LayersNet(setup).train();
  EXPECT_EQ(late.weights, atOnce.weights);
  EXPECT_GT(late.cycles, atOnce.cycles); // more exchanges, of the same bytes
  EXPECT_LT(late.temporaries, atOnce.temporaries);
}
