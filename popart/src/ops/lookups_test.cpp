// SPDX-License-Identifier: MIT
// Gathers and scatters against plain loops.
#include "model.hpp"
#include "ops/shared/hostviews.hpp"
#include <popart/error.hpp>
#include <poplar/exceptions.hpp>

using namespace popart;
using namespace popart::testing;
using ir::Integers;

namespace {

const Shape &shapeOf(const Model &m, Value v) { return m.graph[v].info.shape(); }
Value indexInput(Model &m, const Shape &shape, const Doubles &values,
                 DataType type = DataType::INT32) {
  return m.input(shape, values, type);
}
template <class F> std::string messageOf(F &&f) {
  try {
    f();
  } catch (const error &e) {
    return e.what();
  }
  return "nothing was thrown";
}
ir::Attributes onAxis(std::int64_t axis) { return {{"axis", axis}}; }
ir::Attributes onAxis(std::int64_t axis, const std::string &reduction) {
  return {{"axis", axis}, {"reduction", reduction}};
}

// np.take of one axis.
Doubles take(const Doubles &x, const Shape &shape, const Doubles &indices, std::size_t axis) {
  const std::int64_t n = shape[axis], inner = ops::rowMajorStrides(shape)[axis];
  Doubles out;
  for (std::int64_t outer = 0; outer < std::int64_t(x.size()) / (n * inner); ++outer)
    for (double i : indices)
      for (std::int64_t k = 0; k < inner; ++k)
        out.push_back(
            x[std::size_t((outer * n + std::int64_t(i < 0 ? i + double(n) : i)) * inner + k)]);
  return out;
}

} // namespace

TEST(GatherOp, TakesWhatNumpyTakesAndAddsUpGradients) {
  struct Case {
    Shape x, i;
    std::int64_t axis;
    Doubles indices;
    Shape y;
  };
  for (const auto &c : std::vector<Case>{{{5, 3}, {4}, 0, {0, 4, -1, 0}, {4, 3}},
                                         {{2, 5, 3}, {2, 2}, 1, {1, 1, -5, 2}, {2, 2, 2, 3}},
                                         {{2, 4}, {3}, -1, {3, 0, 3}, {2, 3}},
                                         {{4, 2}, {}, 0, {-2}, {2}},
                                         {{4}, {2, 1}, 0, {3, 1}, {2, 1}},
                                         {{3, 2}, {6}, 0, {0, 0, 1, 1, 2, 2}, {6, 2}},
                                         {{3, 2}, {0}, 0, {}, {0, 2}}})
    for (bool constant : {false, true}) {
      Model m;
      const auto x = m.randomInput(c.x);
      const auto i =
          constant ? m.constant(c.i, c.indices, DataType::INT64) : indexInput(m, c.i, c.indices);
      const auto y = m.imported("Gather", {x, i}, onAxis(c.axis), 11)[0];
      ASSERT_EQ(shapeOf(m, y), c.y);
      const auto want = take(m.fed(x), c.x, c.indices,
                             std::size_t(c.axis < 0 ? c.axis + std::int64_t(c.x.size()) : c.axis));
      expectNear(m.run(y), want, 0, 0);
      if (!c.indices.empty())
        m.checkGradients(y, {x});
      if (constant) {
        const auto folded = m.b.op("Gather", {m.constant(c.x, m.fed(x)), i}, onAxis(c.axis));
        expectNear(m.graph[folded].data.doubles(), want, 0, 0);
      }
    }
}

