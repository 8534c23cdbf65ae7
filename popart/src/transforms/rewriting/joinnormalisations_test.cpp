// SPDX-License-Identifier: MIT
#include "model.hpp"
#include "transforms/rewriting/joinnormalisations.hpp"
#include "transforms/rewriting/prune.hpp"

using namespace popart;
using namespace popart::testing;

namespace {

using ir::Integers;

// As torch writes it; `power` or a product for the square.
Value writtenOut(Model &m, Value x, const Integers &axes, bool power) {
  const ir::Attributes along{{"axes", axes}};
  const Value d = m.b.sub(x, m.b.op("ReduceMean", {x}, along));
  const Value square = power ? m.b.op("Pow", {d, m.b.scalar(2, d)}) : m.b.mul(d, d);
  const Value variance = m.b.op("ReduceMean", {square}, along);
  return m.b.div(d, m.b.sqrt(m.b.add(variance, 1e-3)));
}

} // namespace

TEST(LayerNormTransform, ReplacesTheWrittenOutChain) {
  struct Case {
    Shape shape;
    Integers axes;
    bool power, scale, bias;
  };
  for (const auto &c : std::vector<Case>{{{2, 3, 6}, {-1}, true, true, true},
                                         {{2, 3, 6}, {1, 2}, false, true, true},
                                         {{5, 6}, {1}, true, false, true},
                                         {{2, 3, 6}, {2}, true, false, false}}) {
    Model m;
    const auto x = m.randomInput(c.shape, -2, 3);
    Values inputs{x};
    Value y = writtenOut(m, x, c.axes, c.power);
    const Shape tail(c.shape.end() - std::ptrdiff_t(c.axes.size()), c.shape.end());
    if (c.scale)
      y = m.b.mul(inputs.emplace_back(m.randomInput(tail, 0.5, 2)), y);
    if (c.bias)
      y = m.b.add(y, inputs.emplace_back(m.randomInput(tail)));
    const auto before = m.run(y);
    ASSERT_EQ(transforms::joinNormalisations(m.graph), 1u);
    transforms::prune(m.graph, {y});
    EXPECT_EQ(m.count("GroupNormalization"), 1u);
    EXPECT_EQ(m.count("ReduceMean") + m.count("Div") + m.count("Mul") + m.count("Add"), 0u);
    expectNear(m.run(y), before, 1e-4, 1e-5);
    m.checkGradients(y, inputs, 1e-2);
  }
}

TEST(LayerNormTransform, ReplacesGroupNormWrittenAsInstanceNorm) {
  Model m;
  m.options.stridedChannelGrouping = true; // concerns models that ask for group norm themselves
  const auto x = m.randomInput({2, 6, 2, 3}, -2, 3), scale = m.randomInput({6, 1, 1}, 0.5, 2),
             bias = m.randomInput({6, 1, 1});
  const auto rows = m.b.reshape(x, {2, 3, 12});
  const auto norm = m.b.op("InstanceNormalization",
                           {rows, m.constant({3}, {1, 1, 1}), m.constant({3}, {0, 0, 0})});
  const auto y = m.b.add(m.b.mul(m.b.reshape(norm, {2, 6, 2, 3}), scale), bias);
  const auto before = m.run(y);
  ASSERT_EQ(transforms::joinNormalisations(m.graph), 1u);
  transforms::prune(m.graph, {y});
  EXPECT_EQ(m.count("GroupNormalization"), 1u);
  EXPECT_EQ(m.count("Mul") + m.count("Add"), 0u);
  expectNear(m.run(y), before, 1e-4, 1e-5);
  m.checkGradients(y, {x, scale, bias}, 1e-2);
}

TEST(LayerNormTransform, LeavesWhatOnlyLooksSimilar) {
  Model m;
  const auto x = m.randomInput({2, 3, 6}), other = m.randomInput({2, 3, 6});
  writtenOut(m, x, {1}, true); // not the last dimension
  const ir::Attributes along{{"axes", Integers{2}}};
  const Value d = m.b.sub(x, m.b.op("ReduceMean", {other}, along)); // another tensor's mean
  const Value v = m.b.op("ReduceMean", {m.b.mul(d, d)}, along);
  m.b.div(d, m.b.sqrt(m.b.add(v, 1e-3)));
  EXPECT_EQ(transforms::joinNormalisations(m.graph), 0u);
}

TEST(LayerNormTransform, KeepsValuesThatOthersUse) {
  Model m;
  const auto x = m.randomInput({4, 6}), scale = m.randomInput({6});
  const auto n = writtenOut(m, x, {1}, true), scaled = m.b.mul(n, scale);
  const auto before = m.run(Values{n, scaled});
  m.graph.outputs = {n};
  ASSERT_EQ(transforms::joinNormalisations(m.graph), 1u);
  const auto after = m.run(Values{n, scaled});
  expectNear(after[0], before[0], 1e-4, 1e-5);
  expectNear(after[1], before[1], 1e-4, 1e-5);
}
