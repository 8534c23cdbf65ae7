// SPDX-License-Identifier: MIT
#include "model.hpp"
#include "transforms/rewriting/movebehindpools.hpp"
#include "transforms/rewriting/prune.hpp"

using namespace popart;
using namespace popart::testing;

namespace {

const ir::Attributes pool{{"kernel_shape", ir::Integers{2, 3}},
                          {"strides", ir::Integers{2, 2}},
                          {"pads", ir::Integers{1, 1, 0, 1}}};

std::string order(const Model &m) {
  std::string out;
  for (const auto &node : m.graph.nodes)
    if (node.def->type != "Reshape")
      out += (out.empty() ? "" : " ") + node.def->type;
  return out;
}
// Everything that training looks at: the result and the gradients.
std::vector<Doubles> results(Model &m, Value y, const Values &inputs) {
  Model copy = m;
  ops::GraphBuilder b(copy.graph);
  const Value loss = b.reduceSum(b.mul(y, y), {0, 1, 2, 3}, false);
  const auto g = autodiff::differentiate(copy.graph,
                                         {loss, b.scalar(1, loss), {inputs.begin(), inputs.end()}});
  Values asked{y};
  for (Value v : inputs)
    asked.push_back(g.at(v));
  return copy.run(asked);
}

} // namespace

TEST(PoolOrder, MovesActivationsAndBiasesBehind) {
  struct Case {
    std::string type, order;
    ir::Attributes attributes;
  };
  for (DataType type : {DataType::FLOAT, DataType::FLOAT16})
    for (const auto &c : std::vector<Case>{{"Relu", "Conv MaxPool Add Relu", {}},
                                           {"Tanh", "Conv MaxPool Add Tanh", {}},
                                           {"LeakyRelu", "Conv MaxPool Add LeakyRelu", {}},
                                           {"Sigmoid", "Conv MaxPool Add Sigmoid", {}}}) {
      SCOPED_TRACE(c.type);
      Model m;
      const Value x = m.randomInput({2, 3, 7, 8}, -1, 1, type),
                  w = m.randomInput({4, 3, 3, 2}, -1, 1, type),
                  bias = m.randomInput({4}, -1, 1, type);
      const Value y = m.b.op("MaxPool", {m.b.op(c.type, {m.b.op("Conv", {x, w, bias})})}, pool);
      const auto before = results(m, y, {x, w, bias});
      EXPECT_EQ(transforms::moveBehindPools(m.graph, {y}), 2u);
      transforms::prune(m.graph, {y});
      EXPECT_EQ(order(m), c.order);
      const auto after = results(m, y, {x, w, bias});
      EXPECT_EQ(after[0], before[0]);
      for (std::size_t i = 1; i < after.size(); ++i)
        expectNear(after[i], before[i], type == DataType::FLOAT ? 1e-5 : 2e-2,
                   type == DataType::FLOAT ? 1e-5 : 2e-2);
    }
}

TEST(PoolOrder, MovesSumsPerChannelAndClip) {
  Model m;
  const Value x = m.randomInput({2, 3, 6, 6}, -2, 2), bias = m.randomInput({3, 1, 1});
  const Value sum = m.b.add(x, bias);
  const Value clip = m.b.op("Clip", {sum, m.b.scalar(-0.5, x), m.b.scalar(0.5, x)});
  const Value y = m.b.op("MaxPool", {clip}, pool);
  const auto before = results(m, y, {x, bias});
  EXPECT_EQ(transforms::moveBehindPools(m.graph, {y}), 2u);
  transforms::prune(m.graph, {y});
  EXPECT_EQ(order(m), "MaxPool Add Clip");
  const auto after = results(m, y, {x, bias});
  for (std::size_t i = 0; i < after.size(); ++i)
    expectNear(after[i], before[i]);
}

TEST(PoolOrder, LeavesWhatMustStay) {
  for (int what = 0; what < 8; ++what) {
    SCOPED_TRACE(what);
    Model m;
    const Value x = m.randomInput({1, 2, 6, 6});
    const Value sum = m.b.add(x, m.randomInput(what == 1 ? Shape{6} : Shape{2, 1, 1}));
    const Value a = what == 2   ? m.b.op("Abs", {sum}) // falls, then rises
                    : what == 3 ? m.b.op("LeakyRelu", {sum}, {{"alpha", -0.1f}})
                                : m.b.op("Relu", {sum});
    if (what == 4)
      m.b.neg(a); // another user
    if (what == 5)
      m.b.settings.virtualGraph = 1;
    const Value y = what == 6 ? m.b.ops("MaxPool", {a}, 2, pool)[0] // positions are asked for
                              : m.b.op("MaxPool", {a}, pool);
    const std::set<Value> kept = what == 7 ? std::set{y, a} : std::set{y};
    EXPECT_EQ(transforms::moveBehindPools(m.graph, kept), what == 0 ? 2u : what == 1 ? 1u : 0u);
  }
}
