// SPDX-License-Identifier: MIT
// Solvers: residuals against the definitions, in double precision.
#include "openipu/Plan.hpp"
#include "poplin/Cholesky.hpp"
#include "poplin/experimental/LuFactorization.hpp"
#include "poplin/experimental/QRFactorization.hpp"
#include "poplin/MeshGrid.hpp"
#include "poplin/TriangularSolve.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"
#include "solve/Solve.hpp"

using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;

namespace {

// Diagonally heavy: well conditioned whichever triangle is used.
Doubles wellConditioned(Session &s, std::size_t batches, std::size_t n) {
  auto a = s.random(batches * n * n, -1, 1);
  for (std::size_t b = 0; b < batches; ++b)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        a[(b * n + i) * n + j] =
            i == j ? 1.5 + std::abs(a[(b * n + i) * n + j]) : a[(b * n + i) * n + j] / double(n);
  return a;
}

Doubles product(const Doubles &a, const Doubles &b, std::size_t m, std::size_t k, std::size_t n) {
  Doubles c(m * n, 0);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t l = 0; l < k; ++l)
      for (std::size_t j = 0; j < n; ++j)
        c[i * n + j] += a[i * k + l] * b[l * n + j];
  return c;
}
Doubles transposed(const Doubles &a, std::size_t m, std::size_t n) {
  Doubles t(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      t[j * m + i] = a[i * n + j];
  return t;
}
Doubles triangle(Doubles a, std::size_t n, bool lower, bool unit) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i == j && unit)
        a[i * n + j] = 1;
      else if (lower ? j > i : j < i)
        a[i * n + j] = 0;
  return a;
}
Doubles part(const Doubles &v, std::size_t index, std::size_t size) {
  return Doubles(v.begin() + long(index * size), v.begin() + long((index + 1) * size));
}

struct Case {
  poplar::Type type;
  std::size_t batches, n, k;
  bool left, lower, unit;
  Doubles a, b;
  std::size_t output;
};

TEST(TriangularSolve, SolvesEverySideTriangleAndDiagonal) {
  Session s;
  std::vector<Case> cases;
  auto add = [&](poplar::Type type, std::size_t batches, std::size_t n, std::size_t k,
                 unsigned bits) {
    Case c{type, batches, n, k, bool(bits & 1), bool(bits & 2), bool(bits & 4), {}, {}, 0};
    c.a = Session::stored(type, wellConditioned(s, batches, n));
    c.b = Session::stored(type, s.random(batches * n * k));
    Shape aShape{batches, n, n}, bShape = c.left ? Shape{batches, n, k} : Shape{batches, k, n};
    auto a =
        poplin::createTriangularSolveInputLHS(s.graph, type, type, aShape, bShape, c.left, "a");
    auto b =
        poplin::createTriangularSolveInputRHS(s.graph, type, type, aShape, bShape, c.left, "b");
    s.set(a, c.a);
    s.set(b, c.b);
    c.output =
        s.output(poplin::triangularSolve(s.graph, a, b, c.left, c.lower, c.unit, s.prog, "solve"));
    cases.push_back(c);
  };
  for (unsigned bits = 0; bits < 8; ++bits) {
    for (std::size_t k : {1, 3})
      add(FLOAT, 2, 5, k, bits);
    add(HALF, 1, 8, 2, bits);
    add(FLOAT, 1, 150, 70, bits);
  }
  add(FLOAT, 1, 1, 1, 3);
  s.run();
  for (const auto &c : cases)
    for (std::size_t i = 0; i < c.batches; ++i) {
      const auto a = triangle(part(c.a, i, c.n * c.n), c.n, c.lower, c.unit);
      const auto x = part(s.values(c.output), i, c.n * c.k);
      const auto b = c.left ? product(a, x, c.n, c.n, c.k) : product(x, a, c.k, c.n, c.n);
      const double tolerance = c.type == HALF ? 5e-3 : 1e-5;
      expectClose(b, part(c.b, i, c.n * c.k), tolerance, tolerance);
    }
}

