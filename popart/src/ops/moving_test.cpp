// SPDX-License-Identifier: MIT
// Operators that move, create or resample data, against literal numbers.
#include "model.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;
using ir::Integers;

namespace {

const Shape &shapeOf(const Model &m, Value v) { return m.graph[v].info.shape(); }
ir::Attribute number(std::int64_t i) { return i; }
template <class F> std::string messageOf(F &&f) {
  try {
    f();
  } catch (const error &e) {
    return e.what();
  }
  return "nothing was thrown";
}
Doubles counting(int n) {
  Doubles out;
  for (int i = 0; i < n; ++i)
    out.push_back(i + 1);
  return out;
}

} // namespace

TEST(ConstantOps, AreKnownAtOnce) {
  struct Case {
    const char *type;
    std::vector<HostTensor> inputs;
    ir::Attributes attributes;
    unsigned version;
    TensorInfo info;
    Doubles want;
  };
  const auto x = HostTensor::of<float>({2, 3}, {1, 0, 2, 0, 0, 3});
  const auto integer = [](std::int64_t i) { return HostTensor::of<std::int64_t>({}, {i}); };
  const auto real = [](float f) { return HostTensor::of<float>({}, {f}); };
  for (const auto &c : std::vector<Case>{
           {"Constant", {}, {{"value", x}}, 9, x.info(), x.doubles()},
           {"Constant", {}, {{"value_float", 2.5f}}, 12, {DataType::FLOAT, {}}, {2.5}},
           {"Constant", {}, {{"value_ints", Integers{4, 5}}}, 12, {DataType::INT64, {2}}, {4, 5}},
           {"Constant", {}, {{"value_int", number(7)}}, 13, {DataType::INT64, {}}, {7}},
           {"Constant",
            {},
            {{"value_floats", std::vector<float>{1, 2}}},
            13,
            {DataType::FLOAT, {2}},
            {1, 2}},
           {"Shape", {x}, {}, 1, {DataType::INT64, {2}}, {2, 3}},
           {"Shape", {x}, {{"start", number(-1)}}, 15, {DataType::INT64, {1}}, {3}},
           {"Shape",
            {x},
            {{"start", number(0)}, {"end", number(-1)}},
            15,
            {DataType::INT64, {1}},
            {2}},
           {"Shape",
            {x},
            {{"start", number(2)}, {"end", number(1)}},
            15,
            {DataType::INT64, {0}},
            {}},
           {"Size", {x}, {}, 1, {DataType::INT64, {}}, {6}},
           {"ConstantOfShape",
            {HostTensor::of<std::int64_t>({2}, {2, 2})},
            {},
            9,
            {DataType::FLOAT, {2, 2}},
            {0, 0, 0, 0}},
           {"ConstantOfShape",
            {HostTensor::of<std::int64_t>({1}, {3})},
            {{"value", HostTensor::of<std::int32_t>({1}, {4})}},
            9,
            {DataType::INT32, {3}},
            {4, 4, 4}},
           {"Range",
            {integer(10), integer(4), integer(-3)},
            {},
            11,
            {DataType::INT64, {2}},
            {10, 7}},
           {"Range",
            {real(1), real(2.1f), real(0.5f)},
            {},
            11,
            {DataType::FLOAT, {3}},
            {1, 1.5, 2}},
           {"EyeLike", {x}, {{"k", number(1)}}, 9, {DataType::FLOAT, {2, 3}}, {0, 1, 0, 0, 0, 1}},
           {"EyeLike",
            {x},
            {{"dtype", number(7)}},
            9,
            {DataType::INT64, {2, 3}},
            {1, 0, 0, 0, 1, 0}},
           {"NonZero", {x}, {}, 13, {DataType::INT64, {2, 3}}, {0, 0, 1, 0, 2, 2}},
       }) {
    Model m;
    Values inputs;
    for (const auto &data : c.inputs)
      inputs.push_back(m.b.constant(data));
    const auto y = m.imported(c.type, inputs, c.attributes, c.version)[0];
    ASSERT_EQ(m.graph[y].kind, ir::Kind::Constant) << c.type;
    EXPECT_EQ(m.graph[y].info, c.info) << c.type;
    expectNear(m.graph[y].data.doubles(), c.want, 0, 0);
  }
}

TEST(ConstantOps, SayWhatMustBeKnown) {
  Model m;
  const auto x = m.input({1}, {2}, DataType::INT32);
  EXPECT_EQ(
      messageOf([&] { m.b.op("NonZero", {x}); }),
      "NonZero: its input 0 (\"input\") must be known when the model is compiled, because the "
      "shape of the result follows from it. Make it a constant or an initializer.");
  EXPECT_EQ(messageOf([&] {
              m.b.op("Constant", {}, {{"value_string", std::string("a")}});
            }),
            "Constant: attribute \"value_string\" is not supported: only dense numbers can be "
            "constants.");
}

