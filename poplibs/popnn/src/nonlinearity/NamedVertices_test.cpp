// SPDX-License-Identifier: MIT
#include "popnn/codelets.hpp"
#include "popnn/NamedVertices.hpp"
#include "Session.hpp"
#include <poplar/exceptions.hpp>

namespace {

const std::string gelu = ",popnn::NonLinearityType::GELU>",
                  relu = ",popnn::NonLinearityType::RELU>";

TEST(PopnnNamedVertices, ComputeWhatTheyAreNamedFor) {
  Session s;
  popnn::addCodelets(s.graph);
  auto cs = s.graph.addComputeSet("vertices");
  auto place = [&](const std::string &name) {
    auto v = s.graph.addVertex(cs, name);
    s.graph.setTileMapping(v, 0);
    return v;
  };
  Doubles x = {-2, -0.5, 0.25, 3, 1};
  auto data = s.input(poplar::FLOAT, {5}, x);
  auto out = s.input(poplar::FLOAT, {5}, Doubles(5));
  auto forward = place("popnn::NonLinearity1D<float" + gelu);
  s.graph.connect(forward["data"], data);
  s.graph.connect(forward["out"], out);
  auto halves = s.input(poplar::HALF, {2, 4}, {-1, 2, -3, 4, 5, -6, 7, -8});
  auto inPlace = place("popnn::NonLinearity2DInPlace<half" + relu);
  s.graph.connect(inPlace["data"], halves);
  auto inGrad = s.input(poplar::FLOAT, {5}, Doubles(5));
  auto outGrad = s.input(poplar::FLOAT, {5}, {1, 2, 3, 4, 5});
  auto backward = place("popnn::NonLinearityGrad1D<float" + relu);
  s.graph.connect(backward["outGrad"], outGrad);
  s.graph.connect(backward["out"], data);
  s.graph.connect(backward["inGrad"], inGrad);
  s.prog.add(poplar::program::Execute(cs));
  auto a = s.output(out), b = s.output(halves), c = s.output(inGrad);
  s.run();
  Doubles expected;
  for (double v : x)
    expected.push_back(v * 0.5 * (1 + std::tanh(0.7978845608 * v * (1 + 0.044715 * v * v))));
  expectClose(s.values(a), expected, 1e-5, 1e-6);
  EXPECT_EQ(s.values(b), (Doubles{0, 2, 0, 4, 5, 0, 7, 0}));
  EXPECT_EQ(s.values(c), (Doubles{0, 0, 3, 4, 5}));
}

TEST(PopnnNamedVertices, TakeTheCyclesOfTheirFormula) {
  Session s;
  popnn::addCodelets(s.graph);
  auto cs = s.graph.addComputeSet("vertices");
  auto data = s.input(poplar::FLOAT, {100}, Doubles(100)),
       out = s.input(poplar::FLOAT, {100}, Doubles(100));
  auto one = s.graph.addVertex(cs, "popnn::NonLinearity1D<float" + gelu);
  s.graph.connect(one["data"], data);
  s.graph.connect(one["out"], out);
  // 50 vectors of two, 9 on the slowest worker: op 10, vec 10.
  EXPECT_EQ(s.graph.getPerfEstimate(one).cycles, 9u + 6 * (20 + (2 + 10 + 8 * 10 + 1 + 10)));
  EXPECT_EQ(s.graph.getPerfEstimate(one).flops, 800u);
  auto two = s.graph.addVertex(cs, "popnn::NonLinearity2DInPlace<half" + relu);
  s.graph.connect(two["data"], s.input(poplar::HALF, {2, 8}, Doubles(16)));
  // Two vectors of four in each region: op 1, vec 1.
  EXPECT_EQ(s.graph.getPerfEstimate(two).cycles, 14u + 2 * (9 + (2 + 1 + 1 + 1 + 1)));
}

TEST(PopnnNamedVertices, OfOtherNamesHaveNoSource) {
  const auto &all = popnn::namedVertices();
  EXPECT_EQ(all.source("popnn::Somersault<float>"), "");
  EXPECT_EQ(all.source("NonLinearity1D"), "");
  for (const char *name :
       {"popnn::NonLinearity3D<float,popnn::NonLinearityType::GELU>",
        "popnn::NonLinearity1D<int,popnn::NonLinearityType::GELU>",
        "popnn::NonLinearity1D<float,popnn::NonLinearityType::SOFTMAX>", "popnn::MaxPooling<float>",
        "popnn::SumPooling<half>", "popnn::CalcAccuracy<unsigned int>",
        "popnn::LossCrossEntropyTransform<float>", "popnn::CTCAlpha<half,half,unsigned int,true>"})
    EXPECT_THROW(all.source(name), poplar::unknown_vertex_type) << name;
}

TEST(PopnnNamedVertices, WithFieldsThatAreNotPublicNameTheCallToUse) {
  Session s;
  popnn::addCodelets(s.graph);
  try {
    s.graph.addVertex(s.graph.addComputeSet("cs"), "popnn::MaxPoolingGradientScale<float>");
    FAIL() << "the vertex was added";
  } catch (const poplar::unknown_vertex_type &e) {
    EXPECT_STREQ(e.what(), "Vertex \"popnn::MaxPoolingGradientScale<float>\" cannot be added by "
                           "name: the layout of its fields is not public. Call "
                           "popnn::pooling::poolInputGradient.");
  }
}

} // namespace
