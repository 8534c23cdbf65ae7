// SPDX-License-Identifier: MIT
// Expressions: constants, several results at once, temporaries, mistakes, cost, text.
#include "base/Text.hpp"
#include "Expected.hpp"
#include "popops/ElementWise.hpp"
#include "popops/ElementWiseCost.hpp"
#include "popops/ExprOpUtils.hpp"
#include "popops/MapTogether.hpp"
#include "poputil/exceptions.hpp"
#include <bit>

using namespace popops;
using namespace popops::expr;
using namespace poplar;

TEST(ElementWise, ConstantsTakeTheTypeOfTheTensorAndWrappersTakeThemOnEitherSide) {
  Expected e;
  const auto f = e.s.input(FLOAT, {3}, {1, 2, 3}), h = e.s.input(HALF, {3}, {1, 2, 3});
  const auto i = e.s.input(INT, {3}, {1, 2, 3});
  e.expect(add(e.s.graph, f, 0.5f, e.s.prog, "n"), {1.5, 2.5, 3.5}, 0, 0, "add");
  e.expect(sub(e.s.graph, 1.0, h, e.s.prog), {0, -1, -2}, 0, 0, "sub");
  e.expect(mul(e.s.graph, 2, i, e.s.prog), {2, 4, 6}, 0, 0, "mul");
  e.expect(map(e.s.graph, Select(Mul(Const(0.1f), _1), _1, Lt(_1, Const(2.0f))), {h}, e.s.prog),
           {toHalf(toHalf(0.1)), 2, 3}, 0, 0, "leaky relu");
  e.expect(map(e.s.graph, Const(2.0f) * Const(3.0f) + _1, {h}, e.s.prog), {7, 8, 9}, 0, 0,
           "constants only");
  e.expect(map(e.s.graph, Cast(_1, FLOAT) / 2.0f, {i}, e.s.prog), {0.5, 1, 1.5}, 0, 0, "cast");
  e.expect(map(e.s.graph, Clamp(_1, Const(1.5f), Const(2.5f)), {f}, e.s.prog), {1.5, 2, 2.5}, 0, 0,
           "clamp");
  e.expect(map(e.s.graph, Const(7), {}, e.s.prog), {7}, 0, 0, "lone constant");
  const auto counts = e.s.input(UNSIGNED_INT, {3}, {1, 2, 3}), ints = e.s.input(INT, {2}, {-4, 4});
  e.expect(map(e.s.graph, _1 * Const(2.0f) + Const(1.0f), {counts}, e.s.prog), {3, 5, 7}, 0, 0,
           "whole float beside unsigned");
  e.expect(map(e.s.graph, _1 + Const(-3.0f), {ints}, e.s.prog), {-7, 1}, 0, 0,
           "whole float beside int");
  addInPlace(e.s.graph, i, 10, e.s.prog);
  e.expect(i, {11, 12, 13}, 0, 0, "in place");
  EXPECT_THROW(add(e.s.graph, f, 1, e.s.prog), std::runtime_error);
  EXPECT_THROW(add(e.s.graph, i, 1.0f, e.s.prog), std::runtime_error);
  EXPECT_THROW(mul(e.s.graph, 2u, i, e.s.prog), std::runtime_error);
  e.run();
}

// Products are done together with the sums that take them, which must not be seen.
TEST(ElementWise, ProductsAndTheirSumsAreBothRounded) {
  Expected e;
  const auto float32 = [](double x) { return double(float(x)); };
  auto inputs = [&] {
    auto v = e.s.random(1500);
    for (auto &x : v)
      x = float32(x);
    return v;
  };
  const auto a = inputs(), b = inputs(), c = inputs();
  const auto ta = e.s.input(FLOAT, {1500}, a), tb = e.s.input(FLOAT, {1500}, b);
  const auto tc = e.s.input(FLOAT, {1500}, c);
  auto check = [&](const Any &expression, auto &&f, const char *what) {
    Doubles expected;
    for (std::size_t i = 0; i < a.size(); ++i)
      expected.push_back(float32(f(float32(a[i] * b[i]), c[i])));
    e.expect(map(e.s.graph, expression, {ta, tb, tc}, e.s.prog), expected, 0, 0, what);
  };
  check(
      _1 * _2 + _3, [](double p, double x) { return p + x; }, "product first");
  check(
      _3 + _1 * _2, [](double p, double x) { return p + x; }, "product last");
  check(
      _1 * _2 - _3, [](double p, double x) { return p - x; }, "less something");
  check(
      _3 - _1 * _2, [](double p, double x) { return x - p; }, "something less it");
  check(
      _1 * _2 - _1 * _2, [](double, double) { return 0.0; }, "twice");
  check((_1 * _2 + _3) * _3 - _1 * _2,
        [&](double p, double x) { return float32(float32(p + x) * x) - p; }, "used again");
  e.run();
}