TEST(GatherOp, TakesAnyTypeAndManyScatteredConstants) {
  for (auto type : {DataType::FLOAT16, DataType::INT32, DataType::BOOL, DataType::UINT8}) {
    Model m;
    const auto x = m.input({3, 2}, {1, 0, 1, 1, 0, 0}, type);
    const auto i = indexInput(m, {2}, {1, 0}, DataType::UINT32);
    expectNear(m.run(m.b.op("Gather", {x, i})), {1, 1, 1, 0}, 0, 0);
  }
  Model m;
  const auto x = m.randomInput({1000, 2});
  Doubles places;
  for (int k = 0; k < 600; ++k)
    places.push_back(double(k * 377 % 1000)); // too many pieces for a view
  const auto y = m.b.op("Gather", {x, m.constant({600}, places, DataType::INT64)});
  expectNear(m.run(y), take(m.fed(x), {1000, 2}, places, 0), 0, 0);
}

TEST(GatherOp, TrainsHalfTablesWithAPlannedLayout) {
  Model m;
  m.options.training = true;
  const auto w = m.graph.addVariable(
      "w", HostTensor::fromDoubles({DataType::FLOAT16, {50, 8}}, m.random(400)));
  const auto i = indexInput(m, {6}, {3, 3, 49, 0, -1, 7});
  const auto dy = m.input({6, 8}, Doubles(48, 1), DataType::FLOAT16);
  const auto y = m.b.op("Gather", {w, i});
  const auto dw =
      m.b.op("GatherGrad", {dy, i}, {{"axis", std::int64_t(0)}, {"shape", Shape{50, 8}}});
  const auto got = m.run(Values{y, dw});
  Doubles want(400, 0);
  for (int row : {3, 3, 49, 0, 49, 7})
    for (int k = 0; k < 8; ++k)
      want[std::size_t(row * 8 + k)] += 1;
  expectNear(got[1], want, 0, 0);
}

TEST(GatherOp, SaysWhatIsWrong) {
  Model m;
  const auto x = m.randomInput({5, 3});
  EXPECT_EQ(messageOf([&] {
              m.b.op("Gather", {x, m.b.integers({5})});
            }),
            "Gather: index 5 of \"constant\" is outside [-5, 4], the range of a dimension of 5.");
  EXPECT_EQ(
      messageOf([&] {
        m.b.op("Gather", {x, x});
      }),
      "Gather: its indices (input 1, \"input\") are FLOAT; they must be integers. Add a Cast.");
}

TEST(GatherElementsOp, ReplacesOneCoordinate) {
  const Shape xs{3, 2, 4}, is{2, 2, 3};
  for (std::int64_t axis : {0, 1, 2, -1})
    for (bool constant : {false, true}) {
      Model m;
      const auto d = std::size_t(axis < 0 ? axis + 3 : axis);
      const auto x = m.randomInput(xs);
      Doubles indices;
      for (int k = 0; k < 12; ++k)
        indices.push_back(double((k * 5) % xs[d]) - (k % 3 == 0 ? double(xs[d]) : 0));
      const auto i =
          constant ? m.constant(is, indices, DataType::INT64) : indexInput(m, is, indices);
      const auto y = m.imported("GatherElements", {x, i}, onAxis(axis), 11)[0];
      Doubles want;
      const auto v = m.fed(x);
      std::size_t k = 0;
      for (std::int64_t a = 0; a < 2; ++a)
        for (std::int64_t b = 0; b < 2; ++b)
          for (std::int64_t c = 0; c < 3; ++c) {
            Integers at{a, b, c};
            const auto raw = std::int64_t(indices[k++]);
            at[d] = raw < 0 ? raw + xs[d] : raw;
            want.push_back(v[std::size_t((at[0] * 2 + at[1]) * 4 + at[2])]);
          }
      expectNear(m.run(y), want, 0, 0);
      m.checkGradients(y, {x});
      if (constant) {
        const auto folded = m.b.op("GatherElements", {m.constant(xs, v), i}, onAxis(axis));
        expectNear(m.graph[folded].data.doubles(), want, 0, 0);
      }
    }
}

