// SPDX-License-Identifier: MIT
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "poplin/FullyConnected.hpp"
#include "poplin/MatMul.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"
#include <poplar/exceptions.hpp>
#include <sstream>

using namespace poplin;

namespace {

// Row-major [g][m][k] x [g][k][n], and the sums of magnitudes that rounding errors scale with.
struct Reference {
  Doubles values, magnitudes;
};
Reference product(std::size_t g, std::size_t m, std::size_t k, std::size_t n, const Doubles &a,
                  const Doubles &b) {
  Reference r{Doubles(g * m * n), Doubles(g * m * n)};
  for (std::size_t i = 0; i < g; ++i)
    for (std::size_t y = 0; y < m; ++y)
      for (std::size_t z = 0; z < k; ++z)
        for (std::size_t x = 0; x < n; ++x) {
          auto p = a[(i * m + y) * k + z] * b[(i * k + z) * n + x];
          r.values[(i * m + y) * n + x] += p;
          r.magnitudes[(i * m + y) * n + x] += std::abs(p);
        }
  return r;
}
void expectProduct(const Doubles &actual, const Reference &r, poplar::Type type,
                   const std::string &what) {
  ASSERT_EQ(actual.size(), r.values.size()) << what;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    auto tolerance = 1e-5 * r.magnitudes[i] + 1e-30;
    if (type == poplar::HALF)
      tolerance += std::abs(r.values[i]) / 2048 + 6e-8;
    ASSERT_NEAR(actual[i], r.values[i], tolerance) << what << ", element " << i;
  }
}
Doubles transposed(const Doubles &a, std::size_t rows, std::size_t columns) {
  Doubles out(a.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      out[j * rows + i] = a[i * columns + j];
  return out;
}

struct Sizes {
  std::size_t g, m, k, n;
};

} // namespace

TEST(MatMul, AgreesWithLoopsForManyShapesTypesAndOrdersOfStorage) {
  Session s;
  struct Check {
    std::size_t output;
    Reference expected;
    poplar::Type type;
    std::string what;
  };
  std::vector<Check> checks;
  const std::vector<Sizes> sizes{
      {1, 1, 1, 1},      {1, 1, 3, 1},     {1, 1, 1000, 1}, {1, 40, 40, 40},   {1, 40, 39, 38},
      {5, 10, 20, 30},   {1, 5, 0, 4},     {1, 0, 3, 4},    {1, 5, 3, 0},      {1, 2, 300, 65},
      {1, 16, 257, 100}, {3, 7, 1, 9},     {1, 33, 515, 3}, {1, 300, 70, 129}, {2, 64, 64, 64},
      {1, 16, 600, 36},  {1, 16, 972, 100}};
  const std::vector<std::pair<poplar::Type, poplar::Type>> types{{poplar::FLOAT, poplar::FLOAT},
                                                                 {poplar::HALF, poplar::HALF},
                                                                 {poplar::HALF, poplar::FLOAT},
                                                                 {poplar::FLOAT, poplar::HALF}};
  for (auto z : sizes)
    for (auto [in, out] : types)
      for (int order = 0; order < 4; ++order) {
        auto a = s.random(z.g * z.m * z.k), b = s.random(z.g * z.k * z.n);
        auto ta = s.graph.addVariable(in, order & 1 ? Shape{z.g, z.k, z.m} : Shape{z.g, z.m, z.k},
                                      poplar::VariableMappingMethod::LINEAR);
        auto tb = s.graph.addVariable(in, order & 2 ? Shape{z.g, z.n, z.k} : Shape{z.g, z.k, z.n},
                                      poplar::VariableMappingMethod::LINEAR);
        if (order & 1)
          ta = transposeGroupedMatrix(ta);
        if (order & 2)
          tb = transposeGroupedMatrix(tb);
        s.set(ta, a);
        s.set(tb, b);
        auto c = matMulGrouped(s.graph, ta, tb, s.prog, out, "product");
        checks.push_back(
            {s.output(c),
             product(z.g, z.m, z.k, z.n, Session::stored(in, a), Session::stored(in, b)), out,
             base::str(z.g, "x", z.m, "x", z.k, "x", z.n, " order ", order)});
      }
  s.run();
  for (const auto &check : checks)
    expectProduct(s.values(check.output), check.expected, check.type, check.what);
}

