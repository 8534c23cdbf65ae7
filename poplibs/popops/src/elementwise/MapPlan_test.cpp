// SPDX-License-Identifier: MIT
// Plans of expressions: which vertices, on which tiles, with which cycles.
#include "elementwise/MapPlan.hpp"
#include "popops/ElementWise.hpp"
#include "popops/ElementWiseCost.hpp"
#include "Session.hpp"

using namespace poplar;
using namespace popops;
using namespace popops::expr;

namespace {

struct Planned : Session {
  Planned() : Session(4) {}
  // Plans an expression whose result lies where the first tensor lies.
  openipu::Plan plan(const Expr &e, const std::vector<Tensor> &ts, const OptionFlags &flags = {},
                     bool inPlace = false) {
    const auto options = parseMapOptions(flags);
    const auto tree = buildTree(e, ts, options.enableExpressionOptimizations, "");
    return planMap(graph, tree, {ts, {ts[0]}, tree.inputs(), inPlace}, options, e.name(ts));
  }
  Tensor variable(const Type &type, const Shape &shape) {
    return graph.addVariable(type, shape, VariableMappingMethod::LINEAR);
  }
};

} // namespace

TEST(MapPlan, OneOperatorIsOneSuperstepOnAllTilesOfTheOutput) {
  Planned p;
  const auto a = p.variable(FLOAT, {2720}), b = p.variable(FLOAT, {2720}); // 680 on each tile
  const auto plan = p.plan(_1 + _2, {a, b});
  ASSERT_EQ(plan.steps.size(), 1u);
  const auto &step = plan.steps[0];
  EXPECT_EQ(step.vertex, "popops::BinaryOp1D<popops::expr::BinaryOpType::ADD,float>");
  ASSERT_EQ(step.tiles.size(), 1u); // four tiles alike
  EXPECT_EQ(step.tiles[0].count, 4u);
  EXPECT_EQ(step.tiles[0].cycles, 11u + 6 * (29 + 57 * 3));
  EXPECT_EQ(step.flops, 2720u);
  EXPECT_EQ(step.needs.size(), 2u);
  const auto inPlace = p.plan(_1 + _2, {a, b}, {}, true);
  EXPECT_EQ(inPlace.steps[0].vertex,
            "popops::BinaryOp1DInPlace<popops::expr::BinaryOpType::ADD,float>");
  EXPECT_EQ(inPlace.steps[0].tiles[0].cycles, 11u + 6 * (58 + 57 * 3));
  EXPECT_EQ(inPlace.steps[0].needs.size(), 1u); // the first operand is there already
}

TEST(MapPlan, BroadcastOperandsHaveVerticesOfTheirOwn) {
  Planned p;
  const auto a = p.variable(FLOAT, {40, 30}), scalar = p.variable(FLOAT, {1});
  const auto row = p.variable(FLOAT, {30}), column = p.variable(FLOAT, {40, 1});
  auto vertex = [&](const Expr &e, const Tensor &b, const OptionFlags &options = {}) {
    const auto name = p.plan(e, {a, b}, options).steps.at(0).vertex;
    return name.substr(0, name.find('<'));
  };
  EXPECT_EQ(vertex(_1 * _2, scalar), "popops::BroadcastScalar1D");
  EXPECT_EQ(vertex(_1 * _2, row), "popops::BroadcastVectorInner1D");
  EXPECT_EQ(vertex(_1 / _2, row), "popops::BroadcastVectorInner1D");
  EXPECT_EQ(vertex(_1 - _2, column), "popops::BroadcastVectorOuterByColumn1D");
  EXPECT_EQ(vertex(_1 / _2, column), "popops::BinaryOp1D");
  EXPECT_EQ(vertex(Max(_1, _2), row), "popops::BinaryOp1D");
  EXPECT_EQ(vertex(_1 * _2, row, {{"enableVectorBroadcastOptimisations", "false"}}),
            "popops::BinaryOp1D");
  // 300 elements on a tile: ten rows, eight columns of each for a worker; two rows would be slower.
  EXPECT_EQ(p.plan(_1 + _2, {a, row}).steps[0].tiles[0].cycles,
            6u * (17 + 17 + 7 + 8 * (8 + 2 * 10)));
  // Many short rows: one in six of the 75 rows for each worker.
  const auto many = p.variable(FLOAT, {300, 4}), shortRow = p.variable(FLOAT, {4});
  EXPECT_EQ(p.plan(_1 + _2, {many, shortRow}).steps[0].tiles[0].cycles,
            13u + 6 * (17 + 7 + 4 * (8 + 2 * 13)) + 24);
}

