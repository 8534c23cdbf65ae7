// SPDX-License-Identifier: MIT
#include "model.hpp"
#include <functional>
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

using ir::Integers;

const std::map<std::string, std::function<double(const Doubles &)>> &reference() {
  static const std::map<std::string, std::function<double(const Doubles &)>> all = [] {
    auto fold = [](double first, auto f) {
      return [=](const Doubles &x) {
        double out = first;
        for (double v : x)
          out = f(out, v);
        return out;
      };
    };
    const double inf = std::numeric_limits<double>::infinity();
    const auto sum = fold(0.0, [](double a, double b) { return a + b; });
    const auto squares = fold(0.0, [](double a, double b) { return a + b * b; });
    const auto exps = fold(0.0, [](double a, double b) { return a + std::exp(b); });
    return std::map<std::string, std::function<double(const Doubles &)>>{
        {"ReduceSum", sum},
        {"ReduceMean", [=](const Doubles &x) { return sum(x) / double(x.size()); }},
        {"ReduceProd", fold(1.0, [](double a, double b) { return a * b; })},
        {"ReduceMax", fold(-inf, [](double a, double b) { return std::max(a, b); })},
        {"ReduceMin", fold(inf, [](double a, double b) { return std::min(a, b); })},
        {"ReduceL1", fold(0.0, [](double a, double b) { return a + std::abs(b); })},
        {"ReduceL2", [=](const Doubles &x) { return std::sqrt(squares(x)); }},
        {"ReduceSumSquare", squares},
        {"ReduceLogSum", [=](const Doubles &x) { return std::log(sum(x)); }},
        {"ReduceLogSumExp", [=](const Doubles &x) { return std::log(exps(x)); }}};
  }();
  return all;
}

// Of x [3,4,5] along the axes.
Doubles reduce(const std::string &type, const Doubles &x, const Integers &axes) {
  std::map<std::array<int, 3>, Doubles> groups;
  for (int i = 0, n = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 5; ++k, ++n) {
        std::array<int, 3> key{i, j, k};
        for (auto a : axes)
          key[std::size_t(a)] = 0;
        groups[key].push_back(x[std::size_t(n)]);
      }
  Doubles out;
  for (const auto &[key, values] : groups)
    out.push_back(reference().at(type)(values));
  return out;
}

} // namespace

TEST(ReduceOps, MatchPlainLoopsAndDifferentiate) {
  for (const auto &[type, f] : reference())
    for (const Integers &axes : {Integers{0, 1, 2}, {1}, {0, 2}, {}}) {
      SCOPED_TRACE(type + ir::text(axes));
      Model m;
      const auto x = m.randomInput({3, 4, 5}, 0.5, 2);
      const auto y = m.b.op(type, {x}, {{"axes", axes}});
      expectNear(m.run(y), reduce(type, m.fed(x), axes), 1e-4);
      if (axes == Integers{0, 2} || axes.empty())
        m.checkGradients(y, {x}, 1e-2, type == "ReduceMax" || type == "ReduceMin" ? 1e-3 : 1e-2);
    }
}

TEST(ReduceOps, KeepAndDropDimensionsAndCountFromTheEnd) {
  Model m;
  const auto x = m.randomInput({3, 4, 5});
  auto shape = [&](ir::Attributes a) {
    return m.graph[m.b.op("ReduceSum", {x}, std::move(a))].info.shape();
  };
  EXPECT_EQ(shape({}), (Shape{1, 1, 1}));
  EXPECT_EQ(shape({{"keepdims", std::int64_t(0)}}), Shape{});
  EXPECT_EQ(shape({{"axes", Integers{-1}}}), (Shape{3, 4, 1}));
  EXPECT_EQ(shape({{"axes", Integers{-1, 0}}, {"keepdims", std::int64_t(0)}}), (Shape{4}));
}