TEST(TriangularSolve, ReadsTransposedAndReversedViews) {
  Session s;
  const std::size_t n = 70, k = 9;
  const auto a = Session::stored(FLOAT, wellConditioned(s, 1, n)),
             b = Session::stored(FLOAT, s.random(n * k));
  auto x = s.output(poplin::triangularSolve(s.graph, s.input(FLOAT, {n, n}, a).transpose(),
                                            s.input(FLOAT, {k, n}, b).transpose(), true, false,
                                            false, s.prog));
  auto y = s.output(
      poplin::triangularSolve(s.graph, s.input(FLOAT, {n, n}, a).reverse(0).reverse(1),
                              s.input(FLOAT, {n, k}, b).reverse(0), true, false, false, s.prog));
  s.run();
  const auto upper = transposed(triangle(a, n, true, false), n, n);
  expectClose(product(upper, s.values(x), n, n, k), transposed(b, k, n), 1e-5, 1e-5);
  auto solved = s.values(y); // reversed rows of the solution of the lower system
  Doubles forward;
  for (std::size_t i = n; i-- > 0;)
    forward.insert(forward.end(), solved.begin() + long(i * k), solved.begin() + long((i + 1) * k));
  expectClose(product(triangle(a, n, true, false), forward, n, n, k), b, 1e-5, 1e-5);
}

TEST(TriangularMask, KeepsOneTriangle) {
  Session s;
  const auto a = Session::stored(FLOAT, s.random(2 * 6 * 6));
  auto t = s.input(FLOAT, {2, 6, 6}, a);
  std::vector<std::size_t> outputs;
  for (unsigned bits = 0; bits < 4; ++bits)
    outputs.push_back(s.output(poplin::triangularMask(s.graph, t, bits & 1, bits & 2, s.prog)));
  s.run();
  for (unsigned bits = 0; bits < 4; ++bits)
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_EQ(part(s.values(outputs[bits]), i, 36),
                triangle(part(a, i, 36), 6, bits & 1, bits & 2));
}