TEST(GatherNDOp, TakesSlicesAtVectors) {
  struct Case {
    Shape i;
    Doubles indices;
    std::int64_t batch;
    Doubles want;
  };
  const Doubles v{0, 1, 2, 3, 4, 5, 6, 7}; // [2,2,2]
  for (const auto &c : std::vector<Case>{{{2, 1, 2}, {0, 1, 1, 0}, 0, {2, 3, 4, 5}},
                                         {{2, 3}, {0, 0, 1, -1, -1, 0}, 0, {1, 6}},
                                         {{2, 1}, {1, 0}, 1, {2, 3, 4, 5}},
                                         {{2, 1, 2}, {1, 0, 0, 1}, 1, {2, 5}},
                                         {{1, 1}, {-1}, 0, {4, 5, 6, 7}}}) {
    Model m;
    const auto x = m.input({2, 2, 2}, v), i = indexInput(m, c.i, c.indices);
    const auto y = m.imported("GatherND", {x, i}, {{"batch_dims", c.batch}}, 12)[0];
    expectNear(m.run(y), c.want, 0, 0);
    m.checkGradients(y, {x});
    const auto folded = m.imported(
        "GatherND", {m.constant({2, 2, 2}, v), m.constant(c.i, c.indices, DataType::INT64)},
        {{"batch_dims", c.batch}}, 13)[0];
    expectNear(m.graph[folded].data.doubles(), c.want, 0, 0);
  }
}

TEST(ScatterElementsOp, ReplacesAddsAndMultiplies) {
  struct Case {
    const char *reduction;
    Doubles indices, want;
  };
  for (const auto &c : std::vector<Case>{{"none", {1, -1, 0, 2}, {3, 8, 9, 11, 5, 12}},
                                         {"add", {1, 1, 0, 2}, {3, 21, 5, 15, 5, 19}},
                                         {"mul", {1, 1, 0, 2}, {3, 288, 5, 44, 5, 84}}}) {
    Model m;
    const auto x = m.input({2, 3}, {3, 4, 5, 4, 5, 7});
    const auto i = indexInput(m, {2, 2}, c.indices);
    const auto u = m.input({2, 2}, {8, 9, 11, 12});
    const auto y = m.imported("ScatterElements", {x, i, u}, onAxis(1, c.reduction), 16)[0];
    expectNear(m.run(y), c.want, 0, 0);
    m.checkGradients(y, {x, u}, 5e-3, 0.1);
  }
  Model m;
  const auto x = m.input({3}, {1, 2, 3}), u = m.input({1}, {9});
  expectNear(m.run(m.imported("Scatter", {x, indexInput(m, {1}, {2}), u}, {}, 9)[0]), {1, 2, 9}, 0,
             0);
  const auto folded =
      m.b.op("ScatterElements", {m.b.integers({1, 2, 3}), m.b.integers({1}), m.b.integers({7})});
  EXPECT_EQ(m.graph[folded].data.integers(), (Integers{1, 7, 3}));
  const auto flag = m.input({1}, {1}, DataType::BOOL);
  EXPECT_EQ(messageOf([&] {
              m.b.op("ScatterElements", {flag, m.b.integers({0}), flag}, onAxis(0, "add"));
            }),
            "ScatterElements: reduction \"add\" of BOOL; FLOAT, FLOAT16, INT32 and UINT32 can be "
            "combined. Add a Cast.");
}

TEST(ScatterElementsOp, DifferentiatesProductsWithZerosAndSharesEqualExtremes) {
  Model m;
  const auto x = m.input({5}, {3, 4, 0, 5, 0}), i = indexInput(m, {6}, {0, 0, 1, 1, 2, 3});
  const auto u = m.input({6}, {0, 2, 0, 0, 7, 6});
  const auto y = m.b.op("ScatterElements", {x, i, u}, onAxis(0, "mul"));
  expectNear(m.run(y), {0, 0, 0, 30, 0}, 0, 0);
  m.checkGradients(y, {x, u}, 5e-3, 0.1);
  for (const char *extreme : {"max", "min"}) { // two equal ones change the extreme by half each
    const auto a = m.input({3}, {3, 4, 1}), at = indexInput(m, {4}, {0, 1, 2, 2});
    const auto b = m.input({4}, {3, 9, 1, -5});
    m.checkGradients(m.b.op("ScatterElements", {a, at, b}, onAxis(0, extreme)), {a, b}, 5e-3, 0.1);
  }
}

