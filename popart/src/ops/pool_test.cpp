// SPDX-License-Identifier: MIT
// Pools against plain loops over any number of dimensions, and Gemm.
#include "indices.hpp"
#include "model.hpp"
#include <limits>
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

struct Case {
  std::string name;
  Shape x, y;
  ir::Attributes attributes;
  Shape kernel, strides, dilations, lower, upper; // what the attributes mean
};

struct Pooled {
  Doubles largest, mean, meanWithPadding, where, norm;
};
Pooled pooled(const Case &c, const Doubles &x) {
  Pooled out;
  forEach(c.y, [&](const Shape &y) {
    double largest = -std::numeric_limits<double>::infinity(), sum = 0, squares = 0;
    std::int64_t inside = 0, all = 0;
    std::size_t where = 0;
    forEach(c.kernel, [&](const Shape &k) {
      Shape at{y[0], y[1]};
      bool in = true, counted = true;
      for (std::size_t d = 0; d < k.size(); ++d) {
        at.push_back(y[d + 2] * c.strides[d] + k[d] * c.dilations[d] - c.lower[d]);
        in = in && at[d + 2] >= 0 && at[d + 2] < c.x[d + 2];
        counted = counted && at[d + 2] < c.x[d + 2] + c.upper[d];
      }
      all += counted;
      if (!in)
        return;
      ++inside;
      const double v = x[offset(c.x, at)];
      sum += v;
      squares += v * v;
      if (v > largest) {
        largest = v;
        where = offset(c.x, at);
      }
    });
    out.largest.push_back(largest);
    out.where.push_back(double(where));
    out.mean.push_back(sum / double(inside));
    out.meanWithPadding.push_back(sum / double(all));
    out.norm.push_back(std::sqrt(squares));
  });
  return out;
}

using I = ir::Integers;
const std::vector<Case> &cases() {
  static const std::vector<Case> all = {
      {"plain",
       {2, 3, 5, 6},
       {2, 3, 4, 5},
       {{"kernel_shape", I{2, 2}}},
       {2, 2},
       {1, 1},
       {1, 1},
       {0, 0},
       {0, 0}},
      {"padded, strided",
       {1, 2, 7, 6},
       {1, 2, 4, 3},
       {{"kernel_shape", I{3, 3}}, {"pads", I{1, 1, 1, 0}}, {"strides", I{2, 2}}},
       {3, 3},
       {2, 2},
       {1, 1},
       {1, 1},
       {1, 0}},
      {"rounded up",
       {1, 1, 4, 6},
       {1, 1, 2, 3},
       {{"kernel_shape", I{3, 3}},
        {"strides", I{2, 2}},
        {"ceil_mode", std::int64_t(1)},
        {"pads", I{0, 0, 0, 1}}},
       {3, 3},
       {2, 2},
       {1, 1},
       {0, 0},
       {0, 1}},
      {"one dimension",
       {2, 2, 9},
       {2, 2, 3},
       {{"kernel_shape", I{4}}, {"strides", I{2}}},
       {4},
       {2},
       {1},
       {0},
       {0}},
      {"three dimensions",
       {1, 1, 3, 4, 4},
       {1, 1, 2, 3, 2},
       {{"kernel_shape", I{2, 2, 2}}, {"strides", I{1, 1, 2}}},
       {2, 2, 2},
       {1, 1, 2},
       {1, 1, 1},
       {0, 0, 0},
       {0, 0, 0}},
      {"SAME_UPPER",
       {1, 1, 5, 5},
       {1, 1, 3, 3},
       {{"kernel_shape", I{2, 3}}, {"strides", I{2, 2}}, {"auto_pad", std::string("SAME_UPPER")}},
       {2, 3},
       {2, 2},
       {1, 1},
       {0, 1},
       {1, 1}},
      {"dilated",
       {1, 2, 7, 6},
       {1, 2, 3, 4},
       {{"kernel_shape", I{3, 2}},
        {"dilations", I{2, 2}},
        {"pads", I{1, 0, 1, 0}},
        {"strides", I{2, 1}}},
       {3, 2},
       {2, 1},
       {2, 2},
       {1, 0},
       {1, 0}},
  };
  return all;
}

// Distinct elements, so that small steps do not change which one is the largest.
Doubles distinct(const Shape &shape) {
  Doubles out(std::size_t(ir::elementsOf(shape)));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = double(i * 37 % out.size()) * 0.125 - 2;
  return out;
}

} // namespace

