// SPDX-License-Identifier: MIT
// Where operands and results lie changes no number: views, overlaps, rows, broadcasts, threads.
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "Expected.hpp"
#include "popops/ElementWise.hpp"

using namespace popops;
using namespace popops::expr;
using namespace poplar;

// All views of a [6,10,4] variable: what they show, told by index arithmetic.
TEST(ElementWise, ViewsOfAllKindsAreOperandsAndTargets) {
  Expected e;
  const Shape shape{6, 10, 4};
  const auto values = e.s.random(240);
  const auto stored = Session::stored(FLOAT, values);
  auto at = [&](std::size_t i, std::size_t j, std::size_t k) {
    return stored[(i * 10 + j) * 4 + k];
  };
  struct View {
    const char *name;
    std::function<Tensor(const Tensor &)> view;
    Shape shape;
    std::function<double(std::size_t, std::size_t, std::size_t)> value;
  };
  const View views[] = {{"whole", [](const Tensor &t) { return t; }, {6, 10, 4}, at},
                        {"shuffled",
                         [](const Tensor &t) {
                           return t.dimShuffle({2, 0, 1});
                         },
                         {4, 6, 10},
                         [&](auto i, auto j, auto k) { return at(j, k, i); }},
                        {"inner transposed",
                         [](const Tensor &t) {
                           return t.dimShuffle({0, 2, 1});
                         },
                         {6, 4, 10},
                         [&](auto i, auto j, auto k) { return at(i, k, j); }},
                        {"sliced",
                         [](const Tensor &t) {
                           return t.slice({1, 2, 1}, {5, 9, 3});
                         },
                         {4, 7, 2},
                         [&](auto i, auto j, auto k) { return at(i + 1, j + 2, k + 1); }},
                        {"reversed",
                         [](const Tensor &t) { return t.reverse(2).reverse(0); },
                         {6, 10, 4},
                         [&](auto i, auto j, auto k) { return at(5 - i, j, 3 - k); }},
                        {"subsampled",
                         [](const Tensor &t) { return t.subSample(3, 1); },
                         {6, 4, 4},
                         [&](auto i, auto j, auto k) { return at(i, 3 * j, k); }},
                        {"concatenated",
                         [](const Tensor &t) { return concat(t.slice(3, 6), t.slice(0, 3)); },
                         {6, 10, 4},
                         [&](auto i, auto j, auto k) { return at((i + 3) % 6, j, k); }}};
  for (const Type &type : {FLOAT, HALF, INT})
    for (const auto &v : views) {
      const bool integer = type == INT;
      auto given = values;
      if (integer)
        for (auto &x : given)
          x = std::floor(100 * x);
      auto show = [&](double x) {
        if (integer)
          return std::floor(
              100 *
              values[std::size_t(std::find(stored.begin(), stored.end(), x) - stored.begin())]);
        return type == HALF
                   ? Session::stored(
                         HALF, {values[std::size_t(std::find(stored.begin(), stored.end(), x) -
                                                   stored.begin())]})[0]
                   : x;
      };
      Doubles shown;
      for (std::size_t i = 0; i < v.shape[0]; ++i)
        for (std::size_t j = 0; j < v.shape[1]; ++j)
          for (std::size_t k = 0; k < v.shape[2]; ++k)
            shown.push_back(show(v.value(i, j, k)));
      const auto t = e.s.input(type, shape, given);
      const auto vector = e.s.integers(v.shape[2], 1, 9);
      const auto tv = e.s.input(type, {v.shape[2]}, vector);
      const auto column = e.s.integers(v.shape[1], 1, 9);
      const auto tc = e.s.input(type, {v.shape[1], 1}, column);
      const auto other = e.s.integers(shown.size(), 1, 9);
      const auto to = e.s.input(type, v.shape, other);
      Doubles expected;
      for (std::size_t i = 0; i < shown.size(); ++i) {
        const double sum = shown[i] + vector[i % v.shape[2]];
        const double rounded = Session::stored(type, {sum})[0];
        const double product =
            Session::stored(type, {rounded * column[i / v.shape[2] % v.shape[1]]})[0];
        expected.push_back(Session::stored(type, {product - other[i]})[0]);
      }
      const std::string what = std::string(v.name) + " " + type.toString();
      const auto expr = (_1 + _2) * _3 - _4;
      e.expect(map(e.s.graph, expr, {v.view(t), tv, tc, to}, e.s.prog), expected, 0, 0,
               what + " as operand");
      mapWithOutput(e.s.graph, expr, {v.view(t), tv, tc, to}, v.view(e.s.graph.clone(t)), e.s.prog);
      const auto copy = e.s.input(type, shape, given);
      mapInPlace(e.s.graph, expr, {v.view(copy), tv, tc, to}, e.s.prog);
      e.expect(v.view(copy), expected, 0, 0, what + " in place");
      mapWithOutput(e.s.graph, expr, {v.view(t), tv, tc, v.view(copy)}, to, e.s.prog);
    }
  e.run();
}