TEST(ScatterNDOp, ReplacesAddsAndMultipliesSlices) {
  struct Case {
    const char *reduction;
    Shape i, u;
    Doubles indices, updates, want;
  };
  for (const auto &c :
       std::vector<Case>{{"none", {2, 1}, {2, 2}, {2, 0}, {7, 8, 9, 10}, {9, 10, 3, 4, 7, 8}},
                         {"add", {2, 1}, {2, 2}, {1, 1}, {7, 8, 9, 10}, {1, 2, 19, 22, 5, 6}},
                         {"mul", {2, 2}, {2}, {0, 1, -1, 0}, {7, 8}, {1, 14, 3, 4, 40, 6}},
                         {"none", {1, 2}, {1}, {1, 1}, {9}, {1, 2, 3, 9, 5, 6}}}) {
    Model m;
    const auto x = m.input({3, 2}, {1, 2, 3, 4, 5, 6}), u = m.input(c.u, c.updates);
    const auto i = indexInput(m, c.i, c.indices);
    const auto y =
        m.imported("ScatterND", {x, i, u}, {{"reduction", std::string(c.reduction)}}, 16)[0];
    expectNear(m.run(y), c.want, 0, 0);
    m.checkGradients(y, {x, u}, 5e-3, 0.1);
  }
  Model m;
  const auto x = m.randomInput({3, 2});
  EXPECT_EQ(messageOf([&] {
              m.b.op("ScatterND", {x, m.b.integers({1}), x});
            }),
            "ScatterND: updates have shape [3,2]; for data [3,2] and indices [1] it must be [2].");
  const auto folded =
      m.b.op("ScatterND",
             {m.b.integers({1, 2, 3, 4}),
              m.b.constant(HostTensor::of<std::int64_t>({2, 1}, {-1, 1})), m.b.integers({8, 9})});
  EXPECT_EQ(m.graph[folded].data.integers(), (Integers{1, 9, 3, 8}));
}

TEST(OneHotOp, EncodesEveryTypeAndAxis) {
  for (auto type :
       {DataType::FLOAT, DataType::FLOAT16, DataType::INT32, DataType::BOOL, DataType::INT8})
    for (std::int64_t axis : {-1, 0, 1}) {
      Model m;
      const Doubles at{0, -1, 2, 5};
      const auto i = indexInput(m, {2, 2}, at);
      const bool flag = type == DataType::BOOL;
      const double on = flag ? 1 : 3, off = flag ? 0 : 2;
      const auto values = m.input({2}, {off, on}, type);
      const auto y = m.imported("OneHot", {i, m.constant({}, {3}, DataType::FLOAT), values},
                                onAxis(axis), 11)[0];
      const auto folded = m.imported("OneHot",
                                     {m.constant({2, 2}, at, DataType::INT64), m.b.integers({3}),
                                      m.constant({2}, {off, on}, type)},
                                     onAxis(axis), 11)[0];
      Doubles want(12, off);
      const auto hot = [&](int a, int b, int c) {
        want[std::size_t(axis == 0   ? c * 4 + a * 2 + b
                         : axis == 1 ? a * 6 + c * 2 + b
                                     : a * 6 + b * 3 + c)] = on;
      };
      hot(0, 0, 0), hot(0, 1, 2), hot(1, 0, 2); // 5 is no class
      expectNear(m.run(y), want, 0, 0);
      expectNear(m.graph[folded].data.doubles(), want, 0, 0);
      if (type == DataType::FLOAT)
        m.checkGradients(y, {values});
    }
  Model m;
  const auto i = m.input({3}, {1, 0, -1}, DataType::FLOAT);
  const auto y = m.imported("OneHot", {i, m.b.integers({2}), m.input({2}, {0, 1})}, {}, 9)[0];
  expectNear(m.run(y), {0, 1, 1, 0, 0, 1}, 0, 0);
}