TEST(MapPlan, ExpressionsAreFusedWhenTheyCanBe) {
  Planned p;
  const auto a = p.variable(HALF, {2400}), b = p.variable(HALF, {2400});
  const auto row = p.variable(HALF, {4, 600}), other = p.variable(HALF, {600});
  const auto fused = p.plan(_1 * _2 + _1, {a, b});
  ASSERT_EQ(fused.steps.size(), 1u);
  // Two operators, two inputs, 100 halves for each worker.
  EXPECT_EQ(fused.steps[0].tiles[0].cycles, 6u * (20 + 2 * 25 * 2));
  EXPECT_EQ(fused.steps[0].flops, 4800u);
  EXPECT_EQ(p.plan(_1 * _2 + _1, {a, b}, {{"enableGenerateCodelet", "false"}}).steps.size(), 2u);
  // One vertex for each operator where an operand is broadcast or repeats elements, unless forced.
  EXPECT_EQ(p.plan(_1 * _2 + _1, {row, other}).steps.size(), 2u);
  EXPECT_EQ(p.plan(_1 * _2 + _1, {row, other.broadcast(4, 0).reshape({4, 600})}).steps.size(), 2u);
  EXPECT_EQ(p.plan(_1 * _2 + _1, {row, other}, {{"forceGenerateCodelet", "true"}}).steps.size(),
            1u);
  EXPECT_EQ(p.plan(_1 * _2 + _1, {row, p.variable(HALF, {})}).steps.size(), 1u); // scalars do not
  EXPECT_EQ(p.plan(_1 * INFINITY + _1, {a}).steps.size(), 2u);
  EXPECT_EQ(p.plan(Neg(_1), {a}, {{"forceGenerateCodelet", "true"}}).steps[0].name, "Map");
  EXPECT_EQ(p.plan(Pow(_1, Const(2.0f)), {a}).steps[0].vertex,
            "popops::UnaryOp1D<popops::expr::UnaryOpType::SQUARE,half>");
  const auto scale = p.variable(FLOAT, {});
  EXPECT_EQ(p.plan(_1 * _2, {a, scale}).steps[0].vertex, "popops::ScalarMultiply1D<half,float>");
}

TEST(MapPlan, SeveralExpressionsAreOneVertexWithALoopForEach) {
  Planned p;
  const auto v = p.variable(FLOAT, {2400}), g = p.variable(FLOAT, {2400}),
             w = p.variable(FLOAT, {2400});
  const std::vector<Tensor> ts{v, g, w};
  const Any newV = Const(0.5f) * _1 + _2, newW = _3 - Const(0.25f) * newV;
  const Expr &first = newV, &second = newW;
  const auto tree = buildTree({&first, &second}, ts, true, "");
  const auto plan = planMap(p.graph, tree, {ts, {v, w}, tree.inputs()}, {}, "both");
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(plan.steps[0].vertex, "popops::map::both");
  // 600 elements on a tile, 50 vectors for each worker. Two operators on two tensors; then, with
  // the new v at hand, two more on two.
  ASSERT_EQ(plan.steps[0].tiles.size(), 1u);
  EXPECT_EQ(plan.steps[0].tiles[0].cycles, 2 * 6u * (20 + 2 * 50 * 2));
  EXPECT_EQ(plan.steps[0].flops, 4 * 2400u);
  EXPECT_EQ(plan.steps[0].needs.size(), 3u); // each input once, as both outputs lie alike
}
