// SPDX-License-Identifier: MIT
#include "popnn/codelets.hpp"
#include "popnn/NamedVertices.hpp"
#include "Session.hpp"

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

TEST(PopnnNamedVertices, OtherNamesHaveNoSource) {
  for (const char *name :
       {"popnn::NonLinearity3D<float,popnn::NonLinearityType::GELU>",
        "popnn::NonLinearity1D<int,popnn::NonLinearityType::GELU>",
        "popnn::NonLinearity1D<float,popnn::NonLinearityType::SOFTMAX>", "NonLinearity1D"})
    EXPECT_EQ(popnn::vertexSource(name), "") << name;
}

} // namespace