TEST(GroupedGatherOp, GathersInEveryGroup) {
  Model m;
  const auto x = m.randomInput({2, 3, 4});
  const auto i = indexInput(m, {2, 2}, {2, 0, -1, 1});
  const auto v = m.fed(x);
  for (std::int64_t axis : {1, 2}) {
    const auto y =
        m.b.op("GroupedGather", {x, i}, {{"axis", axis}, {"group_size", std::int64_t(2)}});
    Doubles want;
    const int rows[] = {2, 0, axis == 1 ? 2 : 3, 1};
    if (axis == 1)
      for (int g = 0; g < 2; ++g)
        for (int k = 0; k < 2; ++k)
          for (int c = 0; c < 4; ++c)
            want.push_back(v[std::size_t((g * 3 + rows[g * 2 + k]) * 4 + c)]);
    else
      for (int g = 0; g < 2; ++g)
        for (int r = 0; r < 3; ++r)
          for (int k = 0; k < 2; ++k)
            want.push_back(v[std::size_t((g * 3 + r) * 4 + rows[g * 2 + k])]);
    expectNear(m.run(y), want, 0, 0);
    m.checkGradients(y, {x});
  }
  EXPECT_EQ(messageOf([&] {
              m.b.op("GroupedGather", {x, i},
                     {{"axis", std::int64_t(0)}, {"group_size", std::int64_t(2)}});
            }),
            "GroupedGather: axis is 0 and group_size 2; dimension 0 is that of the groups, so the "
            "axis must be another one.");
}