TEST(BlockOps, MoveChannelsAndPixels) {
  struct Case {
    const char *type, *domain, *mode;
    Shape x, y;
    Doubles want;
  };
  for (const auto &c : std::vector<Case>{
           {"DepthToSpace", "", "DCR", {1, 8, 1, 1}, {1, 2, 2, 2}, {1, 3, 5, 7, 2, 4, 6, 8}},
           {"DepthToSpace", "", "CRD", {1, 8, 1, 1}, {1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}},
           {"DepthToSpace",
            "ai.graphcore",
            "DCR",
            {1, 4, 1, 2},
            {1, 1, 2, 4},
            {1, 3, 2, 4, 5, 7, 6, 8}},
           {"SpaceToDepth", "", "", {1, 2, 2, 2}, {1, 8, 1, 1}, {1, 5, 2, 6, 3, 7, 4, 8}},
       }) {
    Model m;
    const auto x = m.input(c.x, counting(8));
    ir::Attributes attributes{{"blocksize", number(2)}};
    if (*c.mode)
      attributes.set("mode", std::string(c.mode));
    const auto y = m.imported(c.type, {x}, attributes, 11, 1, c.domain)[0];
    EXPECT_EQ(shapeOf(m, y), c.y);
    expectNear(m.run(y), c.want, 0, 0);
    m.checkGradients(y, {x});
  }
}

TEST(ReverseSequenceOp, ReversesTheFirstSteps) {
  for (int timeAxis : {0, 1})
    for (bool constant : {false, true}) {
      Model m;
      const auto x = m.input(
          {4, 4}, timeAxis == 0 ? Doubles{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}
                                : counting(16));
      const Doubles lengths = timeAxis == 0 ? Doubles{4, 3, 2, 1} : Doubles{1, 2, 3, 4};
      const auto n = constant ? m.constant({4}, lengths, DataType::INT64)
                              : m.input({4}, lengths, DataType::INT32);
      const auto y = m.imported(
          "ReverseSequence", {x, n},
          {{"time_axis", number(timeAxis)}, {"batch_axis", number(1 - timeAxis)}}, 10)[0];
      expectNear(m.run(y),
                 timeAxis == 0 ? Doubles{3, 6, 9, 12, 2, 5, 8, 13, 1, 4, 10, 14, 0, 7, 11, 15}
                               : Doubles{1, 2, 3, 4, 6, 5, 7, 8, 11, 10, 9, 12, 16, 15, 14, 13},
                 0, 0);
      m.checkGradients(y, {x});
    }
}

TEST(TriluAndCompress, SelectPartsOfMatrices) {
  Model m;
  const auto x = m.input({2, 3}, counting(6));
  expectNear(m.run(m.imported("Trilu", {x}, {}, 14)[0]), {1, 2, 3, 0, 5, 6}, 0, 0);
  const auto lower = m.imported("Trilu", {x, m.b.integers({1})}, {{"upper", number(0)}}, 14)[0];
  expectNear(m.run(lower), {1, 2, 0, 4, 5, 6}, 0, 0);
  m.checkGradients(lower, {x});
  const auto flags = m.constant({3}, {0, 1, 1}, DataType::BOOL);
  const auto y = m.imported("Compress", {x, flags}, {{"axis", number(-1)}}, 11)[0];
  expectNear(m.run(y), {2, 3, 5, 6}, 0, 0);
  m.checkGradients(y, {x});
  expectNear(m.run(m.imported("Compress", {x, flags}, {}, 9)[0]), {2, 3}, 0, 0);
}