TEST(ElementWise, OperandsThatOverlapTheTargetAreReadBeforeItIsWritten) {
  Expected e;
  const auto values = e.s.random(36);
  const auto stored = Session::stored(FLOAT, values);
  const auto t = e.s.input(FLOAT, {6, 6}, values);
  addInPlace(e.s.graph, t, t.transpose(), e.s.prog);
  Doubles expected;
  for (std::size_t i = 0; i < 36; ++i)
    expected.push_back(float(stored[i] + stored[i % 6 * 6 + i / 6]));
  e.expect(t, expected, 0, 0, "transpose");
  const auto u = e.s.input(FLOAT, {6, 6}, values);
  mulInPlace(e.s.graph, u, u[0], e.s.prog); // its own first row
  expected.clear();
  for (std::size_t i = 0; i < 36; ++i)
    expected.push_back(float(stored[i] * stored[i % 6]));
  e.expect(u, expected, 0, 0, "own row");
  const auto w = e.s.input(FLOAT, {37}, e.s.random(37));
  const auto x = e.s.input(FLOAT, {36}, values);
  mapWithOutput(e.s.graph, _1 + _2, {w.slice(0, 36), x}, w.slice(1, 37), e.s.prog);
  mapWithOutput(e.s.graph, _1, {x}, w.slice(1, 37), e.s.prog);
  e.expect(w.slice(1, 37), stored, 0, 0, "copy");
  e.run();
}

TEST(ElementWise, BigTensorsAreSplitAmongThreadsWithoutChangingTheResult) {
  const std::size_t n = 300007;
  Expected e;
  const auto a = e.s.random(n), b = e.s.random(n);
  const auto ta = e.s.input(FLOAT, {n}, a), tb = e.s.input(FLOAT, {n}, b);
  e.expect(add(e.s.graph, ta, tb, e.s.prog),
           Session::stored(FLOAT, each(Session::stored(FLOAT, a), Session::stored(FLOAT, b),
                                       [](double x, double y) { return x + y; })),
           0, 0, "flat");
  const Shape matrix{501, 400};
  const auto m = e.s.random(501 * 400), v = e.s.random(400), c = e.s.random(501);
  const auto tm = e.s.input(FLOAT, {400, 501}, m).transpose(); // lies the other way round
  const auto tr = e.s.input(FLOAT, matrix, m);
  const auto tv = e.s.input(FLOAT, {400}, v), tc = e.s.input(FLOAT, {501, 1}, c);
  Doubles expected;
  const auto sm = Session::stored(FLOAT, m), sv = Session::stored(FLOAT, v),
             sc = Session::stored(FLOAT, c);
  for (std::size_t i = 0; i < 501; ++i)
    for (std::size_t j = 0; j < 400; ++j) {
      const double sum = float(sm[j * 501 + i] + sm[i * 400 + j]);
      expected.push_back(float(float(sum * sv[j]) + sc[i]));
    }
  e.expect(map(e.s.graph, (_1 + _2) * _3 + _4, {tm, tr, tv, tc}, e.s.prog), expected, 0, 0,
           "matrix");
  e.run();
}

TEST(ElementWise, TheNumberOfThreadsDoesNotChangeABit) {
  const std::size_t n = 100003;
  Session s;
  const auto x = s.input(FLOAT, {n}, s.random(n, -5, 5));
  const auto m = s.input(FLOAT, {301, 271}, s.random(301 * 271, -5, 5));
  const auto y = s.output(map(s.graph, Exp(_1) * Sin(_1), {x}, s.prog));
  const auto z = s.output(map(s.graph, Tanh(_1) + _2, {m, m.transpose()[0].slice(0, 271)}, s.prog));
  const unsigned threads = base::numThreads();
  base::setNumThreads(1);
  s.run();
  const Doubles first = s.values(y), second = s.values(z);
  base::setNumThreads(3);
  s.run();
  base::setNumThreads(threads);
  EXPECT_EQ(s.values(y), first);
  EXPECT_EQ(s.values(z), second);
}

