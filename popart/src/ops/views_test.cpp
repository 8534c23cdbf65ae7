// SPDX-License-Identifier: MIT
// Operators that only look at a tensor in another way, against plain index arithmetic.
#include "model.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;
using ir::Integers;

namespace {

const Shape &shapeOf(const Model &m, Value v) { return m.graph[v].info.shape(); }

Value ints(Model &m, const Integers &values) { return m.b.integers(values); }

// The whole message of what `f` throws.
template <class F> std::string messageOf(F &&f) {
  try {
    f();
  } catch (const error &e) {
    return e.what();
  }
  return "nothing was thrown";
}

// numpy's x[begin:end:step] over one dimension of n.
Integers numpySlice(std::int64_t n, std::int64_t start, std::int64_t end, std::int64_t step) {
  start = start < 0 ? std::max<std::int64_t>(start + n, step < 0 ? -1 : 0) : start;
  end = end < 0 ? std::max<std::int64_t>(end + n, -1) : end;
  Integers out;
  if (step > 0)
    for (auto i = start; i < std::min(end, n); i += step)
      out.push_back(i);
  else
    for (auto i = std::min(start, n - 1); i > end; i += step)
      out.push_back(i);
  return out;
}

} // namespace

TEST(SliceOp, TakesWhatNumpyTakes) {
  struct Case {
    std::int64_t start, end, step;
  };
  constexpr auto most = std::numeric_limits<std::int64_t>::max(), least = -most;
  for (const auto &[start, end, step] : std::vector<Case>{{0, 7, 1},
                                                          {2, 5, 1},
                                                          {-3, most, 1},
                                                          {1, -1, 2},
                                                          {0, 100, 3},
                                                          {6, 0, -1},
                                                          {-1, least, -1},
                                                          {100, least, -3},
                                                          {5, 1, -2},
                                                          {4, 4, 1},
                                                          {5, 2, 1},
                                                          {0, 7, most},
                                                          {6, least, least}}) {
    Model m;
    const auto x = m.randomInput({2, 7, 3});
    const auto v = m.fed(x);
    const auto y = m.imported(
        "Slice", {x, ints(m, {start}), ints(m, {end}), ints(m, {-2}), ints(m, {step})}, {}, 11)[0];
    const auto picks = numpySlice(7, start, end, step);
    ASSERT_EQ(shapeOf(m, y), (Shape{2, std::int64_t(picks.size()), 3})) << start << ' ' << end;
    Doubles want;
    for (int a = 0; a < 2; ++a)
      for (auto i : picks)
        for (int c = 0; c < 3; ++c)
          want.push_back(v[std::size_t((a * 7 + i) * 3 + c)]);
    expectNear(m.run(y), want, 0, 0);
    const auto folded = m.imported(
        "Slice",
        {m.constant({2, 7, 3}, v), ints(m, {start}), ints(m, {end}), ints(m, {1}), ints(m, {step})},
        {}, 13)[0];
    ASSERT_EQ(m.graph[folded].kind, ir::Kind::Constant);
    expectNear(m.graph[folded].data.doubles(), want, 0, 0);
    if (!picks.empty())
      m.checkGradients(y, {x});
  }
}

