// SPDX-License-Identifier: MIT
#include "model.hpp"
#include "transforms/rewriting/joingelus.hpp"
#include "transforms/rewriting/prune.hpp"

using namespace popart;
using namespace popart::testing;

namespace {

// As torch exports it, and with the factors in other orders.
Value byErf(Model &m, Value x, int form) {
  const Value scaled = form == 0 ? m.b.div(x, m.b.scalar(std::sqrt(2.0), x))
                                 : m.b.mul(m.b.scalar(std::sqrt(0.5), x), x);
  const Value step = m.b.add(m.b.op("Erf", {scaled}), 1.0);
  return form == 0   ? m.b.mul(m.b.mul(x, step), 0.5)
         : form == 1 ? m.b.mul(m.b.mul(x, 0.5), step)
                     : m.b.mul(x, m.b.mul(step, 0.5));
}
Value byTanh(Model &m, Value x, bool power) {
  const Value cube = power ? m.b.op("Pow", {x, m.b.scalar(3, x)}) : m.b.mul(m.b.mul(x, x), x);
  const Value u = m.b.mul(m.b.add(x, m.b.mul(cube, 0.044715)), std::sqrt(2 / M_PI));
  return m.b.mul(m.b.mul(x, 0.5), m.b.add(m.b.op("Tanh", {u}), 1.0));
}

} // namespace

TEST(GeluTransform, ReplacesTheWrittenOutFunction) {
  for (int form = 0; form < 5; ++form) {
    SCOPED_TRACE(form);
    Model m;
    const Value x = m.randomInput({3, 5}, -3, 3);
    const Value y = form < 3 ? byErf(m, x, form) : byTanh(m, x, form == 3);
    const auto before = m.run(y);
    EXPECT_EQ(transforms::joinGelus(m.graph), 1u);
    transforms::prune(m.graph, {y});
    EXPECT_EQ(m.order(), form < 3 ? "GeluErf" : "Gelu");
    expectNear(m.run(y), before, 1e-5, 1e-5);
    m.checkGradients(y, {x});
  }
}

TEST(GeluTransform, LeavesWhatOnlyLooksSimilar) {
  Model m;
  const Value x = m.randomInput({4}), other = m.randomInput({4});
  const Value step = m.b.add(m.b.op("Erf", {m.b.mul(x, std::sqrt(0.5))}), 1.0);
  m.b.mul(m.b.mul(other, step), 0.5); // of another value
  m.b.mul(m.b.mul(x, step), 0.4);
  m.b.mul(m.b.mul(x, m.b.add(m.b.op("Erf", {x}), 1.0)), 0.5); // without the root
  m.b.mul(m.b.mul(x, m.b.add(m.b.op("Tanh", {x}), 1.0)), 0.5);
  EXPECT_EQ(transforms::joinGelus(m.graph), 0u);
}

TEST(GeluTransform, KeepsValuesThatOthersUse) {
  Model m;
  const Value x = m.randomInput({4});
  const Value half = byErf(m, x, 0), inside = m.graph.nodes[2].outputs[0]; // 1 + erf
  const auto before = m.run(Values{half, inside});
  EXPECT_EQ(transforms::joinGelus(m.graph), 1u);
  const auto after = m.run(Values{half, inside});
  EXPECT_EQ(after[1], before[1]);
  expectNear(after[0], before[0], 1e-5, 1e-5);
}