TEST(MatMul, TakesSlicedReversedAndBroadcastViewsAndWritesIntoViews) {
  Session s;
  auto a = s.random(12 * 20), b = s.random(24), bias = s.random(5 * 9);
  auto ta = s.input(poplar::FLOAT, {12, 20}, a);
  auto tb = s.input(poplar::FLOAT, {8, 3}, b);
  auto into = s.input(poplar::FLOAT, {5, 9}, bias);
  // Rows 11, 8, 5, 2, -, and columns 2..10 backwards of a; b broadcast to 9 columns.
  auto left = ta.reverse(0).subSample(3, 0).slice(2, 10, 1).reverse(1);
  auto right = tb.slice(0, 1, 1).broadcast(9, 1);
  auto target = into.slice(0, 4, 0).reverse(1);
  matMulWithOutput(s.graph, left, right, target, s.prog);
  auto out = s.output(into);
  s.run();
  Doubles expected = Session::stored(poplar::FLOAT, bias);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 9; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 8; ++k)
        sum += double(float(a[(11 - 3 * i) * 20 + 9 - k])) * double(float(b[k * 3]));
      expected[i * 9 + 8 - j] = sum;
    }
  expectClose(s.values(out), expected, 1e-5, 1e-6);
}

TEST(MatMul, AccumulatesScaledProducts) {
  Session s;
  auto a = s.random(6 * 50), b = s.random(50 * 33), c = s.random(6 * 33);
  std::vector<std::pair<std::size_t, poplar::Type>> outputs;
  for (auto type : {poplar::FLOAT, poplar::HALF})
    for (bool tensor : {false, true}) {
      auto ta = s.input(type, {6, 50}, a), tb = s.input(type, {50, 33}, b);
      auto tc = s.input(type, {6, 33}, c);
      auto k = s.input(type, {}, {-0.5});
      if (tensor)
        matMulAcc(s.graph, tc, k, ta, tb, s.prog);
      else
        matMulAcc(s.graph, tc, -0.5f, ta, tb, s.prog);
      outputs.push_back({s.output(tc), type});
    }
  s.run();
  for (auto [output, type] : outputs) {
    auto r = product(1, 6, 50, 33, Session::stored(type, a), Session::stored(type, b));
    auto start = Session::stored(type, c);
    for (std::size_t i = 0; i < start.size(); ++i)
      r.values[i] = start[i] - 0.5 * r.values[i];
    expectProduct(s.values(output), r, type, "accumulated");
  }
}

TEST(MatMul, DoesNotDependOnTheNumberOfThreads) {
  auto run = [](unsigned threads) {
    base::setNumThreads(threads);
    Session s;
    auto a = s.input(poplar::FLOAT, {130, 700}, s.random(130 * 700));
    auto b = s.input(poplar::FLOAT, {700, 210}, s.random(700 * 210));
    return s.run(matMul(s.graph, a, b, s.prog));
  };
  auto one = run(1), three = run(3);
  base::setNumThreads(2);
  EXPECT_EQ(one, three);
}