TEST(ElementWise, SeveralExpressionsSeeTheOldValues) {
  Expected e;
  const auto a = e.s.input(FLOAT, {3}, {1, 2, 3}), b = e.s.input(FLOAT, {3}, {10, 20, 30});
  const auto both = map(e.s.graph, std::vector<Any>{_1 + _2, _1 - _2}, {a, b}, e.s.prog);
  e.expect(both.at(0), {11, 22, 33}, 0, 0, "sum");
  e.expect(both.at(1), {-9, -18, -27}, 0, 0, "difference");
  mapInPlace(e.s.graph, std::vector<Any>{_2, _1}, {a, b}, e.s.prog);
  e.expect(a, {10, 20, 30}, 0, 0, "swapped");
  e.expect(b, {1, 2, 3}, 0, 0, "swapped");
  EXPECT_THROW(mapInPlace(e.s.graph, std::vector<Any>{_1, _1}, {a}, e.s.prog),
               poputil::poplibs_error);
  EXPECT_THROW(mapWithOutput(e.s.graph, std::vector<Any>{_1, _1}, {a}, {b}, e.s.prog),
               poputil::poplibs_error);
  e.run();
}

// Momentum and weight at once: v <- v / 2 + g, w <- w - v (new) / 4, in numbers that are exact.
TEST(ElementWise, SeveralResultsAreWrittenOverTheirOperandsInOnePass) {
  Expected e;
  const Any newV = Const(0.5f) * _1 + _2;
  const std::vector<Any> exprs{newV, _3 - Const(0.25f) * newV, Any(_2)};
  for (const Type &type : {FLOAT, HALF})
    for (const Shape &shape : {Shape{1}, Shape{7}, Shape{33, 31}, Shape{300, 401}})
      for (bool turned : {false, true}) { // the weight lies another way than its momentum
        if (turned && shape.size() < 2)
          continue;
        std::size_t n = 1;
        for (auto d : shape)
          n *= d;
        const auto v = e.s.integers(n, -8, 8), g = e.s.integers(n, -8, 8),
                   w = e.s.integers(n, -8, 8);
        const auto tv = e.s.input(type, shape, v), tg = e.s.input(type, shape, g);
        const auto tw = turned ? e.s.input(type, {shape[1], shape[0]}, w).transpose()
                               : e.s.input(type, shape, w);
        // The weight goes first, so what others read must survive it.
        mapWithOutput(e.s.graph, {exprs[1], exprs[0], exprs[2]}, {tv, tg, tw}, {tw, tv, tg},
                      e.s.prog);
        Doubles vs, ws;
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t at = turned ? i % shape[1] * shape[0] + i / shape[1] : i;
          vs.push_back(v[i] / 2 + g[i]);
          ws.push_back(w[at] - vs[i] / 4);
        }
        e.expect(tv, vs, 0, 0, "momentum");
        e.expect(tw, ws, 0, 0, "weight");
        e.expect(tg, g, 0, 0, "gradient");
      }
  e.run();
}

TEST(ElementWise, ResultsOfSeveralShapesAndTheSameResultTwice) {
  Expected e;
  const auto a = e.s.input(FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6}), b = e.s.input(FLOAT, {3}, {7, 8, 9});
  const auto all =
      map(e.s.graph, std::vector<Any>{_1 + _2, _2 * _2, _2 + _1, _1 > _2}, {a, b}, e.s.prog);
  e.expect(all.at(0), {8, 10, 12, 11, 13, 15}, 0, 0, "sum");
  e.expect(all.at(1), {49, 64, 81}, 0, 0, "square");
  e.expect(all.at(2), {8, 10, 12, 11, 13, 15}, 0, 0, "sum again");
  e.expect(all.at(3), {0, 0, 0, 0, 0, 0}, 0, 0, "comparison");
  mapInPlace(e.s.graph, std::vector<Any>{_1 - _2, _2 - Const(1.0f)}, {a, b}, e.s.prog);
  e.expect(a, {-6, -6, -6, -3, -3, -3}, 0, 0, "first");
  e.expect(b, {6, 7, 8}, 0, 0, "second");
  e.run();
}