TEST(ElementWise, OperandsThatLieAcrossTheRowsAreReadInTiles) {
  Expected e;
  for (const Type &type : {FLOAT, HALF, LONGLONG, SHORT, BOOL}) {
    const std::size_t n = 3 * 37 * 300;
    const auto a = e.s.integers(n, 0, type == BOOL ? 1 : 99), b = e.s.integers(n, 0, 1);
    const auto ta = e.s.input(type, {3, 300, 37}, a).dimShuffle({0, 2, 1});
    const auto tb = e.s.input(type, {3, 37, 300}, b);
    Doubles expected;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t plane = i / (37 * 300), row = i / 300 % 37, column = i % 300;
      expected.push_back(a[(plane * 300 + column) * 37 + row] == b[i]);
    }
    const auto out = e.s.graph.addVariable(BOOL, {3, 37, 300}, VariableMappingMethod::LINEAR);
    eqWithOutput(e.s.graph, ta, tb, out, e.s.prog);
    e.expect(out, expected, 0, 0, type.toString());
  }
  e.run();
}

TEST(ElementWise, BroadcastOperandsOfEveryPatternAreReadInPlace) {
  Expected e;
  const Shape shape{6, 5, 9, 9}, longRows{3, 4, 300};
  const Shape patterns[] = {{5, 1, 1}, {9}, {5, 9, 1}, {6, 1, 1, 1}, {6, 1, 9, 1}, {1, 5, 1, 9},
                            {9, 9},    {1}, {4, 1},    {300},        {3, 1, 300}};
  for (const Type &type : {FLOAT, HALF, INT, SHORT})
    for (const Shape &pattern : patterns) {
      const bool isLong = pattern.back() == 300 || pattern == Shape{4, 1};
      const Shape &out = isLong ? longRows : shape;
      std::size_t n = 1, m = 1;
      for (auto d : out)
        n *= d;
      for (auto d : pattern)
        m *= d;
      const auto a = e.s.integers(n, 0, 99), b = e.s.integers(m, 0, 99);
      Doubles expected;
      for (std::size_t i = 0; i < n; ++i) {
        std::size_t rest = i, at = 0, step = 1;
        for (std::size_t d = 0; d < pattern.size(); ++d) {
          const std::size_t size = out[out.size() - 1 - d], own = pattern[pattern.size() - 1 - d];
          at += own == 1 ? 0 : rest % size * step;
          step *= own;
          rest /= size;
        }
        expected.push_back(type == SHORT ? std::int64_t(a[i]) ^ std::int64_t(b[at])
                                         : a[i] + b[at] + b[at]);
      }
      const auto ta = e.s.input(type, out, a), tb = e.s.input(type, pattern, b);
      e.expect(type == SHORT ? map(e.s.graph, _1 ^ _2, {ta, tb}, e.s.prog)
                             : map(e.s.graph, _1 + _2 + _2, {ta, tb}, e.s.prog),
               expected, 0, 0, type.toString() + base::list(pattern));
    }
  e.run();
}

TEST(ElementWise, TensorsOfNoneAndOneElementWork) {
  Expected e;
  const auto none = e.s.graph.addVariable(FLOAT, {0, 3}, VariableMappingMethod::LINEAR);
  EXPECT_EQ(add(e.s.graph, none, none, e.s.prog).shape(), (Shape{0, 3}));
  mulInPlace(e.s.graph, none, 2.0f, e.s.prog);
  const auto one = e.s.input(FLOAT, {}, {3}), row = e.s.input(FLOAT, {1, 4}, {1, 2, 3, 4});
  e.expect(square(e.s.graph, one, e.s.prog), {9}, 0, 0, "scalar");
  e.expect(add(e.s.graph, one, row, e.s.prog), {4, 5, 6, 7}, 0, 0, "scalar and row");
  const auto column = e.s.input(FLOAT, {3, 1}, {10, 20, 30});
  e.expect(add(e.s.graph, column, row, e.s.prog), {11, 12, 13, 14, 21, 22, 23, 24, 31, 32, 33, 34},
           0, 0, "both broadcast");
  e.run();
}