TEST(Cholesky, FactorsTimesTheirTransposeGiveTheMatrix) {
  Session s;
  struct Run {
    poplar::Type type;
    std::size_t batches, n;
    bool lower, inPlace;
    Doubles a;
    std::size_t output;
  };
  std::vector<Run> runs;
  auto add = [&](poplar::Type type, std::size_t batches, std::size_t n, bool lower, bool inPlace) {
    Run r{type, batches, n, lower, inPlace, {}, 0};
    for (std::size_t i = 0; i < batches; ++i) {
      const auto m = wellConditioned(s, 1, n);
      const auto square = product(m, transposed(m, n, n), n, n, n);
      r.a.insert(r.a.end(), square.begin(), square.end());
    }
    r.a = Session::stored(type, r.a);
    auto junk = r.a; // the other triangle must not be read
    for (std::size_t i = 0; i < batches * n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (lower ? j > i % n : j < i % n)
          junk[i * n + j] = 77;
    auto a = poplin::createCholeskyInput(s.graph, type, {batches, n, n}, lower, "a");
    s.set(a, junk);
    if (inPlace)
      poplin::choleskyInPlace(s.graph, a, lower, s.prog);
    r.output = s.output(inPlace ? a : poplin::cholesky(s.graph, a, lower, s.prog));
    runs.push_back(r);
  };
  for (bool lower : {true, false})
    for (bool inPlace : {true, false}) {
      add(FLOAT, 3, 7, lower, inPlace);
      add(FLOAT, 1, 200, lower, inPlace);
      add(HALF, 1, 12, lower, inPlace);
    }
  add(FLOAT, 1, 1, true, false);
  s.run();
  for (const auto &r : runs)
    for (std::size_t i = 0; i < r.batches; ++i) {
      const auto f = part(s.values(r.output), i, r.n * r.n), t = transposed(f, r.n, r.n);
      EXPECT_EQ(f, triangle(f, r.n, r.lower, false));
      const double tolerance = r.type == HALF ? 1e-2 : 1e-5;
      expectClose(r.lower ? product(f, t, r.n, r.n, r.n) : product(t, f, r.n, r.n, r.n),
                  part(r.a, i, r.n * r.n), tolerance, tolerance);
    }
}

TEST(Cholesky, CostsOneVertexPerBlockOfTheDiagonal) {
  Session s;
  const auto &target = s.graph.getTarget();
  const auto options = poplin::solve::parseOptions({}, 8);
  auto plan = [&](poplar::Type type, Shape shape) {
    return poplin::solve::choleskyPlan(target, type, shape, options, nullptr);
  };
  const auto one = plan(FLOAT, {8, 8}), half = plan(HALF, {8, 8}), many = plan(FLOAT, {3, 64, 64});
  ASSERT_EQ(one.steps.size(), 1u);
  EXPECT_EQ(one.steps[0].tiles.at(0).cycles, 6u * (512 + 102 * 64 + 101 * 8 + 102));
  EXPECT_EQ(half.steps[0].tiles.at(0).cycles, 6u * (256 + 795 * 16 + 191 * 4 + 426));
  EXPECT_EQ(many.steps[0].repeats, 8u);
  EXPECT_EQ(many.steps[0].tiles.at(0).count, 3u);
  EXPECT_EQ(many.steps[0].tiles.at(0).cycles, one.steps[0].tiles.at(0).cycles);
  EXPECT_EQ(many.steps[1].repeats, 7u);
}

TEST(Lu, FactorsMultiplyToTheInputForEveryShape) {
  Session s;
  struct Run {
    std::size_t m, n;
    Doubles a;
    std::size_t l, u;
  };
  std::vector<Run> runs;
  for (auto [m, n] : {std::pair{2, 2}, {16, 16}, {5, 9}, {9, 5}, {130, 150}, {150, 130}, {1, 4}}) {
    Run r{std::size_t(m), std::size_t(n), {}, 0, 0};
    r.a = s.random(r.m * r.n);
    for (std::size_t i = 0; i < std::min(r.m, r.n); ++i)
      r.a[i * r.n + i] += double(r.m + r.n);
    r.a = Session::stored(FLOAT, r.a);
    auto a = s.input(FLOAT, {r.m, r.n}, r.a);
    auto [l, u] = poplin::experimental::LUFactorization(s.graph, a, s.prog);
    r.l = s.output(l);
    r.u = s.output(u);
    runs.push_back(r);
  }
  s.run();
  for (const auto &r : runs) {
    const auto &l = s.values(r.l), &u = s.values(r.u);
    EXPECT_EQ(l, triangle(l, r.m, true, true));
    for (std::size_t i = 0; i < r.m; ++i)
      for (std::size_t j = 0; j < std::min(i, r.n); ++j)
        EXPECT_EQ(u[i * r.n + j], 0);
    expectClose(product(l, u, r.m, r.m, r.n), r.a, 1e-5, 1e-4);
  }
}

TEST(Lu, HalvesAreFactoredInFloatAndRoundedOnce) {
  Session s;
  const auto a = Session::stored(HALF, wellConditioned(s, 1, 9));
  auto t = s.input(HALF, {9, 9}, a);
  auto [l, u] = poplin::experimental::LUFactorization(s.graph, t, s.prog);
  EXPECT_EQ(l.elementType(), HALF);
  const auto lower = s.output(l), upper = s.output(u);
  s.run();
  Doubles product(81, 0);
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t j = 0; j < 9; ++j)
      for (std::size_t k = 0; k < 9; ++k)
        product[i * 9 + j] += s.values(lower)[i * 9 + k] * s.values(upper)[k * 9 + j];
  expectClose(product, a, 4e-3, 4e-3);
}

TEST(TriangularSolve, PreplansNoProductTwice) {
  for (std::size_t n : {8, 64, 65, 128, 192, 300})
    for (const char *block : {"8", "64"}) {
      const auto all = poplin::getTriangularSolveMatMulPrePlanParameters(
          FLOAT, FLOAT, {2, n, n}, {2, n, 5}, true, true, {{"blockSize", block}});
      EXPECT_FALSE(all.empty());
      for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          EXPECT_NE(all[i].first.aShape, all[j].first.aShape) << n << " " << block;
    }
}