TEST(ResizeOps, InterpolateAsOnnxDoes) {
  struct Case {
    const char *type;
    unsigned version;
    ir::Attributes attributes;
    Shape x;
    std::vector<float> scales;
    Integers sizes;
    Shape y;
    Doubles want;
  };
  const auto text = [](const char *s) { return ir::Attribute(std::string(s)); };
  for (const auto &c : std::vector<Case>{
           {"Upsample",
            9,
            {{"mode", text("nearest")}},
            {1, 1, 2, 2},
            {1, 1, 2, 3},
            {},
            {1, 1, 4, 6},
            {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4}},
           {"Resize",
            10,
            {{"mode", text("linear")}},
            {1, 1, 1, 2},
            {1, 1, 1, 2},
            {},
            {1, 1, 1, 4},
            {1, 1.5, 2, 2}},
           {"Resize",
            10,
            {{"mode", text("nearest")}},
            {1, 1, 2, 4},
            {1, 1, 0.6f, 0.6f},
            {},
            {1, 1, 1, 2},
            {1, 2}},
           {"Resize",
            11,
            {{"mode", text("linear")}},
            {1, 1, 2, 4},
            {1, 1, 0.6f, 0.6f},
            {},
            {1, 1, 1, 2},
            {2.6666665, 4.3333331}},
           {"Resize",
            11,
            {{"mode", text("linear")}, {"coordinate_transformation_mode", text("align_corners")}},
            {1, 1, 2, 4},
            {1, 1, 0.6f, 0.6f},
            {},
            {1, 1, 1, 2},
            {1, 3.142857}},
           {"Resize",
            13,
            {{"mode", text("linear")}},
            {1, 1, 2, 2},
            {1, 1, 2, 2},
            {},
            {1, 1, 4, 4},
            {1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4}},
           {"Resize",
            13,
            {{"mode", text("cubic")}},
            {1, 1, 1, 4},
            {1, 1, 1, 0.8f},
            {},
            {1, 1, 1, 3},
            {1.0942383, 2.4042969, 3.7055664}},
           {"Resize",
            13,
            {{"mode", text("cubic")}, {"exclude_outside", number(1)}, {"cubic_coeff_a", -0.5f}},
            {1, 1, 1, 4},
            {1, 1, 1, 2},
            {},
            {1, 1, 1, 8},
            {0.91176471, 1.16788321, 1.70992366, 2.25, 2.75, 3.29007634, 3.83211679, 4.08823529}},
           {"Resize",
            11,
            {{"nearest_mode", text("ceil")}},
            {1, 4},
            {},
            {1, 8},
            {1, 8},
            {1, 2, 2, 3, 3, 4, 4, 4}},
           {"Resize",
            11,
            {{"nearest_mode", text("round_prefer_ceil")},
             {"coordinate_transformation_mode", text("align_corners")}},
            {1, 4},
            {},
            {1, 7},
            {1, 7},
            {1, 2, 2, 3, 3, 4, 4}},
           {"Resize",
            11,
            {{"nearest_mode", text("floor")}},
            {1, 4},
            {},
            {1, 8},
            {1, 8},
            {1, 1, 1, 2, 2, 3, 3, 4}},
           {"Resize",
            11,
            {{"mode", text("linear")},
             {"coordinate_transformation_mode", text("pytorch_half_pixel")}},
            {1, 4},
            {},
            {1, 1},
            {1, 1},
            {1}},
       }) {
    Model m;
    const auto x = m.input(c.x, counting(int(ir::elementsOf(c.x))));
    Values inputs{x};
    if (c.version > 10)
      inputs.push_back(ir::none);
    inputs.push_back(c.scales.empty() ? ir::none
                                      : m.b.constant(HostTensor::of<float>(
                                            {std::int64_t(c.scales.size())}, c.scales)));
    if (!c.sizes.empty())
      inputs.push_back(m.b.integers(c.sizes));
    const auto y = m.imported(c.type, inputs, c.attributes, c.version)[0];
    EXPECT_EQ(shapeOf(m, y), c.y) << c.type << c.version;
    expectNear(m.run(y), c.want, 1e-5, 1e-6);
    m.checkGradients(y, {x}, 5e-3, 0.1);
  }
}

TEST(ResizeOps, CropAndUseTheirAttributes) {
  Model m;
  const auto x = m.input({1, 4}, counting(4));
  const auto roi = m.b.constant(HostTensor::of<float>({4}, {0, 0.5f, 1, 1.5f}));
  const auto y = m.imported("Resize", {x, roi, ir::none, m.b.integers({1, 3})},
                            {{"mode", std::string("linear")},
                             {"coordinate_transformation_mode", std::string("tf_crop_and_resize")},
                             {"extrapolation_value", 10.0f}},
                            11)[0];
  expectNear(m.run(y), {2.5, 4, 10}, 1e-6, 0);
  m.checkGradients(y, {x});
  const auto up = m.imported("Upsample", {x}, {{"scales", std::vector<float>{1, 2}}}, 7)[0];
  expectNear(m.run(up), {1, 1, 2, 2, 3, 3, 4, 4}, 0, 0);
  EXPECT_EQ(messageOf([&] { m.imported("Resize", {x}, {}, 11); }),
            "Resize: it has 0 scales and 0 sizes for an input of shape [1,4]; one of them must be "
            "given, with an entry per dimension.");
}