TEST(ScatterReduceOp, CombinesAlongAnAxis) {
  struct Case {
    ir::Attribute reduction;
    bool initial;
    Doubles want; // [2,3] from src [2,4], index 0 2 0 2
  };
  const auto name = [](const char *s) { return ir::Attribute(std::string(s)); };
  for (const auto &c :
       std::vector<Case>{{name("sum"), false, {4, 0, 6, 12, 0, 14}},
                         {ir::Attribute(std::int64_t(0)), true, {5.5, 1.5, 7.5, 13.5, 1.5, 15.5}},
                         {name("Max"), false, {3, 0, 4, 7, 0, 8}},
                         {name("min"), false, {1, 0, 2, 5, 0, 6}},
                         {name("min"), true, {1, 1.5, 1.5, 1.5, 1.5, 1.5}},
                         {ir::Attribute(std::int64_t(3)), false, {3, 1, 8, 35, 1, 48}},
                         {name("none"), true, {3, 1.5, 4, 7, 1.5, 8}}})
    for (bool vector : {true, false}) {
      Model m;
      const auto src = m.input({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
      const auto i = vector ? indexInput(m, {4}, {0, 2, 0, 2})
                            : indexInput(m, {2, 4}, {0, 2, 0, 2, 0, 2, 0, 2});
      Values inputs{src, i};
      if (c.initial)
        inputs.push_back(m.input({2, 3}, Doubles(6, 1.5)));
      const auto y = m.imported(
          "ScatterReduce", inputs,
          {{"axis", std::int64_t(1)}, {"axis_size", std::int64_t(3)}, {"reduction", c.reduction}},
          1, 1, "ai.graphcore")[0];
      expectNear(m.run(y), c.want, 0, 0);
      const bool last = ir::text(c.reduction).find("none") != std::string::npos;
      if (!last) // equal indices: only one of the sources counts
        m.checkGradients(y, {src}, 5e-3, 0.1);
    }
}

TEST(ScatterReduceOp, KeepsGroupsApart) {
  for (bool vector : {true, false}) {
    Model m;
    const auto src = m.input({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    const auto i = vector ? indexInput(m, {2, 2}, {0, 0, 1, 0})
                          : indexInput(m, {2, 2, 2}, {0, 0, 0, 1, 1, 1, 0, 0});
    const auto y = m.imported("GroupedScatterReduce", {src, i},
                              {{"axis", std::int64_t(1)},
                               {"axis_size", std::int64_t(2)},
                               {"group_size", std::int64_t(2)}},
                              1, 1, "ai.graphcore")[0];
    expectNear(m.run(y), vector ? Doubles{4, 6, 0, 0, 7, 8, 5, 6} : Doubles{4, 2, 0, 4, 7, 8, 5, 6},
               0, 0);
    m.checkGradients(y, {src}, 5e-3, 0.1);
  }
}

namespace {
// What a run of a node with these indices, which are known only then, says.
std::string problem(const std::string &type, const Doubles &indices, const Shape &shape,
                    const ir::Attributes &attributes = {}, bool checks = true) {
  Model m;
  m.options.checkIndices = checks;
  const auto x = m.randomInput({4, 3}), i = m.input(shape, indices, DataType::INT32);
  const auto y = type.rfind("Scatter", 0) == 0
                     ? m.b.op(type, {x, i, m.randomInput({2, 1})}, attributes)
                     : m.b.op(type, {x, i}, attributes);
  try {
    m.run(y);
  } catch (const poplar::application_runtime_error &error) {
    return error.what();
  }
  return "";
}
} // namespace

TEST(CheckedIndices, EndTheRunThatMeetsOneOutOfRange) {
  const ir::Attributes along{{"axis", std::int64_t(1)}};
  for (const char *type : {"GatherElements", "ScatterElements"}) {
    EXPECT_EQ(problem(type, {-3, 2}, {2, 1}, along), "") << type;
    EXPECT_NE(
        problem(type, {0, 3}, {2, 1}, along)
            .find("index 3 at [1, 0] of its indices is out of range: it must be from -3 to 2."),
        std::string::npos)
        << type;
    EXPECT_EQ(problem(type, {0, 3}, {2, 1}, along, false), "") << type;
  }
  EXPECT_NE(problem("Gather", {0, -5}, {2}).find("Gather (output \"Gather:0\"): index -5 at [1]"),
            std::string::npos)
      << problem("Gather", {0, -5}, {2});
  EXPECT_NE(problem("GatherND", {0, 2, 4, 0}, {2, 2}).find("index 4 at [1]"), std::string::npos);
}

TEST(CheckIndicesOp, RefusesKnownIndicesAndPassesOthersOn) {
  Model m;
  m.options.checkIndices = true;
  const ir::Attributes range{{"lowest", std::int64_t(0)},
                             {"end", std::int64_t(3)},
                             {"ignored", std::int64_t(-100)},
                             {"user", std::string("look")}};
  const auto good = m.constant({3}, {0, -100, 2}, DataType::INT32);
  EXPECT_TRUE(m.b.valuesOf(m.b.op("CheckIndices", {good}, range)));
  EXPECT_THROW(m.b.op("CheckIndices", {m.constant({1}, {-1}, DataType::INT32)}, range), error);
  const auto i = m.input({2, 2}, {0, 1, -100, 2}, DataType::INT32);
  const auto y = m.b.op("CheckIndices", {m.b.transpose(i, {1, 0})}, range);
  EXPECT_EQ(m.run(y), (Doubles{0, -100, 1, 2}));
  m.feed(i, {0, 1, 3, 2});
  try {
    m.run(y);
    FAIL();
  } catch (const poplar::application_runtime_error &error) {
    EXPECT_EQ(std::string(error.what()).rfind("look: index 3 at [0, 1] of its indices", 0), 0u)
        << error.what();
  }
}