TEST(Qr, QIsOrthogonalRIsTriangularAndTheirProductIsTheInput) {
  Session s;
  struct Run {
    std::size_t m, n;
    Doubles a;
    std::size_t q, r;
  };
  std::vector<Run> runs;
  for (auto [m, n] : {std::pair{8, 4}, {16, 8}, {128, 128}, {100, 70}, {5, 9}, {1, 1}}) {
    Run r{std::size_t(m), std::size_t(n), {}, 0, 0};
    r.a = Session::stored(FLOAT, s.random(r.m * r.n));
    auto [a, q] =
        poplin::experimental::createQRFactorizationMatrices(s.graph, FLOAT, r.m, r.n, "qr");
    s.set(a, r.a);
    poplin::experimental::QRFactorization(s.graph, a, q, s.prog);
    r.r = s.output(a);
    r.q = s.output(q);
    runs.push_back(r);
  }
  s.run();
  for (const auto &r : runs) {
    const auto &q = s.values(r.q), &upper = s.values(r.r);
    Doubles identity(r.m * r.m, 0);
    for (std::size_t i = 0; i < r.m; ++i)
      identity[i * r.m + i] = 1;
    expectClose(product(q, transposed(q, r.m, r.m), r.m, r.m, r.m), identity, 0, 1e-5);
    for (std::size_t i = 0; i < r.m; ++i)
      for (std::size_t j = 0; j < std::min(i, r.n); ++j)
        EXPECT_EQ(upper[i * r.n + j], 0);
    expectClose(product(q, upper, r.m, r.m, r.n), r.a, 1e-5, 1e-5);
  }
}

TEST(MeshGrid, LinspaceIsEvenAndGridsAreItsProducts) {
  Session s;
  auto x = poplin::linspace(s.graph, FLOAT, -1, 3, 5), y = poplin::linspace(s.graph, HALF, 0, 1, 3);
  auto one = s.output(poplin::linspace(s.graph, FLOAT, 4, 9, 1));
  auto grid = poplin::meshgrid2d(s.graph, x, y);
  auto xs = s.output(grid.at(0)), ys = s.output(grid.at(1));
  s.run();
  EXPECT_EQ(s.values(one), Doubles{4});
  EXPECT_EQ(grid[0].shape(), (Shape{3, 5}));
  EXPECT_EQ(s.values(xs), (Doubles{-1, 0, 1, 2, 3, -1, 0, 1, 2, 3, -1, 0, 1, 2, 3}));
  EXPECT_EQ(s.values(ys), (Doubles{0, 0, 0, 0, 0, .5, .5, .5, .5, .5, 1, 1, 1, 1, 1}));
}

TEST(Solvers, RefuseWrongShapesTypesAndOptions) {
  Session s;
  auto a = s.graph.addVariable(FLOAT, {4, 4}), wide = s.graph.addVariable(FLOAT, {4, 5}),
       b = s.graph.addVariable(FLOAT, {3, 2}), ints = s.graph.addVariable(poplar::INT, {4, 4}),
       half = s.graph.addVariable(HALF, {4, 2});
  using poputil::poplibs_error;
  EXPECT_THROW(poplin::triangularSolve(s.graph, wide, b, true, true, true, s.prog), poplibs_error);
  EXPECT_THROW(poplin::triangularSolve(s.graph, a, b, true, true, true, s.prog), poplibs_error);
  EXPECT_THROW(poplin::triangularSolve(s.graph, a, half, true, true, true, s.prog), poplibs_error);
  EXPECT_THROW(poplin::cholesky(s.graph, ints, true, s.prog), poplibs_error);
  EXPECT_THROW(poplin::cholesky(s.graph, a, true, s.prog, {}, {{"blocksize", "4"}}),
               poplar::invalid_option);
  EXPECT_THROW(poplin::cholesky(s.graph, a, true, s.prog, {}, {{"blockSize", "0"}}),
               poplar::invalid_option);
  EXPECT_THROW(poplin::experimental::LUFactorization(s.graph, ints, s.prog), poplibs_error);
  EXPECT_THROW(poplin::experimental::QRFactorization(s.graph, wide, b, s.prog), poplibs_error);
  EXPECT_THROW(poplin::meshgrid2d(s.graph, a, b), poplibs_error);
}

} // namespace
