// SPDX-License-Identifier: MIT
// Conv, ConvTranspose and their gradients against plain loops over any number of dimensions.
#include "indices.hpp"
#include "model.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

Shape joined(std::initializer_list<std::int64_t> head, const Shape &tail) {
  Shape out(head);
  out.insert(out.end(), tail.begin(), tail.end());
  return out;
}

struct Case {
  std::string name;
  Shape x, w, y;
  ir::Attributes attributes;
  Shape strides, dilations, lower; // what the attributes mean
  std::int64_t group = 1;
};

// f(offset in x, in w, in y) for every product of the convolution.
template <class F> void products(const Case &c, F &&f) {
  const Shape kernel(c.w.begin() + 2, c.w.end());
  const std::int64_t perGroup = c.w[0] / c.group;
  forEach(c.y, [&](const Shape &y) {
    for (std::int64_t i = 0; i < c.w[1]; ++i)
      forEach(kernel, [&](const Shape &k) {
        Shape at{y[0], y[1] / perGroup * c.w[1] + i};
        for (std::size_t d = 0; d < k.size(); ++d)
          at.push_back(y[d + 2] * c.strides[d] + k[d] * c.dilations[d] - c.lower[d]);
        for (std::size_t d = 0; d < k.size(); ++d)
          if (at[d + 2] < 0 || at[d + 2] >= c.x[d + 2])
            return;
        f(offset(c.x, at), offset(c.w, joined({y[1], i}, k)), offset(c.y, y));
      });
  });
}

const std::vector<Case> &cases() {
  static const std::vector<Case> all = {
      {"plain", {2, 3, 5, 6}, {4, 3, 3, 2}, {2, 4, 3, 5}, {}, {1, 1}, {1, 1}, {0, 0}},
      {"padded, strided",
       {1, 2, 7, 5},
       {3, 2, 3, 3},
       {1, 3, 4, 2},
       {{"pads", ir::Integers{1, 0, 1, 1}}, {"strides", ir::Integers{2, 2}}},
       {2, 2},
       {1, 1},
       {1, 0}},
      {"one dimension", {2, 2, 9}, {3, 2, 4}, {2, 3, 6}, {}, {1}, {1}, {0}},
      {"three dimensions",
       {1, 2, 3, 4, 3},
       {2, 2, 2, 2, 2},
       {1, 2, 3, 3, 1},
       {{"pads", ir::Integers{1, 0, 0, 0, 0, 0}}, {"strides", ir::Integers{1, 1, 2}}},
       {1, 1, 2},
       {1, 1, 1},
       {1, 0, 0}},
      {"groups, dilated",
       {1, 4, 6, 6},
       {6, 2, 3, 2},
       {1, 6, 2, 5},
       {{"group", std::int64_t(2)},
        {"dilations", ir::Integers{2, 1}},
        {"kernel_shape", ir::Integers{3, 2}}},
       {1, 1},
       {2, 1},
       {0, 0},
       2},
      {"SAME_UPPER",
       {1, 1, 5, 6},
       {1, 1, 2, 3},
       {1, 1, 3, 3},
       {{"auto_pad", std::string("SAME_UPPER")}, {"strides", ir::Integers{2, 2}}},
       {2, 2},
       {1, 1},
       {0, 0}},
      {"SAME_LOWER",
       {1, 1, 5, 6},
       {1, 1, 2, 3},
       {1, 1, 3, 3},
       {{"auto_pad", std::string("SAME_LOWER")}, {"strides", ir::Integers{2, 2}}},
       {2, 2},
       {1, 1},
       {1, 1}},
      {"VALID",
       {1, 1, 5, 6},
       {1, 1, 2, 3},
       {1, 1, 2, 2},
       {{"auto_pad", std::string("VALID")}, {"strides", ir::Integers{2, 2}}},
       {2, 2},
       {1, 1},
       {0, 0}},
  };
  return all;
}

} // namespace

