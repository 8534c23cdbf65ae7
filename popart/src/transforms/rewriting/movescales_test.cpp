// SPDX-License-Identifier: MIT
#include "model.hpp"
#include "transforms/rewriting/movescales.hpp"
#include "transforms/rewriting/prune.hpp"

using namespace popart;
using namespace popart::testing;

TEST(MoveScales, ToTheSmallerOperand) {
  for (int what = 0; what < 5; ++what) {
    SCOPED_TRACE(what);
    Model m;
    const std::int64_t inner = what == 1 ? 8 : 3; // as many elements as the result has
    const Value a = m.randomInput({2, 9, inner}), b = m.randomInput({2, inner, 8});
    const Value p = m.b.matmul(a, b);
    if (what == 2)
      m.b.neg(p);
    if (what == 3)
      m.b.settings.virtualGraph = 1;
    const Value y = m.b.mul(p, 0.25);
    const auto before = m.run(y);
    const std::set<Value> kept = what == 4 ? std::set{y, p} : std::set{y};
    EXPECT_EQ(transforms::moveScales(m.graph, kept), what ? 0u : 1u);
    expectNear(m.run(y), before);
    if (what)
      continue;
    transforms::prune(m.graph, {y});
    ASSERT_EQ(m.graph.nodes.size(), 2u) << ir::text(m.graph);
    EXPECT_EQ(m.graph.nodes[0].inputs[0], b);
    EXPECT_EQ(m.graph.nodes[1].def->type, "MatMul");
    m.checkGradients(y, {a, b});
  }
}