TEST(SliceOp, HasAttributesInVersionOneAndInAiGraphcore) {
  for (const char *domain : {"", "ai.graphcore"}) {
    Model m;
    const auto x = m.input({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
    const auto y = m.imported(
        "Slice", {x},
        {{"starts", Integers{0, 1}}, {"ends", Integers{-1, 1000}}, {"axes", Integers{0, 1}}},
        *domain ? 1 : 9, 1, domain)[0];
    expectNear(m.run(y), {2, 3, 4}, 0, 0);
    const auto first = m.imported(
        "Slice", {x}, {{"starts", Integers{1}}, {"ends", Integers{2}}, {"axes", Integers{}}},
        *domain ? 1 : 9, 1, domain)[0];
    expectNear(m.run(first), {5, 6, 7, 8}, 0, 0);
  }
}

TEST(SliceOp, SaysWhatIsWrong) {
  Model m;
  const auto x = m.randomInput({2, 4});
  const auto at = m.graph.addStream("where", {DataType::INT32, {1}});
  EXPECT_EQ(messageOf([&] {
              m.imported("Slice", {x, at, ints(m, {1})}, {}, 10);
            }),
            "Slice: its starts (input 1, \"where\") must be known when the model is compiled. Make "
            "it a constant or an initializer.");
  EXPECT_EQ(messageOf([&] {
              m.imported("Slice", {x, ints(m, {0}), ints(m, {1}), ints(m, {2})}, {}, 10);
            }),
            "Slice: axes [2] name dimension 2 of [2,4].");
  EXPECT_EQ(messageOf([&] {
              m.imported("Slice", {x, ints(m, {0}), ints(m, {1, 1})}, {}, 10);
            }),
            "Slice: starts, ends, axes and steps have 1, 2, 1 and 1 entries; they must be equally "
            "many.");
}

TEST(ConcatOp, JoinsAlongAnyAxisAndFolds) {
  for (std::int64_t axis : {0, 1, -1, -3}) {
    Model m;
    Shape a{2, 3, 2}, b = a, c = a;
    const auto d = std::size_t(axis < 0 ? axis + 3 : axis);
    b[d] = 4;
    c[d] = 0;
    const auto x = m.randomInput(a), y = m.randomInput(b), z = m.randomInput(c);
    const auto joined = m.b.op("Concat", {x, z, y}, {{"axis", axis}});
    const std::int64_t inner = d == 0 ? 6 : d == 1 ? 2 : 1;
    const std::int64_t outer = 12 / (a[d] * inner);
    Doubles want;
    for (std::int64_t o = 0; o < outer; ++o)
      for (const auto &[v, n] : {std::pair(x, a[d]), std::pair(y, b[d])})
        for (std::int64_t i = 0; i < n * inner; ++i)
          want.push_back(m.fed(v)[std::size_t(o * n * inner + i)]);
    expectNear(m.run(joined), want, 0, 0);
    const auto folded =
        m.b.op("Concat", {m.constant(a, m.fed(x)), m.constant(b, m.fed(y))}, {{"axis", axis}});
    expectNear(m.graph[folded].data.doubles(), want, 1e-6, 0);
    m.checkGradients(joined, {x, y});
  }
}

TEST(ConcatOp, RefusesShapesAndTypesThatDiffer) {
  Model m;
  const auto x = m.randomInput({2, 3}), y = m.randomInput({3, 3});
  EXPECT_EQ(messageOf([&] {
              m.b.op("Concat", {x, y}, {{"axis", std::int64_t(1)}});
            }),
            "Concat: inputs of shapes [2,3] and [3,3] do not join along axis 1: all other "
            "dimensions must be equal.");
  EXPECT_EQ(messageOf([&] { m.b.op("Concat", {x, y}); }), "Concat: attribute \"axis\" is missing.");
}

TEST(SplitOp, SplitsEquallyOrByLengths) {
  struct Case {
    unsigned version;
    Integers attribute, input;
    unsigned outputs;
    std::vector<Doubles> want;
  };
  const std::vector<Case> cases{
      {11, {}, {}, 2, {{1, 2, 5, 6}, {3, 4, 7, 8}}},
      {2, {3, 1}, {}, 2, {{1, 2, 3, 5, 6, 7}, {4, 8}}},
      {13, {}, {0, 1, 3}, 3, {{}, {1, 5}, {2, 3, 4, 6, 7, 8}}},
      {13, {}, {}, 4, {{1, 5}, {2, 6}, {3, 7}, {4, 8}}},
  };
  for (const auto &c : cases) {
    Model m;
    const auto x = m.input({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
    ir::Attributes attributes{{"axis", std::int64_t(-1)}};
    if (!c.attribute.empty())
      attributes.set("split", c.attribute);
    ir::Values inputs{x};
    if (!c.input.empty())
      inputs.push_back(ints(m, c.input));
    const auto parts = m.imported("Split", inputs, attributes, c.version, c.outputs);
    const auto got = m.run(parts);
    for (std::size_t i = 0; i < c.want.size(); ++i)
      expectNear(got[i], c.want[i], 0, 0);
    m.checkGradients(parts[1], {x}); // the other parts get no gradient
  }
}

TEST(SplitOp, FoldsAndRefusesWrongLengths) {
  Model m;
  const auto parts = m.imported("Split", {ints(m, {1, 2, 3})}, {{"split", Integers{1, 2}}}, 11, 2);
  EXPECT_EQ(m.graph[parts[1]].data.integers(), (Integers{2, 3}));
  const auto x = m.randomInput({5});
  EXPECT_EQ(messageOf([&] { m.imported("Split", {x}, {}, 11, 2); }),
            "Split: dimension 0 of [5] does not split into 2 equal parts. Give their lengths.");
  EXPECT_EQ(messageOf([&] {
              m.imported("Split", {x}, {{"split", Integers{1, 2}}}, 11, 2);
            }),
            "Split: split [1,2] adds up to 3, but dimension 0 of [5] is 5.");
}

TEST(ReshapingOps, GiveTheShapesOnnxSays) {
  struct Case {
    const char *type;
    Shape x;
    ir::Attributes attributes;
    Integers input; // the second one, of version 13
    unsigned version;
    Shape y;
  };
  const auto one = [](std::int64_t i) { return ir::Attribute(i); };
  for (const auto &c : std::vector<Case>{
           {"Squeeze", {1, 3, 1, 2}, {}, {}, 11, {3, 2}},
           {"Squeeze", {1, 3, 1, 2}, {{"axes", Integers{}}}, {}, 10, {3, 2}},
           {"Squeeze", {1, 3, 1, 2}, {{"axes", Integers{-2}}}, {}, 11, {1, 3, 2}},
           {"Squeeze", {1, 3, 1, 2}, {}, {0, 2}, 13, {3, 2}},
           {"Unsqueeze", {3, 2}, {{"axes", Integers{3, 0}}}, {}, 11, {1, 3, 2, 1}},
           {"Unsqueeze", {3, 2}, {}, {-1, 1}, 13, {3, 1, 2, 1}},
           {"Flatten", {2, 3, 4}, {}, {}, 9, {2, 12}},
           {"Flatten", {2, 3, 4}, {{"axis", one(0)}}, {}, 9, {1, 24}},
           {"Flatten", {2, 3, 4}, {{"axis", one(-1)}}, {}, 11, {6, 4}},
           {"Flatten", {2, 3, 4}, {{"axis", one(3)}}, {}, 13, {24, 1}},
           {"Flatten", {0, 3}, {{"axis", one(1)}}, {}, 13, {0, 3}},
           {"Reshape", {2, 3, 4}, {}, {0, -1}, 5, {2, 12}},
           {"Reshape", {2, 3, 4}, {{"shape", Integers{4, 3, 2}}}, {}, 1, {4, 3, 2}},
           {"Reshape", {0, 3}, {{"allowzero", one(1)}}, {3, 0}, 14, {3, 0}},
       }) {
    Model m;
    const auto x = m.randomInput(c.x);
    Values inputs{x};
    if (!c.input.empty())
      inputs.push_back(ints(m, c.input));
    const auto y = m.imported(c.type, inputs, c.attributes, c.version)[0];
    EXPECT_EQ(shapeOf(m, y), c.y) << c.type;
    expectNear(m.run(y), m.fed(x), 0, 0);
    if (!m.fed(x).empty())
      m.checkGradients(y, {x});
  }
  Model m;
  const auto x = m.randomInput({2, 1});
  EXPECT_EQ(messageOf([&] {
              m.imported("Squeeze", {x}, {{"axes", Integers{0}}}, 11);
            }),
            "Squeeze: dimension 0 of [2,1] is 2; only dimensions of 1 can be removed.");
}

TEST(TileOp, RepeatsAndAddsUpGradients) {
  Model m;
  const auto x = m.input({2, 2}, {1, 2, 3, 4});
  const auto y = m.imported("Tile", {x, ints(m, {2, 3})}, {}, 6)[0];
  const Doubles want{1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4, 1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4};
  expectNear(m.run(y), want, 0, 0);
  m.checkGradients(y, {x});
  const auto folded = m.b.op("Tile", {ints(m, {1, 2})}, {{"repeats", Integers{3}}});
  EXPECT_EQ(m.graph[folded].data.integers(), (Integers{1, 2, 1, 2, 1, 2}));
  EXPECT_EQ(messageOf([&] {
              m.b.op("Tile", {x}, {{"repeats", Integers{3}}});
            }),
            "Tile: repeats [3] must have one entry per dimension of [2,2].");
}

TEST(PadOp, PadsInEveryMode) {
  struct Case {
    const char *mode;
    Integers pads;
    Shape shape;
    Doubles want;
  };
  for (const auto &c : std::vector<Case>{
           {"constant", {1, 0, 0, 2}, {3, 5}, {9, 9, 9, 9, 9, 1, 2, 3, 9, 9, 4, 5, 6, 9, 9}},
           {"constant", {0, -1, -1, 1}, {1, 3}, {2, 3, 9}},
           {"edge", {1, 2, 0, 1}, {3, 6}, {1, 1, 1, 2, 3, 3, 1, 1, 1, 2, 3, 3, 4, 4, 4, 5, 6, 6}},
           {"reflect",
            {0, 2, 1, 1},
            {3, 6},
            {3, 2, 1, 2, 3, 2, 6, 5, 4, 5, 6, 5, 3, 2, 1, 2, 3, 2}},
           {"reflect", {0, 5, 0, 0}, {2, 8}, {2, 1, 2, 3, 2, 1, 2, 3, 5, 4, 5, 6, 5, 4, 5, 6}},
       })
    for (unsigned version : {2, 11, 13}) {
      Model m;
      const auto x = m.input({2, 3}, {1, 2, 3, 4, 5, 6});
      ir::Attributes attributes{{"mode", std::string(c.mode)}};
      Values inputs{x};
      if (version < 11) {
        attributes.set("pads", c.pads);
        attributes.set("value", 9.0f);
      } else {
        inputs.push_back(ints(m, c.pads));
        inputs.push_back(m.constant({}, {9}));
      }
      const auto y = m.imported("Pad", inputs, attributes, version)[0];
      EXPECT_EQ(shapeOf(m, y), c.shape);
      expectNear(m.run(y), c.want, 0, 0);
      if (version == 11)
        m.checkGradients(y, {x});
      inputs[0] = m.constant({2, 3}, {1, 2, 3, 4, 5, 6});
      const auto folded = m.imported("Pad", inputs, attributes, version)[0];
      expectNear(m.graph[folded].data.doubles(), c.want, 0, 0);
    }
}

TEST(PadOp, PadsIntegersHalvesAndBooleans) {
  for (auto type : {DataType::INT32, DataType::FLOAT16, DataType::BOOL, DataType::UINT8,
                    DataType::INT64, DataType::UINT32}) {
    Model m;
    const auto x = m.input({2}, {1, 0}, type);
    const auto y = m.imported("Pad", {x, ints(m, {1, 2}), m.constant({1}, {1}, type)}, {}, 13)[0];
    expectNear(m.run(y), {1, 1, 0, 1, 1}, 0, 0);
  }
}

TEST(TransposeAndExpand, FoldConstantsExactly) {
  Model m;
  const std::int64_t large = (std::int64_t(1) << 60) + 1; // no double
  const auto x = m.b.constant(HostTensor::of<std::int64_t>({1, 3}, {1, large, 3}));
  const auto t = m.b.op("Transpose", {x});
  EXPECT_EQ(m.graph[t].data.integers(), (Integers{1, large, 3}));
  const auto condition = m.constant({2, 1}, {1, 0}, DataType::BOOL);
  const auto w = m.b.where(condition, x, m.b.integers({7}));
  EXPECT_EQ(m.graph[w].data.integers(), (Integers{1, large, 3, 7, 7, 7}));
}