TEST(ConvOp, GivesTheSumsOfPlainLoops) {
  for (const auto &c : cases())
    for (auto type : {DataType::FLOAT, DataType::FLOAT16}) {
      Model m;
      const auto x = m.randomInput(c.x, -1, 1, type), w = m.randomInput(c.w, -1, 1, type),
                 b = m.randomInput({c.w[0]}, -1, 1, type);
      const auto y = m.imported("Conv", {x, w, b}, c.attributes, 11)[0];
      ASSERT_EQ(m.graph[y].info, TensorInfo(type, c.y)) << c.name;
      Doubles want;
      forEach(c.y, [&](const Shape &i) { want.push_back(m.fed(b)[std::size_t(i[1])]); });
      const auto xs = m.fed(x), ws = m.fed(w);
      products(c, [&](auto i, auto j, auto k) { want[k] += xs[i] * ws[j]; });
      const double precision = type == DataType::FLOAT ? 1e-5 : 2e-3;
      SCOPED_TRACE(c.name);
      expectNear(m.run(y), want, precision, precision);
    }
}

TEST(ConvOp, Differentiates) {
  for (const auto &c : cases()) {
    Model m;
    m.options.training = true;
    const auto x = m.randomInput(c.x), w = m.randomInput(c.w), b = m.randomInput({c.w[0]});
    SCOPED_TRACE(c.name);
    m.checkGradients(m.b.op("Conv", {x, w, b}, c.attributes), {x, w, b});
  }
}

// Gradients are linear in dy: those of the gradients are convolutions again.
TEST(ConvOp, DifferentiatesItsGradients) {
  const Case &c = cases()[1];
  Model m;
  const auto dy = m.randomInput(c.y), x = m.randomInput(c.x);
  auto attributes = c.attributes;
  attributes.set("kernel", ir::Integers{3, 3});
  m.checkGradients(m.b.op("ConvWeightGrad", {dy, x}, attributes), {dy, x});
}

TEST(ConvTransposeOp, IsTheTransposeOfAConvolution) {
  for (auto c : cases()) {
    if (c.attributes.has("auto_pad"))
      continue;
    Model m;
    const auto dy = m.randomInput(c.y), w = m.randomInput(c.w), b = m.randomInput({c.x[1]});
    ir::Integers extra;
    for (std::size_t d = 0; d + 2 < c.x.size(); ++d) // what strides left over
      extra.push_back((c.x[d + 2] + c.lower[d] +
                       c.attributes.find<ir::Integers>("pads").value_or(
                           ir::Integers(2 * c.strides.size(), 0))[d + c.strides.size()] -
                       (c.w[d + 2] - 1) * c.dilations[d] - 1) %
                      c.strides[d]);
    c.attributes.set("output_padding", extra);
    const auto x = m.b.op("ConvTranspose", {dy, w, b}, c.attributes);
    SCOPED_TRACE(c.name);
    ASSERT_EQ(m.graph[x].info.shape(), c.x);
    Doubles want;
    forEach(c.x, [&](const Shape &i) { want.push_back(m.fed(b)[std::size_t(i[1])]); });
    const auto ys = m.fed(dy), ws = m.fed(w);
    products(c, [&](auto i, auto j, auto k) { want[i] += ys[k] * ws[j]; });
    expectNear(m.run(x), want, 1e-5, 1e-5);
    m.checkGradients(x, {dy, w, b});
  }
}