TEST(MatMul, CreatedOperandsServeTrainingOfAFullyConnectedLayer) {
  Session s;
  const std::size_t batch = 7, in = 20, out = 12;
  poplar::OptionFlags fwd, bwd, wu;
  fwd.set("fullyConnectedPass", "TRAINING_FWD");
  bwd.set("fullyConnectedPass", "TRAINING_BWD");
  wu.set("fullyConnectedPass", "TRAINING_WU");
  matmul::PlanningCache cache;
  auto x = createMatMulInputLHS(s.graph, poplar::FLOAT, {batch, in}, {in, out}, "x", fwd, &cache);
  auto w = createMatMulInputRHS(s.graph, poplar::FLOAT, {batch, in}, {in, out}, "w", fwd, &cache);
  EXPECT_EQ(x.shape(), (Shape{batch, in}));
  EXPECT_EQ(w.shape(), (Shape{in, out}));
  EXPECT_EQ(createMatMulOutput(s.graph, poplar::FLOAT, {batch, in}, {in, out}, "y").shape(),
            (Shape{batch, out}));
  auto xv = s.random(batch * in), wv = s.random(in * out);
  s.set(x, xv);
  s.set(w, wv);
  auto y = matMul(s.graph, x, w, s.prog, "fwd", fwd, &cache);
  auto dx = matMul(s.graph, y, w.transpose(), s.prog, "bwd", bwd, &cache);
  auto dw = matMul(s.graph, x.transpose(), y, s.prog, "wu", wu, &cache);
  auto arranged = preArrangeMatMulInputRHS(s.graph, {batch, in}, w, s.prog);
  poplar::OptionFlags pre;
  pre.set("inputRHSIsPreArranged", "true");
  auto again = matMul(s.graph, x, arranged, s.prog, "pre", pre);
  auto yo = s.output(y), dxo = s.output(dx), dwo = s.output(dw), ao = s.output(again);
  s.run();
  xv = Session::stored(poplar::FLOAT, xv), wv = Session::stored(poplar::FLOAT, wv);
  auto expected = product(1, batch, in, out, xv, wv);
  expectProduct(s.values(yo), expected, poplar::FLOAT, "forward");
  expectProduct(s.values(ao), expected, poplar::FLOAT, "pre-arranged");
  expectProduct(s.values(dxo), product(1, batch, out, in, s.values(yo), transposed(wv, in, out)),
                poplar::FLOAT, "backward");
  expectProduct(s.values(dwo), product(1, in, batch, out, transposed(xv, batch, in), s.values(yo)),
                poplar::FLOAT, "update");
  EXPECT_GT(cache.size(), 0u);
}

TEST(MatMul, RejectsWhatDoesNotFit) {
  Session s;
  auto f = [&](poplar::Type type, const Shape &shape) {
    return s.graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR);
  };
  auto a = f(poplar::FLOAT, {3, 4}), b = f(poplar::FLOAT, {5, 6});
  using poputil::poplibs_error;
  EXPECT_THROW(matMul(s.graph, a, b, s.prog), poplibs_error);
  EXPECT_THROW(matMul(s.graph, a.expand({0}), b, s.prog), poplibs_error);
  EXPECT_THROW(matMulGrouped(s.graph, f(poplar::FLOAT, {2, 3, 4}), f(poplar::FLOAT, {3, 4, 5}),
                             s.prog, poplar::FLOAT),
               poplibs_error);
  auto fits = f(poplar::FLOAT, {4, 6});
  EXPECT_THROW(matMul(s.graph, a, f(poplar::HALF, {4, 6}), s.prog), poplibs_error);
  EXPECT_THROW(matMul(s.graph, f(poplar::INT, {3, 4}), f(poplar::INT, {4, 6}), s.prog),
               poplibs_error);
  EXPECT_THROW(matMul(s.graph, a, fits, s.prog, poplar::QUARTER), poplibs_error);
  auto wrong = f(poplar::FLOAT, {3, 5});
  EXPECT_THROW(matMulWithOutput(s.graph, a, fits, wrong, s.prog), poplibs_error);
  EXPECT_THROW(matMulAcc(s.graph, f(poplar::FLOAT, {3, 6}), f(poplar::FLOAT, {2}), a, fits, s.prog),
               poplibs_error);
  try {
    matMul(s.graph, a, b, s.prog);
  } catch (const poplibs_error &e) {
    EXPECT_NE(std::string(e.what()).find("[3,4] and [5,6]"), std::string::npos) << e.what();
  }
}