TEST(MaxPoolOp, GivesTheMaximaAndTheirPlaces) {
  for (const auto &c : cases())
    for (auto type : {DataType::FLOAT, DataType::FLOAT16, DataType::INT8}) {
      Model m;
      auto values = distinct(c.x);
      if (type == DataType::INT8)
        for (auto &v : values)
          v = std::round(v * 8) - 50;
      const auto x = m.input(c.x, values, type);
      const auto y = m.imported("MaxPool", {x}, c.attributes, 12, 2);
      SCOPED_TRACE(c.name);
      ASSERT_EQ(m.graph[y[0]].info, TensorInfo(type, c.y));
      ASSERT_EQ(m.graph[y[1]].info, TensorInfo(DataType::INT32, c.y));
      const auto want = pooled(c, values);
      const auto got = m.run(y);
      expectNear(got[0], want.largest, 0, 0);
      expectNear(got[1], want.where, 0, 0);
    }
}

TEST(MaxPoolOp, NamesTheFirstOfSeveralMaximaAndCountsColumnsIfAsked) {
  Model m; // the example of the ONNX documentation
  const auto x = m.input({1, 1, 5, 5}, {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                                        14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25});
  const auto y = m.b.ops(
      "MaxPool", {x}, 2,
      {{"kernel_shape", I{2, 2}}, {"strides", I{2, 2}}, {"storage_order", std::int64_t(1)}});
  expectNear(m.run(y[1]), {6, 16, 8, 18});
  const auto same = m.input({1, 1, 4}, {3, 3, 3, 1});
  expectNear(m.run(m.b.ops("MaxPool", {same}, 2, {{"kernel_shape", I{3}}})[1]), {0, 1});
}

// Windows of three over 5 5 1 5: their gradients go to all fives, or to the first.
TEST(MaxPoolOp, GivesGradientsToAllMaximaOrToTheFirst) {
  for (bool dilated : {false, true})
    for (bool first : {false, true}) {
      Model m;
      const auto x =
          dilated ? m.input({1, 1, 8}, {5, 0, 5, 0, 1, 0, 5, 0}) : m.input({1, 1, 4}, {5, 5, 1, 5});
      const auto y = m.b.op("MaxPool", {x},
                            {{"kernel_shape", I{3}},
                             {"dilations", I{dilated ? 2 : 1}},
                             {"strides", I{dilated ? 2 : 1}},
                             {"first_of_ties", std::int64_t(first)}});
      const Value loss = m.b.op("ReduceSum", {m.b.mul(y, m.constant({1, 1, 2}, {2, 6}))},
                                {{"keepdims", std::int64_t(0)}});
      const auto gradients = autodiff::differentiate(m.graph, {loss, m.b.scalar(1, loss), {x}});
      const Doubles all{2, 8, 0, 6}, one{2, 6, 0, 0};
      auto got = m.run(gradients.at(x));
      if (dilated)
        got = {got[0], got[2], got[4], got[6]};
      EXPECT_EQ(got, first ? one : all);
    }
}

TEST(MaxPoolOp, Differentiates) {
  for (const auto &c : cases()) {
    Model m;
    const auto x = m.input(c.x, distinct(c.x));
    SCOPED_TRACE(c.name);
    m.checkGradients(m.b.op("MaxPool", {x}, c.attributes), {x});
  }
}

TEST(AveragePoolOp, DividesByElementsOrByTheWholeWindow) {
  for (const auto &c : cases())
    for (auto type : {DataType::FLOAT, DataType::FLOAT16})
      for (bool padding : {false, true}) {
        if (c.attributes.has("dilations"))
          continue;
        Model m;
        const auto x = m.input(c.x, distinct(c.x), type);
        auto attributes = c.attributes;
        attributes.set("count_include_pad", std::int64_t(padding));
        const auto y = m.b.op("AveragePool", {x}, attributes);
        SCOPED_TRACE(c.name);
        ASSERT_EQ(m.graph[y].info, TensorInfo(type, c.y));
        const auto want = pooled(c, m.fed(x));
        const double precision = type == DataType::FLOAT ? 1e-5 : 2e-3;
        expectNear(m.run(y), padding ? want.meanWithPadding : want.mean, precision, precision);
        if (type == DataType::FLOAT)
          m.checkGradients(y, {x});
      }
}

TEST(LpPoolOp, GivesNorms) {
  const Case &c = cases()[1];
  Model m;
  const auto x = m.input(c.x, distinct(c.x));
  const auto y = m.b.op("LpPool", {x}, c.attributes);
  expectNear(m.run(y), pooled(c, m.fed(x)).norm, 1e-5, 1e-5);
  m.checkGradients(y, {x});
  auto cubes = c.attributes;
  cubes.set("p", std::int64_t(3));
  m.checkGradients(m.b.op("LpPool", {x}, cubes), {x});
}