// The examples of the ONNX documentation: an input 0..8 and weights of ones.
TEST(ConvTransposeOp, FindsPaddingForAnOutputShape) {
  const Doubles want{0, 0, 1,  1, 3,  2, 2, 0, 0, 1,  1, 3,  2, 2, 0, 0, 1,  1, 3,  2, 2,
                     3, 3, 7,  4, 9,  5, 5, 3, 3, 7,  4, 9,  5, 5, 3, 3, 7,  4, 9,  5, 5,
                     6, 6, 13, 7, 15, 8, 8, 6, 6, 13, 7, 15, 8, 8, 6, 6, 13, 7, 15, 8, 8};
  struct Form {
    ir::Attributes attributes;
    Shape shape;
  };
  for (const auto &[attributes, shape] :
       std::vector<Form>{{{{"strides", ir::Integers{3, 2}}}, {1, 1, 9, 7}},
                         {{{"strides", ir::Integers{3, 2}}, {"output_shape", ir::Integers{10, 8}}},
                          {1, 1, 10, 8}},
                         {{{"strides", ir::Integers{3, 2}}, {"output_padding", ir::Integers{1, 1}}},
                          {1, 1, 10, 8}},
                         {{{"strides", ir::Integers{3, 2}},
                           {"output_shape", ir::Integers{10, 8}},
                           {"kernel_shape", ir::Integers{3, 3}},
                           {"output_padding", ir::Integers{1, 1}}},
                          {1, 1, 10, 8}}}) {
    Model m;
    const auto x = m.input({1, 1, 3, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8}),
               w = m.constant({1, 1, 3, 3}, Doubles(9, 1));
    const auto y = m.b.op("ConvTranspose", {x, w}, attributes);
    ASSERT_EQ(m.graph[y].info.shape(), shape);
    const auto got = m.run(y);
    for (std::size_t r = 0; r < std::size_t(shape[2]); ++r)
      for (std::size_t c = 0; c < std::size_t(shape[3]); ++c)
        EXPECT_EQ(got[r * std::size_t(shape[3]) + c], r < 9 && c < 7 ? want[r * 7 + c] : 0);
  }
}

TEST(ConvTransposeOp, PadsSoThatTheOutputIsStridesTimesTheInput) {
  struct Form {
    std::string mode;
    std::int64_t lower, upper; // cut from the 5 elements the kernel reaches
  };
  for (const auto &[mode, lower, upper] :
       std::vector<Form>{{"SAME_UPPER", 0, 1}, {"SAME_LOWER", 1, 0}}) {
    Model m;
    const auto x = m.input({1, 1, 2}, {1, 10}), w = m.constant({1, 1, 3}, {1, 2, 3});
    const Doubles all{1, 2, 13, 20, 30};
    expectNear(
        m.run(m.b.op("ConvTranspose", {x, w}, {{"strides", ir::Integers{2}}, {"auto_pad", mode}})),
        Doubles(all.begin() + lower, all.end() - upper));
  }
}

TEST(ConvOp, RefusesWhatDoesNotFit) {
  struct Bad {
    std::string type;
    Shape x, w;
    ir::Attributes attributes;
    std::string message;
  };
  for (const auto &[type, x, w, attributes, message] : std::vector<Bad>{
           {"Conv",
            {1, 3, 5, 5},
            {4, 2, 3, 3},
            {},
            "Conv: weights FLOAT [4,2,3,3] with group 1 take 2 channels; the input FLOAT "
            "[1,3,5,5] has 3."},
           {"Conv",
            {1, 2, 5, 5},
            {4, 2, 3, 3},
            {{"kernel_shape", ir::Integers{3, 5}}},
            "Conv: kernel_shape [3,5] differs from that of the weights FLOAT [4,2,3,3]."},
           {"Conv",
            {1, 2, 2, 5},
            {4, 2, 3, 3},
            {},
            "Conv: a kernel [3,3] with dilations [1,1] does not fit the field [2,5] with pads "
            "[0,0] and [0,0]."},
           {"Conv",
            {1, 2, 5, 5},
            {4, 2, 3, 3},
            {{"strides", ir::Integers{0, 1}}},
            "Conv: strides [0,1] must be at least 1 everywhere."},
           {"ConvTranspose",
            {1, 2, 5, 5},
            {2, 2, 3, 3},
            {{"auto_pad", std::string("VALID")}, {"output_shape", ir::Integers{9, 9}}},
            "ConvTranspose: output_shape and auto_pad \"VALID\" exclude each other. Leave one of "
            "them out."}}) {
    Model m;
    const auto a = m.randomInput(x), b = m.randomInput(w);
    try {
      m.b.op(type, {a, b}, attributes);
      FAIL() << message;
    } catch (const error &e) {
      EXPECT_EQ(e.what(), message);
    }
  }
}

TEST(ConvOp, AnEmptyBatchGivesAnEmptyBatch) {
  Model m;
  const auto x = m.input({0, 2, 5, 5}, {}), w = m.randomInput({3, 2, 3, 3});
  EXPECT_TRUE(m.run(m.b.op("Conv", {x, w})).empty());
}
