// SPDX-License-Identifier: MIT
#include "model.hpp"
#include "transforms/memory/findsetup.hpp"
#include "transforms/rewriting/foldscales.hpp"

using namespace popart;
using namespace popart::testing;

namespace {

Value weights(Model &m, const Shape &shape) {
  const auto values = m.random(ir::elementsOf(shape));
  const Value w =
      m.graph.addVariable("w", HostTensor::fromDoubles(TensorInfo(DataType::FLOAT, shape), values));
  m.feed(w, values);
  return w;
}
// Two heads of a layer with a bias.
Value heads(Model &m, Value x, bool bias = true) {
  Value h = m.b.matmul(x, weights(m, {6, 8}));
  if (bias)
    h = m.b.add(weights(m, {8}), h);
  return m.b.transpose(m.b.reshape(h, {3, 5, 2, 4}), {0, 2, 1, 3});
}
unsigned perBatch(const Model &m, const std::string &type) {
  const auto once = transforms::findSetup(m.graph);
  unsigned n = 0;
  for (const auto &node : m.graph.nodes)
    n += node.def->type == type && !once.count(node.outputs[0]);
  return n;
}

} // namespace

TEST(FoldScales, IntoTheWeightsOfAttention) {
  for (const std::string how : {"Div", "Mul", "Scale"}) {
    Model m;
    const Value x = m.randomInput({3, 5, 6});
    const Value keys = m.b.transpose(heads(m, x), {0, 1, 3, 2});
    const Value scores = m.b.matmul(heads(m, x), keys);
    const Value scaled = how == "Div"   ? m.b.div(scores, m.b.scalar(4, x))
                         : how == "Mul" ? m.b.mul(scores, 0.25)
                                        : m.b.op("Scale", {scores}, {{"scale", 0.25f}});
    const Value y = m.b.op("Softmax", {scaled}, {{"axis", std::int64_t(-1)}});
    const auto before = m.run(y);
    EXPECT_EQ(transforms::foldScales(m.graph, {y}), 1u);
    EXPECT_EQ(perBatch(m, how), 0u) << ir::text(m.graph);
    expectNear(m.run(y), before, 1e-5, 1e-6);
  }
}

TEST(FoldScales, IntoConvolutionsAndTwice) {
  Model m;
  const Value x = m.randomInput({2, 3, 5, 5});
  Value y = m.b.op("Conv", {x, weights(m, {4, 3, 3, 3}), weights(m, {4})});
  y = m.b.exp(m.b.mul(m.b.mul(y, 0.5), 3));
  const auto before = m.run(y);
  EXPECT_EQ(transforms::foldScales(m.graph, {y}), 2u);
  expectNear(m.run(y), before, 1e-5, 1e-6);
}

TEST(FoldScales, LeavesWhatOthersSee) {
  for (int what = 0; what < 6; ++what) {
    SCOPED_TRACE(what);
    Model m;
    const Value x = m.randomInput({3, 5, 6});
    const Value w = what == 1 ? m.randomInput({6, 8}) : weights(m, {6, 8}); // not known before
    const Value h = what == 2 ? m.b.exp(m.b.matmul(x, w)) : m.b.matmul(x, w);
    if (what == 3)
      m.b.neg(h);
    if (what == 4)
      m.b.settings.virtualGraph = 1;
    const Value y = m.b.neg(m.b.mul(h, 0.25));
    const std::set<Value> kept = what == 5 ? std::set{y, h} : std::set{y};
    EXPECT_EQ(transforms::foldScales(m.graph, kept), what ? 0u : 1u);
  }
}
