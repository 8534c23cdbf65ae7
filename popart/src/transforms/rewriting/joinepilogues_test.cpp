// SPDX-License-Identifier: MIT
#include "model.hpp"
#include "transforms/rewriting/joinepilogues.hpp"

namespace popart::testing {

namespace {

struct Case {
  std::string product; // Conv, ConvDataGrad or MatMul
  Shape a, b;
  std::string activation;
  bool bias = true, addend = true;
  std::int64_t group = 1;
  DataType type = DataType::FLOAT;
};

// product, sum with a bias, sum with an addend, activation
Value build(Model &m, const Case &c) {
  const Value a = m.randomInput(c.a, -1, 1, c.type), b = m.randomInput(c.b, -1, 1, c.type);
  ir::Attributes attributes;
  if (c.product != "MatMul")
    attributes.set("group", c.group);
  Value y = m.b.op(c.product == "ConvDataGrad" ? "ConvTranspose" : c.product, {a, b}, attributes);
  const Shape shape = m.graph[y].info.shape();
  if (c.bias)
    y = m.b.add(m.randomInput(c.product == "MatMul" ? Shape{shape.back()} : Shape{shape[1], 1, 1},
                              -1, 1, c.type),
                y);
  if (c.addend)
    y = m.b.add(y, m.randomInput(shape, -1, 1, c.type));
  return c.activation.empty() ? y : m.b.op(c.activation, {y});
}

const Shape image{2, 4, 6, 5}, kernel{6, 4, 3, 3};

} // namespace

TEST(Epilogue, JoinsWhatFollowsAProduct) {
  for (const auto &c :
       std::vector<Case>{{"Conv", image, kernel, "Relu"},
                         {"Conv", image, {6, 2, 3, 3}, "Tanh", true, false, 2},
                         {"Conv", image, kernel, "", false, true},
                         {"Conv", image, kernel, "GeluErf", false, false},
                         {"Conv", image, kernel, "Relu", true, true, 1, DataType::FLOAT16},
                         {"ConvDataGrad", image, {4, 3, 3, 3}, "Sigmoid"},
                         {"MatMul", {3, 5, 7}, {7, 4}, "Gelu"},
                         {"MatMul", {5, 7}, {7, 4}, "Relu", true, false, 1, DataType::FLOAT16},
                         {"MatMul", {2, 3, 5, 7}, {2, 1, 7, 4}, "Tanh"},
                         {"MatMul", {7, 3}, {2, 3, 4}, "", true, false}}) {
    SCOPED_TRACE(c.product + " " + c.activation);
    Model m;
    const Value y = build(m, c);
    const auto before = m.run(y);
    EXPECT_EQ(transforms::joinEpilogues(m.graph, {y}),
              unsigned(c.bias) + unsigned(c.addend) + unsigned(!c.activation.empty()));
    EXPECT_EQ(m.order(), "Epilogue" + c.product);
    const double rounding = c.type == DataType::FLOAT16 ? 1e-2 : 1e-5;
    expectNear(m.run(y), before, rounding, rounding);
  }
}

TEST(Epilogue, TakesTheBiasOfAConvolution) {
  Model m;
  const Value y = m.b.op("Conv", {m.randomInput(image), m.randomInput(kernel), m.randomInput({6})});
  const auto before = m.run(y);
  EXPECT_EQ(transforms::joinEpilogues(m.graph, {y}), 0u);
  EXPECT_EQ(m.order(), "EpilogueConv");
  expectNear(m.run(y), before);
}

// Two products of one sum: the first takes it, the second is its addend.
TEST(Epilogue, TakesASumOnce) {
  Model m;
  const Value a = m.randomInput({4, 5}), b = m.randomInput({5, 6}), c = m.randomInput({5, 6});
  const Value y = m.b.op("Relu", {m.b.add(m.b.matmul(a, b), m.b.matmul(a, c))});
  const auto before = m.run(y);
  EXPECT_EQ(transforms::joinEpilogues(m.graph, {y}), 2u);
  EXPECT_EQ(m.order(), "MatMul EpilogueMatMul");
  expectNear(m.run(y), before);
}

// Of a longer sum, every product takes a part.
TEST(Epilogue, SplitsSums) {
  for (int others : {0, 1, 2}) {
    Model m;
    const Value a = m.randomInput({4, 5});
    Values terms;
    for (int i = 0; i < others; ++i)
      terms.push_back(m.randomInput({4, 6}));
    for (int i = 0; i < 3; ++i)
      terms.push_back(m.b.matmul(a, m.randomInput({5, 6})));
    const Value seen = m.b.matmul(a, m.randomInput({5, 6})); // has to be there in any case
    terms.push_back(seen);
    const Value y = m.b.op("Sum", terms);
    const auto before = m.run(Values{y, seen});
    transforms::joinEpilogues(m.graph, {y, seen});
    EXPECT_EQ(m.order(), std::string("MatMul ") + (others ? "Sum " : "") +
                             "EpilogueMatMul EpilogueMatMul EpilogueMatMul");
    const auto after = m.run(Values{y, seen});
    expectNear(after[0], before[0]);
    EXPECT_EQ(after[1], before[1]);
  }
}

TEST(Epilogue, LeavesWhatOthersSee) {
  for (int what = 0; what < 8; ++what) {
    SCOPED_TRACE(what);
    Model m;
    if (what == 6)
      m.b.settings.extra.set("__serialize_matmul_mode", std::string("input_channels"));
    const Value p = m.b.matmul(m.randomInput({4, 5}), m.randomInput({5, 6}));
    if (what == 1)
      m.b.neg(p); // another user
    if (what == 2)
      m.b.settings.virtualGraph = 1;
    if (what == 3)
      m.b.settings.pipelineStage = 1;
    if (what == 4)
      m.b.pass = ir::Pass::Backward;
    if (what == 5)
      m.b.settings.recompute = ir::Recompute::Recompute;
    const Value y = m.b.op("Relu", {p});
    const std::set<Value> kept = what == 7 ? std::set{y, p} : std::set{y};
    EXPECT_EQ(transforms::joinEpilogues(m.graph, kept), what ? 0u : 1u);
  }
}

// Of these, only the gradient of Gelu looks at its input.
TEST(Epilogue, InTrainingKeepsWhatGradientsNeed) {
  for (const std::string activation : {"Relu", "Tanh", "Sigmoid", "Gelu"}) {
    SCOPED_TRACE(activation);
    Model m;
    const Value x = m.randomInput({4, 5}), w = m.randomInput({5, 6}), bias = m.randomInput({6});
    const Value y = m.b.op(activation, {m.b.add(m.b.matmul(x, w), bias)});
    const Value loss = m.b.reduceSum(m.b.square(y), {0, 1}, false);
    const auto g = autodiff::differentiate(m.graph, {loss, m.b.scalar(1, loss), {x, w, bias}});
    const Values all{loss, g.at(x), g.at(w), g.at(bias)};
    const auto before = m.run(all);
    EXPECT_EQ(transforms::joinEpilogues(m.graph, {all.begin(), all.end()}),
              activation == "Gelu" ? 1u : 2u);
    const auto after = m.run(all);
    for (std::size_t i = 0; i < all.size(); ++i)
      expectNear(after[i], before[i]);
  }
}

} // namespace popart::testing
