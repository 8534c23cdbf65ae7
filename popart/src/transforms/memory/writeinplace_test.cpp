// SPDX-License-Identifier: MIT
#include "analysis/orders.hpp"
#include "analysis/storage.hpp"
#include "layers.hpp"
#include "model.hpp"
#include "transforms/memory/writeinplace.hpp"

using namespace popart;
using namespace popart::testing;

namespace {
// "Tanh<0" for a node whose output takes over input 0.
std::string marks(const ir::Graph &graph) {
  std::string out;
  for (const auto &node : graph.nodes)
    if (const auto i = analysis::inPlaceInput(node, 0); i >= 0)
      out += base::str(out.empty() ? "" : " ", node.def->type, "<", i);
  return out;
}
} // namespace

TEST(InPlace, TakesOverWhatDies) {
  for (DataType type : {DataType::FLOAT, DataType::FLOAT16}) {
    Model m;
    const Value x = m.randomInput({5, 7}, -1, 1, type);
    const Value a = m.b.op("Tanh", {x});    // a stream stays as it is
    const Value b = m.b.op("Exp", {a});     // a is needed again
    const Value c = m.b.sub(a, b);          // a dies here, and so does b
    const Value d = m.b.mul(c, m.b.neg(c)); // neg needs a place of its own, its product does not
    const Value y = m.b.reduceSum(d, {0}, false);
    const auto want = m.run(y);
    const auto before = analysis::peakLiveBytes(m.graph);
    transforms::writeInPlace(m.graph, {y});
    EXPECT_EQ(marks(m.graph), "Sub<0 Mul<0");
    EXPECT_EQ(3 * analysis::peakLiveBytes(m.graph), 2 * before);
    EXPECT_EQ(m.run(y), want);
  }
}

TEST(InPlace, LooksThroughViews) {
  Model m;
  const Value x = m.randomInput({4, 6});
  const Value a = m.b.op("Tanh", {x});
  const Value turned = m.b.transpose(a, {1, 0});
  const Value b = m.b.op("Exp", {a}); // a's memory is still seen through the transpose
  const Value c = m.b.op("Sigmoid", {turned});
  const Value y = m.b.matmul(b, c);
  const auto want = m.run(y);
  transforms::writeInPlace(m.graph, {y});
  EXPECT_EQ(marks(m.graph), "Sigmoid<0");
  EXPECT_EQ(m.run(y), want);
}

TEST(InPlace, NotUnderTwoViewsAtOnce) {
  Model m;
  const Value a = m.b.op("Tanh", {m.randomInput({4, 4})});
  const Value y = m.b.add(a, m.b.transpose(a, {1, 0}));
  const Value z = m.b.matmul(y, y);
  const auto want = m.run(z);
  transforms::writeInPlace(m.graph, {z});
  EXPECT_EQ(marks(m.graph), "");
  EXPECT_EQ(m.run(z), want);
}

TEST(InPlace, LastStatesHaveMemoryOfTheirOwn) {
  for (const std::string type : {"LSTM", "GRU", "RNN"}) {
    Model m;
    const std::int64_t gates = type == "LSTM" ? 4 : type == "GRU" ? 3 : 1;
    const auto y = m.imported(type,
                              {m.randomInput({3, 2, 2}), m.randomInput({1, gates * 3, 2}),
                               m.randomInput({1, gates * 3, 3})},
                              {{"hidden_size", std::int64_t(3)}}, 14, 2);
    const Value last = m.b.mul(y[1], 3), all = m.b.op("Identity", {y[0]});
    const auto want = m.run({last, all});
    transforms::writeInPlace(m.graph, {last, all});
    EXPECT_EQ(m.run({last, all}), want) << type;
  }
}

TEST(InPlace, BroadcastsAreReadWhereTheyAre) {
  Model m;
  const Value wide =
      m.b.op("Expand", {m.b.op("Tanh", {m.randomInput({1, 6})})}, {{"shape", ir::Integers{5, 6}}});
  const Value y = m.b.op("Exp", {wide}), z = m.b.reduceSum(y, {0}, false);
  const auto want = m.run({y, z});
  transforms::writeInPlace(m.graph, {z});
  EXPECT_EQ(m.run(z), want[1]);
}

TEST(InPlace, NotWhereConstantIndicesLookAtSomethingElse) {
  Model m;
  const Value x = m.randomInput({6, 3});
  const Value at = m.b.constant(ir::HostTensor::of<std::int32_t>({3}, {4, 0, 1}));
  const Value entries = m.b.op("Gather", {x, at}, {{"axis", std::int64_t(0)}});
  const Value y = m.b.op("Exp", {entries}), z = m.b.reduceSum(y, {0, 1}, false);
  const auto want = m.run(z);
  transforms::writeInPlace(m.graph, {z});
  EXPECT_EQ(marks(m.graph), "");
  EXPECT_EQ(m.run(z), want);
}

TEST(InPlace, PreferencesCanForbidIt) {
  for (float priority : {0.0f, 5.0f}) {
    Model m;
    const Value a = m.b.matmul(m.randomInput({4, 4}), m.randomInput({4, 4}));
    const Value y = m.b.matmul(m.b.op("Tanh", {a}), a);
    std::swap(m.graph.nodes.back().inputs[1], m.graph.nodes.back().inputs[0]);
    m.graph.nodes.back().inputs[0] = m.graph.nodes.back().inputs[1];
    m.graph.nodes[1].settings.extra.set("__inplace_op_priorities", std::vector<float>{priority});
    transforms::writeInPlace(m.graph, {y});
    EXPECT_EQ(marks(m.graph), priority > 0 ? "Tanh<0" : "");
  }
}

TEST(InPlace, TrainingKeepsItsNumbersInNoMoreBytes) {
  for (Net net : {Net::Dense, Net::Residual, Net::Encoder})
    for (bool dropout : {false, true}) {
      LayersSetup setup;
      setup.net = net;
      setup.batch = 40; // activations outweigh weights
      setup.dropout = dropout;
      const auto there = LayersNet(setup).train();
      setup.patterns.enableInPlace(false);
      const auto apart = LayersNet(setup).train();
      EXPECT_EQ(there.weights, apart.weights) << int(net);
      EXPECT_LE(there.temporaries, apart.temporaries) << int(net);
    }
}

TEST(InPlace, WorksInPipelines) {
  LayersSetup setup;
  setup.net = Net::Residual;
  setup.ipus = 2;
  setup.accumulation = 5;
  const auto there = LayersNet(setup).train();
  setup.patterns.enableInPlace(false);
  EXPECT_EQ(LayersNet(setup).train().weights, there.weights);
}