TEST(ReduceOps, TakeAxesOfOpset13AsAnInput) {
  struct Case {
    bool given;
    Integers axes;
    std::int64_t noop;
    Shape shape;
  };
  for (const auto &c : std::vector<Case>{{true, {1}, 0, {3, 1}},
                                         {true, {}, 0, {1, 1}},
                                         {true, {}, 1, {3, 4}},
                                         {false, {}, 0, {1, 1}},
                                         {false, {}, 1, {3, 4}}}) {
    Model m;
    Values inputs{m.randomInput({3, 4})};
    if (c.given)
      inputs.push_back(m.b.integers(c.axes));
    const auto y = m.imported("ReduceSum", inputs, {{"noop_with_empty_axes", c.noop}}, 13)[0];
    EXPECT_EQ(m.graph[y].info.shape(), c.shape);
  }
}

TEST(ReduceOps, ReduceIntegersAndFoldThem) {
  for (auto type : {DataType::INT32, DataType::INT8, DataType::UINT8, DataType::INT64}) {
    Model m;
    const Doubles values{5, 2, 9, 4, 7, 6};
    const auto x = m.input({2, 3}, values, type), c = m.constant({2, 3}, values, type);
    const std::map<std::string, Doubles> want{
        {"ReduceMax", {9, 7}}, {"ReduceMin", {2, 4}}, {"ReduceSum", {16, 17}}};
    for (const auto &[name, result] : want) {
      const ir::Attributes along{{"axes", Integers{1}}};
      const auto y = m.b.op(name, {x}, along), folded = m.b.op(name, {c}, along);
      expectNear(m.run(y), result);
      ASSERT_EQ(m.graph[folded].kind, ir::Kind::Constant) << name;
      expectNear(m.graph[folded].data.doubles(), result);
    }
  }
  Model m;
  const auto p = m.b.op("ReduceProd", {m.b.integers({2, 3, 7})});
  expectNear(m.graph[p].data.doubles(), {42});
}

TEST(ReduceOps, StayFiniteInHalfPrecision) {
  Model m;
  const auto x = m.input({1, 4}, {100, 101, 102, 103}, DataType::FLOAT16);
  expectNear(m.run(m.b.op("ReduceLogSumExp", {x})), {103.44}, 1e-3);
  const auto big = m.input({4}, Doubles(4, 40000), DataType::FLOAT16);
  expectNear(m.run(m.b.op("ReduceMean", {big})), {40000}, 1e-3);
}

TEST(ReduceOps, SumsOfNothingAreZero) {
  Model m;
  const auto x = m.input({2, 0}, {});
  expectNear(m.run(m.b.op("ReduceSum", {x}, {{"axes", Integers{1}}})), {0, 0});
  try {
    m.b.op("ReduceMax", {x}, {{"axes", Integers{1}}});
    FAIL();
  } catch (const error &e) {
    EXPECT_STREQ(e.what(), "ReduceMax: input \"input\" is empty (FLOAT [2,0]): there is no element "
                           "to take.");
  }
}

TEST(ReduceOps, DifferentiateAtZerosAndTies) {
  auto gradient = [](const std::string &type, const Doubles &x, bool whole = false) {
    Model m;
    const auto in = m.input({std::int64_t(x.size())}, x);
    const auto y =
        m.b.op(type, {in}, {{"keepdims", std::int64_t(0)}, {"whole_to_ties", std::int64_t(whole)}});
    const auto g = autodiff::differentiate(m.graph, {y, m.b.scalar(2, y), {in}});
    return m.run(g.at(in));
  };
  expectNear(gradient("ReduceProd", {2, 0, 3}), {0, 12, 0});
  expectNear(gradient("ReduceProd", {0, 0, 3}), {0, 0, 0});
  expectNear(gradient("ReduceMax", {5, 1, 5}), {1, 0, 1});
  expectNear(gradient("ReduceMax", {5, 1, 5}, true), {2, 0, 2});
  expectNear(gradient("ReduceMin", {5, 1, 5}), {0, 2, 0});
  expectNear(gradient("ReduceL2", {0, 0}), {0, 0});
  expectNear(gradient("ReduceL1", {0, -3}), {0, -2});
}