TEST(GlobalPoolOps, PoolWholeChannels) {
  struct Form {
    std::string type;
    Doubles y;
  };
  for (const auto &[type, y] : std::vector<Form>{{"GlobalAveragePool", {2.5, -1}},
                                                 {"GlobalMaxPool", {4, 3}},
                                                 {"GlobalLpPool", {std::sqrt(30.), 6}}}) {
    Model m;
    const auto x = m.input({1, 2, 2, 2}, {1, 2, 3, 4, -5, 3, -1, -1});
    const auto out = m.b.op(type, {x});
    EXPECT_EQ(m.graph[out].info.shape(), (Shape{1, 2, 1, 1}));
    expectNear(m.run(out), y);
    m.checkGradients(out, {x});
  }
}

TEST(PoolOps, RefuseWhatDoesNotFit) {
  struct Bad {
    std::string type;
    ir::Attributes attributes;
    std::string message;
  };
  for (const auto &[type, attributes, message] : std::vector<Bad>{
           {"MaxPool",
            {{"kernel_shape", I{2}}},
            "MaxPool: kernel_shape [2] must have one positive number for each of the 2 spatial "
            "dimensions of [1,1,4,4]."},
           {"MaxPool",
            {{"kernel_shape", I{2, 2}}, {"pads", I{2, 0, 0, 0}}},
            "MaxPool: pads [2,0] and [0,0] must be smaller than the kernel [2,2], or windows see "
            "padding alone."},
           {"AveragePool",
            {{"kernel_shape", I{2, 2}}, {"auto_pad", std::string("SAME")}},
            "AveragePool: auto_pad \"SAME\" must be NOTSET, SAME_UPPER, SAME_LOWER or VALID."},
           {"LpPool",
            {{"kernel_shape", I{2, 2}}, {"p", std::int64_t(0)}},
            "LpPool: p is 0; a norm needs at least 1."}}) {
    Model m;
    const auto x = m.randomInput({1, 1, 4, 4});
    try {
      m.b.op(type, {x}, attributes);
      FAIL() << message;
    } catch (const error &e) {
      EXPECT_EQ(e.what(), message);
    }
  }
}

TEST(GemmOp, ScalesTransposesAndSpreadsTheAddend) {
  struct Case {
    bool transA, transB;
    float alpha, beta;
    Shape c;
  };
  for (const auto &[ta, tb, alpha, beta, shape] : std::vector<Case>{{false, false, 1, 1, {3, 5}},
                                                                    {true, false, 0.5f, 1, {5}},
                                                                    {false, true, 1, 2, {3, 1}},
                                                                    {true, true, 2, 0.25f, {}},
                                                                    {false, true, 1, 0, {1, 5}}}) {
    Model m;
    const auto a = m.randomInput(ta ? Shape{4, 3} : Shape{3, 4}),
               b = m.randomInput(tb ? Shape{5, 4} : Shape{4, 5}), c = m.randomInput(shape);
    const auto y = m.b.op("Gemm", {a, b, c},
                          {{"transA", std::int64_t(ta)},
                           {"transB", std::int64_t(tb)},
                           {"alpha", alpha},
                           {"beta", beta}});
    const auto av = m.fed(a), bv = m.fed(b), cv = m.fed(c);
    Doubles want;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 5; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < 4; ++k)
          sum += av[ta ? k * 3 + i : i * 4 + k] * bv[tb ? j * 4 + k : k * 5 + j];
        const std::size_t at = shape == Shape{3, 5}   ? i * 5 + j
                               : shape == Shape{3, 1} ? i
                               : shape.empty()        ? 0
                                                      : j;
        want.push_back(alpha * sum + beta * cv[at]);
      }
    expectNear(m.run(y), want, 1e-5, 1e-5);
    m.checkGradients(y, beta == 0 ? Values{a, b} : Values{a, b, c});
  }
}

TEST(GemmOp, BeforeOpset7BroadcastsWhenAskedOnly) {
  Model m;
  const auto a = m.randomInput({3, 4}), b = m.randomInput({4, 5}), c = m.randomInput({5});
  EXPECT_NO_THROW(m.imported("Gemm", {a, b, c}, {{"broadcast", std::int64_t(1)}}, 6));
  try {
    m.imported("Gemm", {a, b, c}, {}, 6);
    FAIL();
  } catch (const error &e) {
    EXPECT_STREQ(e.what(), "Gemm: C is FLOAT [5]; before opset 7 that needs broadcast = 1.");
  }
}