TEST(MatMul, OutputsThatLieOnOperandsAreComputedAside) {
  Session s;
  auto product = [](const Doubles &a, const Doubles &b) {
    Doubles c(16, 0);
    for (std::size_t i = 0; i < 64; ++i)
      c[i / 16 * 4 + i % 4] += a[i / 16 * 4 + i / 4 % 4] * b[i / 4 % 4 * 4 + i % 4];
    return c;
  };
  const auto a = s.integers(16, -3, 3), b = s.integers(16, -3, 3), c = s.integers(16, -3, 3);
  auto tb = s.input(poplar::FLOAT, {4, 4}, b);
  auto left = s.input(poplar::FLOAT, {4, 4}, a), right = s.input(poplar::FLOAT, {4, 4}, c),
       turned = s.input(poplar::FLOAT, {4, 4}, a), sum = s.input(poplar::FLOAT, {4, 4}, a);
  matMulWithOutput(s.graph, left, tb, left, s.prog);
  matMulWithOutput(s.graph, tb, right, right, s.prog);
  auto back = turned.transpose();
  matMulWithOutput(s.graph, turned, tb, back, s.prog);
  matMulAcc(s.graph, sum, 2.0f, sum, tb, s.prog);
  const auto l = s.output(left), r = s.output(right), t = s.output(back), acc = s.output(sum);
  s.run();
  const auto ab = product(a, b);
  Doubles expected;
  for (std::size_t i = 0; i < 16; ++i)
    expected.push_back(a[i] + 2 * ab[i]);
  EXPECT_EQ(s.values(l), ab);
  EXPECT_EQ(s.values(r), product(b, c));
  EXPECT_EQ(s.values(t), ab);
  EXPECT_EQ(s.values(acc), expected);
}

TEST(MatMul, RejectsUnknownOptionsAndBadValues) {
  auto options = [](const char *name, const char *value) {
    poplar::OptionFlags flags;
    flags.set(name, value);
    return flags;
  };
  EXPECT_NO_THROW(matmulValidateOptions(options("fullyConnectedPass", "TRAINING_WU")));
  EXPECT_NO_THROW(matmulValidateOptions(options("partialsType", "half")));
  EXPECT_THROW(matmulValidateOptions(options("pass", "NONE")), poplar::invalid_option);
  EXPECT_THROW(matmulValidateOptions(options("partialsType", "int")), poplar::invalid_option);
  EXPECT_THROW(matmulValidateOptions(options("fullyConnectedPass", "FWD")), poplar::invalid_option);
}

TEST(MatMul, ReportsAndPreplansWhatItWouldPlan) {
  Session s(64);
  std::ostringstream text, grouped;
  matMulReportPlan(text, s.graph, poplar::FLOAT, poplar::FLOAT, {64, 32}, {32, 48});
  matMulGroupedReportPlan(grouped, s.graph, poplar::HALF, poplar::HALF, {2, 64, 32}, {2, 32, 48});
  EXPECT_FALSE(text.str().empty());
  EXPECT_FALSE(grouped.str().empty());
  matmul::PlanningCache cache;
  std::set<MatMulPlanParams> all;
  auto layer = fc::getMatMulPrePlanParameters({1, 8, 32, 16}, {}, poplar::FLOAT, false);
  ASSERT_EQ(layer.size(), 3u);
  for (const auto &[params, options] : layer)
    all.emplace(&s.graph.getTarget(), params, &options);
  preplanMatMuls(all, cache);
  EXPECT_GE(cache.size(), 3u);
  EXPECT_EQ(fc::getMatMulPrePlanParameters({1, 8, 32, 16}, {}, poplar::FLOAT, true).size(), 1u);
}