TEST(GraphcoreViews, SubsampleAndReverse) {
  Model m;
  const auto x = m.input({2, 5}, counting(10));
  const auto y = m.b.op("Subsample", {x}, {{"strides", Integers{1, 2}}});
  expectNear(m.run(y), {1, 3, 5, 6, 8, 10}, 0, 0); // the rest begins with one too
  m.checkGradients(y, {x});
  const auto z = m.b.op("Reverse", {x}, {{"dimensions", Integers{1, 0}}});
  expectNear(m.run(z), {10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 0, 0);
  m.checkGradients(z, {x});
  EXPECT_EQ(messageOf([&] {
              m.b.op("Subsample", {x}, {{"strides", Integers{1, 0}}});
            }),
            "Subsample: strides [1,0] must be 1 or more.");
  const auto r = m.imported("Reshape", {x}, {{"shape", Integers{5, -1}}}, 1, 1, "ai.graphcore")[0];
  EXPECT_EQ(shapeOf(m, r), (Shape{5, 2}));
}

TEST(DynamicOps, ReadAndChangePartsWhereTheIndexSays) {
  const ir::Attributes place{{"axes", Integers{1}}, {"sizes", Integers{2}}};
  for (auto type : {DataType::UINT32, DataType::INT32}) {
    Model m;
    const auto x = m.input({2, 4}, counting(8)), at = m.input({1}, {1}, type);
    const auto u = m.input({2, 2}, {10, 20, 30, 40});
    const auto slice = m.b.op("DynamicSlice", {x, at}, place);
    const auto update = m.b.op("DynamicUpdate", {x, at, u}, place);
    const auto zero = m.b.op("DynamicZero", {x, at}, place);
    const auto sum = m.b.op("DynamicAdd", {x, at, u}, place);
    const auto got = m.run(Values{slice, update, zero, sum, x});
    expectNear(got[0], {2, 3, 6, 7}, 0, 0);
    expectNear(got[1], {1, 10, 20, 4, 5, 30, 40, 8}, 0, 0);
    expectNear(got[2], {1, 0, 0, 4, 5, 0, 0, 8}, 0, 0);
    expectNear(got[3], {1, 12, 23, 4, 5, 36, 47, 8}, 0, 0);
    expectNear(got[4], counting(8), 0, 0); // nothing is changed in place
    m.checkGradients(slice, {x});
    m.checkGradients(update, {x, u}, 5e-3, 0.1);
    m.checkGradients(zero, {x});
    m.checkGradients(sum, {x, u}, 5e-3, 0.1);
  }
  Model m;
  const auto x = m.randomInput({2, 4}), at = m.input({1}, {1}, DataType::UINT32);
  EXPECT_EQ(messageOf([&] {
              m.b.op("DynamicSlice", {x, at}, {{"axes", Integers{1}}, {"sizes", Integers{5}}});
            }),
            "DynamicSlice: a part of 5 along axis 1 of [2,4].");
}

TEST(SequenceSliceOp, CopiesRunsOfRows) {
  for (int zero : {0, 1}) {
    Model m;
    const auto from = m.input({4, 2}, counting(8)), to = m.input({5, 2}, Doubles(10, -1));
    const auto n = m.input({2}, {2, 1}, DataType::UINT32),
               a = m.input({2}, {1, 3}, DataType::UINT32),
               b = m.input({2}, {0, 4}, DataType::UINT32);
    const auto y = m.b.op("SequenceSlice", {from, to, n, a, b}, {{"zeroUnused", number(zero)}});
    const double rest = zero ? 0 : -1;
    expectNear(m.run(y), {3, 4, 5, 6, rest, rest, rest, rest, 7, 8}, 0, 0);
  }
}

TEST(SmallGraphcoreOps, InitBucketizeAndRemap) {
  Model m;
  const auto zeros = m.b.op(
      "Init", {},
      {{"shape", Integers{2, 2}}, {"data_type", std::string("FLOAT16")}, {"init_type", number(1)}});
  EXPECT_EQ(m.graph[zeros].info, TensorInfo(DataType::FLOAT16, {2, 2}));
  expectNear(m.run(zeros), {0, 0, 0, 0}, 0, 0);
  const auto x = m.input({2, 2}, {0.5, 1, 2.5, 9}), bounds = m.input({3}, {1, 2, 3});
  expectNear(m.run(m.b.op("Bucketize", {x, bounds})), {0, 0, 2, 3}, 0, 0);
  expectNear(m.run(m.b.op("Bucketize", {x, bounds}, {{"right", number(1)}})), {0, 1, 2, 3}, 0, 0);
  const auto y = m.b.op("TensorRemap", {x}, {{"remap_type", number(0)}});
  expectNear(m.run(y), m.fed(x), 0, 0);
  m.checkGradients(y, {x});
}
