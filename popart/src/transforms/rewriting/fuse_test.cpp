// SPDX-License-Identifier: MIT
#include "model.hpp"
#include "transforms/rewriting/fuse.hpp"

using namespace popart;
using namespace popart::testing;

namespace {

std::size_t fusedNodes(const ir::Graph &graph) {
  std::size_t n = 0;
  for (const auto &node : graph.nodes)
    n += node.def->type == "FusedElementwise";
  return n;
}
// Two layers with activations, and their gradients.
Values network(Model &m, const Value x, DataType type) {
  const Value w = m.input({6, 6}, m.random(36), type);
  Value h = m.b.op("Gelu", {m.b.matmul(x, w)});
  h = m.b.mul(h, m.b.op("Sigmoid", {m.b.add(h, 0.5)}));
  h = m.b.op("Tanh", {m.b.matmul(h, w)});
  const Value loss = m.b.reduceSum(m.b.square(h), {0, 1}, false);
  const auto g = autodiff::differentiate(m.graph, {loss, m.b.scalar(1, loss), {x, w}});
  return {loss, g.at(x), g.at(w)};
}

} // namespace

TEST(Fuse, KeepsResultsAndNeedsFewerNodes) {
  for (DataType type : {DataType::FLOAT, DataType::FLOAT16}) {
    Model m;
    const Value x = m.randomInput({5, 6}, -1, 1, type);
    const Values outputs = network(m, x, type);
    const auto before = m.run(outputs);
    const std::size_t nodes = m.graph.nodes.size();
    transforms::fuse(m.graph, {outputs.begin(), outputs.end()});
    EXPECT_LE(m.graph.nodes.size() * 2, nodes) << ir::text(m.graph);
    EXPECT_GE(fusedNodes(m.graph), 3u);
    const auto after = m.run(outputs);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      EXPECT_EQ(after[i], before[i]) << "output " << i;
    const std::size_t once = m.graph.nodes.size();
    transforms::fuse(m.graph, {outputs.begin(), outputs.end()}); // again: nothing left to do
    EXPECT_EQ(m.graph.nodes.size(), once);
    EXPECT_EQ(m.run(outputs), before);
  }
}

TEST(Fuse, KeepsValuesThatOthersLookAt) {
  Model m;
  const Value x = m.randomInput({4});
  const Value a = m.b.exp(x), b = m.b.neg(a), c = m.b.sqrt(m.b.op("Abs", {b}));
  const auto before = m.run({b, c});
  transforms::fuse(m.graph, {b, c});
  EXPECT_EQ(m.graph.nodes.size(), 2u) << ir::text(m.graph); // exp and neg; abs and sqrt
  EXPECT_EQ(m.run({b, c}), before);
}

TEST(Fuse, LeavesPassesStagesAndIpusApart) {
  for (int what : {0, 1, 2, 3}) {
    Model m;
    const Value x = m.randomInput({4});
    const Value a = m.b.exp(x);
    if (what == 1)
      m.b.pass = ir::Pass::Backward;
    if (what == 2)
      m.b.settings.pipelineStage = 1;
    if (what == 3)
      m.b.settings.virtualGraph = 1;
    const Value b = m.b.neg(a);
    transforms::fuse(m.graph, {b});
    EXPECT_EQ(m.graph.nodes.size(), what ? 2u : 1u);
  }
}

TEST(Fuse, TakesOperandsThatBroadcast) {
  for (const Shape &shape : {Shape{3}, Shape{4, 1}, Shape{1, 1, 3}}) {
    Model m;
    const Value x = m.randomInput({2, 4, 3}), bias = m.randomInput(shape);
    const Value y = m.b.neg(m.b.exp(m.b.add(x, m.b.sqrt(m.b.op("Abs", {bias})))));
    const auto before = m.run(y);
    transforms::fuse(m.graph, {y});
    EXPECT_EQ(m.graph.nodes.size(), 2u) << ir::text(m.graph); // the small operand; all the rest
    EXPECT_EQ(m.run(y), before);
  }
}

TEST(Fuse, ReadsVariablesBeforeTheirUpdates) {
  Model m;
  const Value w = m.graph.addVariable("w", HostTensor::of<float>({2}, {1, 2}));
  const Value a = m.b.neg(w), x = m.randomInput({2});
  m.b.op("CopyVarUpdate", {w, x});
  const Value b = m.b.exp(a);
  transforms::fuse(m.graph, {b});
  EXPECT_EQ(m.graph.nodes.size(), 3u) << ir::text(m.graph);
}

TEST(Fuse, StopsBeforeExpressionsGrowTooLarge) {
  Model m;
  Value y = m.randomInput({4}, 0.9, 1.1);
  for (int i = 0; i < 30; ++i)
    y = m.b.mul(y, y); // written out, 2^30 factors
  const auto before = m.run(y);
  transforms::fuse(m.graph, {y});
  EXPECT_GT(m.graph.nodes.size(), 3u);
  EXPECT_LT(m.graph.nodes.size(), 10u);
  EXPECT_EQ(m.run(y), before);
}

TEST(Fuse, StopsAtTwentyInputs) {
  Model m;
  Value y = m.randomInput({4});
  for (int i = 0; i < 45; ++i)
    y = m.b.add(m.b.neg(y), m.randomInput({4}));
  const auto before = m.run(y);
  transforms::fuse(m.graph, {y});
  for (const auto &node : m.graph.nodes)
    EXPECT_LE(node.inputs.size(), 20u);
  EXPECT_LE(m.graph.nodes.size(), 4u);
  EXPECT_EQ(m.run(y), before);
}