TEST(ElementWise, OperandsThatAreSimplifiedAwayCountForTheShape) {
  Expected e;
  const auto a = e.s.input(FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6}), b = e.s.input(FLOAT, {1}, {7});
  const auto first = Select(_2, _1, Const(true)), number = Select(Const(3.0f), _1, Const(true));
  e.expect(map(e.s.graph, first, {a, b}, e.s.prog), Doubles(6, 7), 0, 0, "operand");
  e.expect(map(e.s.graph, number, {a}, e.s.prog), Doubles(6, 3), 0, 0, "number");
  const auto out = e.s.input(FLOAT, {2, 3}, Doubles(6, 0));
  mapWithOutput(e.s.graph, number, {a}, out, e.s.prog);
  e.expect(out, Doubles(6, 3), 0, 0, "written");
  mapInPlace(e.s.graph, first, {a, b}, e.s.prog);
  e.expect(a, Doubles(6, 7), 0, 0, "in place");
  e.run();
}

// Results may lie where an operand was that nobody needs any more: only there.
TEST(ElementWise, ChainsOfTemporariesKeepWhatIsStillNeeded) {
  Expected e;
  const std::size_t n = 70;
  for (const Type &type : {FLOAT, HALF}) {
    Graph &graph = e.s.graph;
    auto &prog = e.s.prog;
    const auto a = e.s.integers(n * n, -4, 4);
    const auto ta = e.s.input(type, {n, n}, a);
    const auto b = map(graph, _1 + Const(1.0f), {ta}, prog);      // ends with d
    const auto c = map(graph, _1 - _2 * _2, {b, b}, prog);        // ends with f
    const auto d = map(graph, _1 + _2, {b, b.transpose()}, prog); // two views of b
    const auto both = map(graph, std::vector<Any>{_1 * _2, _2 - _1}, {c, d}, prog);
    const auto f = map(graph, Max(_1, Const(0.0f)) + _3 - _2, {both[0], both[1], c}, prog);
    Doubles expected;
    auto at = [&](std::size_t i, std::size_t j) { return a[i * n + j] + 1; };
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const double bb = at(i, j), cc = bb - bb * bb, dd = bb + at(j, i);
        expected.push_back(std::max(0.0, cc * dd) + cc - (dd - cc));
      }
    e.expect(f, expected, 0, 0, type.toString());
  }
  e.run();
}

TEST(ElementWise, ListsOfTensorsAreMappedTogether) {
  Expected e;
  const Any newV = Const(0.5f) * _1 + _2 * _4;
  std::vector<std::vector<Tensor>> ts, outs;
  const auto number = e.s.input(FLOAT, {}, {2});
  for (const Shape &shape : {Shape{5}, Shape{3, 7}, Shape{0, 2}, Shape{40, 50}}) {
    const bool turned = shape.size() == 2 && shape[0] == 3;
    const std::size_t n = shape.size() == 1 ? 5 : shape[0] * shape[1];
    const auto v = e.s.integers(n, -8, 8), g = e.s.integers(n, -8, 8), w = e.s.integers(n, -8, 8);
    auto tensor = [&](const Doubles &values) {
      return n == 0   ? e.s.graph.addVariable(FLOAT, shape, VariableMappingMethod::LINEAR)
             : turned ? e.s.input(FLOAT, {shape[1], shape[0]}, values).transpose()
                      : e.s.input(FLOAT, shape, values);
    };
    ts.push_back({tensor(v), tensor(g), tensor(w), number});
    outs.push_back({ts.back()[0], ts.back()[2], ts.back()[1]});
    if (n == 0)
      continue;
    Doubles vs, ws;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = turned ? i % shape[1] * shape[0] + i / shape[1] : i;
      vs.push_back(v[at] / 2 + 2 * g[at]);
      ws.push_back(w[at] - vs[i] / 4);
    }
    e.expect(ts.back()[0], vs, 0, 0, "momentum");
    e.expect(ts.back()[2], ws, 0, 0, "weight");
    e.expect(ts.back()[1], Doubles(n, 0), 0, 0, "gradient");
  }
  mapTogether(e.s.graph, {newV, _3 - Const(0.25f) * newV, Const(0.0f)}, ts, outs, e.s.prog);
  EXPECT_THROW(mapTogether(e.s.graph, {_1 + _2}, {ts[0], {ts[1][0]}}, {outs[0], outs[1]}, e.s.prog),
               poputil::poplibs_error);
  e.run();
}

TEST(ElementWise, MistakesAreRefusedWithShapesAndTypes) {
  Session s;
  auto &g = s.graph;
  const auto f = s.input(FLOAT, {4, 3}, Doubles(12)), i = s.input(INT, {4, 3}, Doubles(12));
  const auto other = s.input(FLOAT, {4, 2}, Doubles(8));
  auto message = [&](auto call) -> std::string {
    try {
      call();
    } catch (const poputil::poplibs_error &error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ(message([&] { add(g, f, other, s.prog, "layer"); }),
            "popops: shapes [4,3] and [4,2] do not broadcast: dimension 1 is 3 and 2. Make them "
            "equal, or make one of them 1. (at \"layer\")");
  EXPECT_EQ(message([&] { add(g, f, i, s.prog); }),
            "popops::map: operands of ADD have types float and int. Cast one of them.");
  EXPECT_EQ(message([&] { map(g, _1 + Const(0.5f), {i}, s.prog); }),
            "popops::map: operands of ADD have types int and float. Cast one of them.");
  EXPECT_EQ(message([&] { popops::exp(g, i, s.prog); }),
            "popops::map: EXPONENT does not take int.");
  EXPECT_EQ(message([&] {
              map(g, _1 + _3, {f, f}, s.prog);
            }),
            "popops::map: the expression uses _3, but 2 tensors were given. Place holders count "
            "from _1.");
  EXPECT_EQ(message([&] { select(g, f, f, i, s.prog); }),
            "popops::map: the condition of SELECT has type int; it must be bool.");
  EXPECT_NE(message([&] { addInPlace(g, f.slice(0, 1), f, s.prog); }).find("shape [4,3]"),
            std::string::npos);
  EXPECT_NE(message([&] { ltInPlace(g, f, f, s.prog); }).find("type bool"), std::string::npos);
  EXPECT_NE(message([&] {
              addInPlace(g, f[0].expand({0}).broadcast(4, 0), f, s.prog);
            }).find("several places"),
            std::string::npos);
  EXPECT_THROW(map(g, _1, {f}, s.prog, {}, {{"enableGenerateCodelets", "true"}}), invalid_option);
  EXPECT_THROW(map(g, _1, {f}, s.prog, {}, {{"forceGenerateCodelet", "yes"}}), invalid_option);
}

TEST(ElementWise, AlgebraKeepsTheValues) {
  for (const char *optimise : {"true", "false"}) {
    Expected e;
    const auto v = e.s.random(40, 0.5, 4);
    const auto stored = Session::stored(FLOAT, v);
    const auto f = e.s.input(FLOAT, {40}, v);
    const OptionFlags options{{"enableExpressionOptimizations", optimise}};
    for (double power : {0.5, -0.5, 1.0, -1.0, 2.0, 3.0})
      e.expect(map(e.s.graph, Pow(_1, Const(float(power))), {f}, e.s.prog, {}, options),
               each(stored, [&](double x) { return std::pow(x, power); }), 1e-6, 0,
               "pow " + std::to_string(power));
    e.expect(map(e.s.graph, (_1 + 0.0f) * 1.0f / 1.0f - 0.0f, {f}, e.s.prog, {}, options), stored,
             0, 0, "identities");
    const auto u = e.s.integers(40, 0, 1000);
    const auto tu = e.s.input(UNSIGNED_INT, {40}, u);
    e.expect(map(e.s.graph, _1 % 16u + _1 / 8u, {tu}, e.s.prog, {}, options),
             each(u, [](double x) { return double(unsigned(x) % 16 + unsigned(x) / 8); }), 0, 0,
             "powers of two");
    e.expect(map(e.s.graph, Select(_1, Neg(_1), Const(false)), {f}, e.s.prog, {}, options),
             each(stored, [](double x) { return -x; }), 0, 0, "select");
    e.run();
  }
}

TEST(ElementWise, OutputsTakeThePlaceOfTheBestSpreadOperand) {
  Session s(16);
  const auto onOne = s.graph.addVariable(FLOAT, {64});
  s.graph.setTileMapping(onOne, 3);
  const auto spread = s.graph.addVariable(FLOAT, {64}, VariableMappingMethod::LINEAR);
  const auto out = add(s.graph, onOne, spread, s.prog);
  EXPECT_EQ(s.graph.getTileMapping(out), s.graph.getTileMapping(spread));
  const auto row = s.graph.addVariable(FLOAT, {1, 8}, VariableMappingMethod::LINEAR);
  const auto column = s.graph.addVariable(FLOAT, {8, 1}, VariableMappingMethod::LINEAR);
  const auto linear = s.graph.addVariable(FLOAT, {8, 8}, VariableMappingMethod::LINEAR);
  EXPECT_EQ(s.graph.getTileMapping(add(s.graph, row, column, s.prog)),
            s.graph.getTileMapping(linear));
}

TEST(ElementWiseCost, AgreesWithTheReferenceFormulas) {
  using namespace cost;
  const auto &chip = arch::chipByName("ipu2");
  EXPECT_EQ(binaryCycles(chip, BinaryOpType::ADD, FLOAT, 680), 1211u);
  EXPECT_EQ(unaryCycles(chip, UnaryOpType::EXPONENT, HALF, 680), 914u);
  EXPECT_EQ(castCycles(chip, FLOAT, HALF, 680), 594u);
  // 100 workers' floats: 11 + 6 * (20 + 50 * 2)
  EXPECT_EQ(broadcastScalarCycles(chip, BinaryOpType::MULTIPLY, FLOAT, 600),
            11u + 6 * (20 + 50 * 2));
  EXPECT_EQ(unaryCycles(chip, UnaryOpType::TANH, HALF, 240, true), 20u + 6 * (55 + 10 * 2));
  EXPECT_EQ(fillCycles(chip, FLOAT, 1000), 6u * (23 + 500));
  EXPECT_EQ(vectorInnerCycles(chip, BinaryOpType::ADD, FLOAT, 1, 10, 12),
            13u + 6 * (17 + 7 + 120) + 24);
  // Twelve regions: two of fifty elements for each worker.
  EXPECT_EQ(unaryCycles(chip, UnaryOpType::NEGATE, FLOAT, 600, false, 12), 6u * (20 + 2 * 25 * 2));
}

TEST(ElementWiseCost, FollowsTheWorkersAndTheDataPathOfTheChip) {
  using namespace cost;
  auto chip = arch::chipByName("ipu2");
  chip.workers = 4;
  EXPECT_EQ(broadcastScalarCycles(chip, BinaryOpType::MULTIPLY, FLOAT, 600), 11u + 4 * (20 + 150));
  chip.dataPathBits = 128;
  EXPECT_EQ(broadcastScalarCycles(chip, BinaryOpType::MULTIPLY, FLOAT, 600),
            11u + 4 * (20 + 2 * 38));
}

TEST(ElementWise, AHalfOfTheHostIsAConstantOfTypeHalf) {
  const Const half(IeeeHalf(1.5f));
  EXPECT_EQ(half.getType(), HALF);
  EXPECT_EQ(half.getDataAsDouble(), 1.5);
  EXPECT_TRUE(half.deepEquals(ConstHalf(1.5f)));
}

TEST(ElementWise, ExpressionsPrintCompareAndCopy) {
  const Any e = (_1 * 2.0f) - Exp(_2);
  std::ostringstream text, pretty;
  text << e;
  EXPECT_EQ(text.str(), "SUBTRACT(MULTIPLY(_1,Const(2,float)),EXPONENT(_2))");
  e.print(pretty);
  EXPECT_EQ(pretty.str(), "SUBTRACT\n  MULTIPLY\n    _1\n    Const(2,float)\n  EXPONENT\n    _2\n");
  Any copy = e; // NOLINT(performance-unnecessary-copy-initialization): of which this is a test
  EXPECT_TRUE(copy.deepEquals(e));
  EXPECT_FALSE(copy.deepEquals((_1 * 3.0f) - Exp(_2)));
  const Expr &expr = e;
  EXPECT_TRUE(expr.isA<BinaryOp>());
  EXPECT_EQ(expr.getAs<BinaryOp>()->getOpType(), BinaryOpType::SUBTRACT);
  EXPECT_EQ(Const(-3).getDataAsDouble(), -3);
  EXPECT_THROW(Const(1.5f).getDataForUnsignedIntegral(), poputil::poplibs_error);
  EXPECT_EQ((1.5_half).getType(), HALF);
  Session s(4);
  const auto f = s.graph.addVariable(FLOAT, {2}), h = s.graph.addVariable(HALF, {2});
  EXPECT_EQ(e.name({f, f}), e.name({f, f}));
  EXPECT_NE(e.name({f, f}), e.name({h, h}));
}

TEST(ElementWise, NamesOfSharedPartsAreMadeOnce) {
  Session s(4);
  const auto f = s.graph.addVariable(FLOAT, {2}), h = s.graph.addVariable(HALF, {2});
  const auto doubled = [](unsigned times) {
    Any e(_1);
    for (unsigned i = 0; i < times; ++i)
      e = Any(Add(e, e));
    return e;
  };
  const auto name = doubled(60).name({f}); // 2^60 place holders
  EXPECT_LT(name.size(), 100u);
  EXPECT_EQ(name, doubled(60).name({f}));
  EXPECT_NE(name, doubled(59).name({f}));
  EXPECT_NE(name, doubled(60).name({h}));
}
