// SPDX-License-Identifier: MIT
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "poplin/Convolution.hpp"
#include "poplin/MultiConvolution.hpp"
#include "poputil/exceptions.hpp"
#include "Reference_test.hpp"
#include <poplar/exceptions.hpp>
#include <sstream>

using namespace poplin;

namespace {

void expectSum(const Doubles &actual, const Doubles &expected, const Doubles &magnitude,
               poplar::Type type, const std::string &what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    auto tolerance = 1e-5 * magnitude[i] + 1e-30;
    if (type == poplar::HALF)
      tolerance += std::abs(expected[i]) / 2048 + 6e-8;
    ASSERT_NEAR(actual[i], expected[i], tolerance) << what << ", element " << i;
  }
}

enum class Made { Created, Plain }; // by createInput and createWeights, or in the public order

// Forward, input gradient and weight gradient of one convolution, checked after the run.
struct Check {
  std::string what;
  poplar::Type type;
  std::size_t y, dx, dw;
  ConvReference expected;

  Check(Session &s, const std::string &name, const ConvParams &p, Made made)
      : what(name + (made == Made::Created ? ", created" : ", plain")), type(p.outputType) {
    auto plain = [&](Shape shape, const Shape &field, poplar::Type t) {
      shape.insert(shape.end(), field.begin(), field.end());
      return s.graph.addVariable(t, shape, poplar::VariableMappingMethod::LINEAR);
    };
    bool create = made == Made::Created;
    auto x = create ? createInput(s.graph, p)
                    : plain({p.batchSize, p.getNumInputChans()}, p.inputFieldShape, p.inputType);
    auto w =
        create ? createWeights(s.graph, p)
               : plain({p.numConvGroups, p.outputChannelsPerConvGroup, p.inputChannelsPerConvGroup},
                       p.kernelShape, p.inputType);
    auto back = getGradientParams(p);
    auto dy =
        create ? createInput(s.graph, back)
               : plain({p.batchSize, p.getNumOutputChans()}, p.getOutputFieldShape(), p.inputType);
    auto xv = s.random(x.numElements()), wv = s.random(w.numElements()),
         dyv = s.random(dy.numElements());
    s.set(x, xv);
    s.set(w, wv);
    s.set(dy, dyv);
    y = s.output(convolution(s.graph, x, w, p, false, s.prog, "fwd"));
    dx = s.output(convolution(s.graph, dy, w, back, true, s.prog, "bwd"));
    dw = s.output(calculateWeightDeltas(s.graph, dy, x, p, s.prog, "wu"));
    expected = convReference(p, Session::stored(p.inputType, xv), Session::stored(p.inputType, wv),
                             Session::stored(p.inputType, dyv));
  }
  void compare(const Session &s) const {
    expectSum(s.values(y), expected.y, expected.yMagnitude, type, what + ", forward");
    expectSum(s.values(dx), expected.dx, expected.dxMagnitude, type, what + ", input gradient");
    expectSum(s.values(dw), expected.dw, expected.dwMagnitude, type, what + ", weight gradient");
  }
};

ConvParams simple(std::size_t batch, Shape field, Shape kernel, std::size_t in, std::size_t out,
                  std::size_t groups = 1, poplar::Type type = poplar::FLOAT) {
  return ConvParams(type, batch, field, kernel, in, out, groups);
}
ConvParams padded(ConvParams p, unsigned by) {
  for (auto &v : p.inputTransform.paddingLower)
    v = by;
  for (auto &v : p.inputTransform.paddingUpper)
    v = by;
  return p;
}
ConvParams strided(ConvParams p, unsigned by) {
  for (auto &v : p.outputTransform.stride)
    v = by;
  return p;
}

void checkAll(const std::vector<std::pair<std::string, ConvParams>> &cases) {
  Session s;
  std::vector<Check> checks;
  for (const auto &[name, params] : cases)
    for (auto made : {Made::Created, Made::Plain})
      checks.emplace_back(s, name, params, made);
  s.run();
  for (const auto &check : checks)
    check.compare(s);
}

} // namespace

TEST(Convolution, AgreesWithLoopsForFieldsOfAllRanksAndManyChannels) {
  auto half = simple(2, {9, 9}, {3, 3}, 8, 12, 1, poplar::HALF);
  auto mixed = half;
  mixed.outputType = poplar::FLOAT;
  checkAll(
      {{"no field", simple(4, {}, {}, 5, 7)},
       {"1 dimension", simple(2, {17}, {3}, 4, 6)},
       {"2 dimensions", simple(3, {8, 9}, {3, 2}, 5, 7)},
       {"3 dimensions", simple(2, {4, 5, 6}, {2, 3, 2}, 3, 4)},
       {"4 dimensions", simple(1, {3, 4, 3, 5}, {2, 1, 2, 3}, 2, 3)},
       {"1x1", simple(2, {6, 6}, {1, 1}, 32, 48)},
       {"many channels", simple(1, {5, 5}, {3, 3}, 70, 80)},
       {"more outputs than a block", padded(simple(1, {4, 4}, {3, 3}, 16, 200), 1)},
       {"deep", simple(1, {3, 3}, {3, 3}, 600, 16)},
       {"deeper", simple(1, {2, 2}, {1, 1}, 2500, 5)},
       {"rows of the kernel at once", strided(padded(simple(1, {21, 30}, {7, 7}, 3, 64), 3), 2)},
       {"kernel as large as the field", simple(2, {5, 6}, {5, 6}, 3, 4)},
       {"long kernel", simple(1, {3, 60}, {1, 50}, 2, 3)},
       {"half", half},
       {"half, float output", mixed},
       {"half, padded, strided", strided(padded(half, 1), 2)}});
}

namespace {

void checkTransformsOf(const ConvParams &base) {
  std::vector<std::pair<std::string, ConvParams>> cases{
      {"padded", padded(base, 1)},
      {"padded beyond the kernel", padded(base, 4)},
      {"strided", strided(base, 2)},
      {"strided, padded", strided(padded(base, 1), 3)},
      {"stride larger than the field", strided(base, 20)}};
  auto add = [&](const char *name, auto change) {
    auto p = base;
    change(p);
    cases.push_back({name, p});
  };
  add("asymmetric padding", [](auto &p) {
    p.inputTransform.paddingLower = {2, 0};
    p.inputTransform.paddingUpper = {0, 3};
  });
  add("input truncation", [](auto &p) {
    p.inputTransform.truncationLower = {1, 2};
    p.inputTransform.truncationUpper = {2, 0};
  });
  add("kernel dilation", [](auto &p) { p.kernelTransform.dilation = {2, 3}; });
  add("input dilation", [](auto &p) { p.inputTransform.dilation = {2, 3}; });
  add("input dilation and padding", [](auto &p) {
    p.inputTransform.dilation = {2, 2};
    p.inputTransform.paddingLower = {2, 1};
    p.inputTransform.paddingUpper = {1, 2};
  });
  add("dilation that shares factors with the stride", [](auto &p) {
    p.inputTransform.dilation = {4, 2};
    p.kernelTransform.dilation = {2, 3};
    p.outputTransform.stride = {2, 4};
  });
  add("flips", [](auto &p) {
    p.inputTransform.flip = {true, false};
    p.kernelTransform.flip = {false, true};
  });
  add("kernel padding and truncation", [](auto &p) {
    p.kernelTransform.truncationLower = {1, 0};
    p.kernelTransform.paddingLower = {1, 0};
    p.kernelTransform.paddingUpper = {0, 2};
  });
  add("output truncation and padding", [](auto &p) {
    p.outputTransform.truncationLower = {1, 0};
    p.outputTransform.truncationUpper = {0, 2};
    p.outputTransform.paddingLower = {0, 1};
    p.outputTransform.paddingUpper = {2, 0};
  });
  add("everything", [](auto &p) {
    p.inputTransform = {{1, 0}, {0, 1}, {2, 1}, {1, 2}, {0, 1}, {true, false}};
    p.kernelTransform = {{0, 1}, {1, 0}, {1, 2}, {0, 1}, {1, 0}, {false, true}};
    p.outputTransform = {{1, 0}, {0, 1}, {2, 3}, {1, 0}, {0, 1}};
  });
  checkAll(cases);
}

} // namespace

TEST(Convolution, AgreesWithLoopsForTransforms) {
  checkTransformsOf(simple(2, {9, 10}, {3, 3}, 4, 5));
}
TEST(Convolution, AgreesWithLoopsForTransformsOfDepthwiseLayers) {
  checkTransformsOf(simple(2, {9, 10}, {3, 3}, 1, 1, 40));
}

// Channels that fill vectors and blocks of them, and others; rows that fill tiles of outputs, and
// others.
TEST(Convolution, AgreesWithLoopsForDepthwiseLayersOfManySizes) {
  std::vector<std::pair<std::string, ConvParams>> cases;
  for (std::size_t channels : {8, 15, 16, 17, 48, 63, 64, 80, 128, 131})
    for (std::size_t kernel : {1, 3, 5})
      for (unsigned stride : {1, 2})
        cases.push_back({base::str(channels, " channels, kernel ", kernel, ", stride ", stride),
                         strided(padded(simple(1, {5, 7}, {kernel, kernel}, 1, 1, channels),
                                        unsigned(kernel) / 2),
                                 stride)});
  for (std::size_t width = 1; width < 20; ++width)
    cases.push_back(
        {base::str("rows of ", width), padded(simple(2, {2, width}, {3, 3}, 1, 1, 33), 1)});
  for (auto type : {poplar::FLOAT, poplar::HALF}) {
    cases.push_back({"rank 1", padded(simple(2, {20}, {5}, 1, 1, 70, type), 2)});
    cases.push_back({"rank 3", padded(simple(1, {3, 4, 9}, {3, 2, 3}, 1, 1, 20, type), 1)});
  }
  checkAll(cases);
}

TEST(Convolution, AgreesWithLoopsForGroups) {
  checkAll(
      {{"groups", simple(2, {6, 5}, {3, 3}, 3, 4, 5)},
       {"groups of whole vectors", padded(simple(1, {6, 5}, {3, 3}, 16, 32, 3), 1)},
       {"depthwise", padded(simple(2, {7, 7}, {3, 3}, 1, 1, 24), 1)},
       {"depthwise of many channels", padded(strided(simple(2, {9, 7}, {3, 3}, 1, 1, 150), 2), 1)},
       {"half depthwise", padded(simple(1, {5, 6}, {5, 3}, 1, 1, 33, poplar::HALF), 2)},
       {"depthwise with multiplier", strided(simple(2, {7, 7}, {3, 3}, 1, 2, 10), 2)},
       {"half groups", simple(1, {5, 5}, {2, 2}, 2, 3, 4, poplar::HALF)}});
}

TEST(Convolution, AgreesWithLoopsForLayersWithALanePerImage) {
  auto dilated = padded(simple(16, {5, 6}, {3, 3}, 3, 4), 2);
  dilated.inputTransform.dilation = {2, 2};
  auto flipped = padded(simple(16, {5, 6}, {2, 3}, 3, 4), 1);
  flipped.inputTransform.flip = {true, true};
  auto grown = simple(16, {6, 6}, {2, 2}, 2, 3);
  grown.outputTransform.paddingLower = {1, 0};
  grown.outputTransform.paddingUpper = {0, 2};
  checkAll({{"first layer", simple(16, {14, 14}, {3, 3}, 1, 5)},
            {"second layer", simple(16, {9, 9}, {5, 5}, 5, 12)},
            {"padded", padded(simple(32, {7, 6}, {3, 3}, 2, 3), 1)},
            {"vectors of images side by side", padded(simple(64, {5, 6}, {3, 3}, 2, 5), 1)},
            {"images in chunks", simple(128, {24, 22}, {3, 2}, 2, 5)},
            {"strided", strided(padded(simple(16, {8, 9}, {3, 3}, 4, 6), 1), 2)},
            {"1 dimension", padded(simple(48, {20}, {5}, 3, 3), 2)},
            {"3 dimensions", simple(16, {4, 4, 5}, {2, 3, 2}, 2, 2)},
            {"dilated", dilated},
            {"flipped", flipped},
            {"padded output", grown}});
}

TEST(Convolution, AgreesWithLoopsForBatchesThatFillVectorsWithTheirNeighbours) {
  auto dilated = simple(3, {9, 15}, {3, 3}, 2, 3);
  dilated.kernelTransform.dilation = {2, 2};
  checkAll({{"half a vector of images", simple(8, {14, 14}, {3, 3}, 1, 5)},
            {"half a vector, padded", padded(simple(8, {9, 9}, {5, 5}, 5, 12), 2)},
            {"vectors and a half", strided(simple(24, {7, 8}, {3, 3}, 3, 4), 2)},
            {"one image", simple(1, {28, 28}, {3, 3}, 1, 5)},
            {"one image of several channels", simple(1, {9, 24}, {3, 3}, 3, 11)},
            {"rows of one vector", simple(1, {5, 18}, {3, 3}, 2, 3)},
            {"rows of half a vector", simple(1, {5, 12}, {3, 3}, 2, 2)},
            {"rows of several vectors", simple(1, {4, 103}, {2, 4}, 2, 3)},
            {"images side by side", simple(3, {8, 13}, {3, 3}, 2, 5)},
            {"long rows", simple(5, {3, 500}, {2, 2}, 1, 2)},
            {"1 dimension", simple(2, {40}, {5}, 3, 3)},
            {"3 dimensions", simple(2, {4, 4, 12}, {2, 3, 2}, 2, 2)},
            {"dilated", dilated},
            {"one image, padded", padded(simple(1, {9, 20}, {3, 3}, 2, 4), 1)}});
}

TEST(Convolution, IsEmptyOrZeroWhenASizeIsZero) {
  Session s;
  auto none = simple(2, {4, 4}, {3, 3}, 0, 5);
  auto x = createInput(s.graph, none), w = createWeights(s.graph, none);
  auto zeros = s.output(convolution(s.graph, x, w, none, false, s.prog));
  auto noBatch = simple(0, {4, 4}, {3, 3}, 2, 5);
  auto x0 = createInput(s.graph, noBatch), w0 = createWeights(s.graph, noBatch);
  s.set(w0, s.random(w0.numElements()));
  auto y0 = convolution(s.graph, x0, w0, noBatch, false, s.prog);
  EXPECT_EQ(y0.shape(), (Shape{0, 5, 2, 2}));
  auto dw = s.output(calculateWeightDeltas(s.graph, y0, x0, noBatch, s.prog));
  auto noOutputs = simple(2, {4, 4}, {3, 3}, 2, 0);
  auto y1 = convolution(s.graph, createInput(s.graph, noOutputs), createWeights(s.graph, noOutputs),
                        noOutputs, false, s.prog);
  EXPECT_EQ(y1.numElements(), 0u);
  auto noGroups = simple(2, {4, 4}, {3, 3}, 2, 3, 0);
  EXPECT_EQ(convolution(s.graph, createInput(s.graph, noGroups), createWeights(s.graph, noGroups),
                        noGroups, false, s.prog)
                .numElements(),
            0u);
  s.run();
  EXPECT_EQ(s.values(zeros), Doubles(2 * 5 * 2 * 2, 0.));
  EXPECT_EQ(s.values(dw), Doubles(5 * 2 * 9, 0.));
}

TEST(Convolution, GradientsAgreeWithFiniteDifferences) {
  auto p = strided(padded(simple(1, {6, 5}, {3, 3}, 2, 3), 1), 2);
  p.kernelTransform.dilation = {1, 2};
  p.inputTransform.paddingUpper = {1, 2};
  Session s;
  auto xv = s.random(2 * 30), wv = s.random(3 * 2 * 9);
  auto dyv = s.random(3 * count(p.getOutputFieldShape()));
  auto loss = [&](const Doubles &x, const Doubles &w) {
    auto y = convReference(p, x, w, dyv).y;
    return std::inner_product(y.begin(), y.end(), dyv.begin(), 0.);
  };
  auto x = s.input(poplar::FLOAT, {1, 2, 6, 5}, xv),
       w = s.input(poplar::FLOAT, {1, 3, 2, 3, 3}, wv);
  Shape outShape{1, 3};
  for (auto n : p.getOutputFieldShape())
    outShape.push_back(n);
  auto dy = s.input(poplar::FLOAT, outShape, dyv);
  auto dx = s.output(convolution(s.graph, dy, w, getGradientParams(p), true, s.prog));
  auto dw = s.output(calculateWeightDeltas(s.graph, dy, x, p, s.prog));
  s.run();
  const double h = 1e-4;
  for (std::size_t i = 0; i < xv.size(); ++i) {
    auto up = xv, down = xv;
    up[i] += h, down[i] -= h;
    EXPECT_NEAR(s.values(dx)[i], (loss(up, wv) - loss(down, wv)) / (2 * h), 1e-4);
  }
  for (std::size_t i = 0; i < wv.size(); ++i) {
    auto up = wv, down = wv;
    up[i] += h, down[i] -= h;
    EXPECT_NEAR(s.values(dw)[i], (loss(xv, up) - loss(xv, down)) / (2 * h), 1e-4);
  }
}

TEST(Convolution, UpdatesWeightsAndBiasesInPlace) {
  Session s;
  auto p = padded(simple(3, {5, 5}, {3, 3}, 4, 6), 1);
  auto x = createInput(s.graph, p), dy = createInput(s.graph, getGradientParams(p));
  auto xv = s.random(x.numElements()), dyv = s.random(dy.numElements());
  auto wv = s.random(6 * 4 * 9), bv = s.random(6);
  s.set(x, xv);
  s.set(dy, dyv);
  auto w1 = createWeights(s.graph, p), w2 = createWeights(s.graph, p);
  s.set(w1, wv);
  s.set(w2, wv);
  auto scale = s.input(poplar::FLOAT, {}, {-0.25});
  convolutionWeightUpdate(s.graph, dy, w1, x, p, -0.25f, s.prog);
  convolutionWeightUpdate(s.graph, dy, w2, x, p, scale, s.prog);
  auto biases = createBiases(s.graph, dy);
  EXPECT_EQ(biases.shape(), (Shape{6}));
  s.set(biases, bv);
  convolutionBiasUpdate(s.graph, dy, biases, 0.5f, {}, s.prog);
  addBias(s.graph, dy, biases, s.prog);
  auto o1 = s.output(w1), o2 = s.output(w2), ob = s.output(biases), oy = s.output(dy);
  s.run();
  auto r = convReference(p, xv, wv, dyv);
  for (std::size_t i = 0; i < wv.size(); ++i) {
    EXPECT_NEAR(s.values(o1)[i], wv[i] - 0.25 * r.dw[i], 1e-5 * (1 + r.dwMagnitude[i]));
    EXPECT_NEAR(s.values(o2)[i], wv[i] - 0.25 * r.dw[i], 1e-5 * (1 + r.dwMagnitude[i]));
  }
  for (std::size_t c = 0; c < 6; ++c) {
    for (std::size_t b = 0; b < 3; ++b)
      for (std::size_t i = 0; i < 25; ++i)
        bv[c] += 0.5 * dyv[(b * 6 + c) * 25 + i];
    EXPECT_NEAR(s.values(ob)[c], bv[c], 1e-5 * 75);
    for (std::size_t i = 0; i < 25; ++i)
      EXPECT_NEAR(s.values(oy)[c * 25 + i], dyv[c * 25 + i] + bv[c], 1e-5 * 75);
  }
}

TEST(Convolution, AgreesWithLoopsWhateverVertexIsAskedFor) {
  Session s;
  const auto p = strided(padded(simple(2, {7, 9}, {3, 3}, 1, 1, 16, poplar::HALF), 1), 2);
  const auto xv = s.random(2 * 16 * 7 * 9), wv = s.random(16 * 9);
  const auto x = s.input(poplar::HALF, {2, 16, 7, 9}, xv);
  const auto w = s.input(poplar::HALF, {16, 1, 1, 3, 3}, wv);
  const Doubles none(p.batchSize * p.getNumOutputChans() * p.getOutputSize(0) * p.getOutputSize(1));
  const auto expected =
      convReference(p, Session::stored(poplar::HALF, xv), Session::stored(poplar::HALF, wv), none);
  std::vector<std::size_t> outputs;
  for (const char *method : {"AMP", "SLIC", "VMAC", "HMAC"})
    outputs.push_back(s.output(convolution(
        s.graph, x, w, p, false, s.prog, method,
        {{"planConstraints", std::string(R"({"method": {"type": ")") + method + "\"}}"}})));
  s.run();
  for (auto y : outputs)
    expectSum(s.values(y), expected.y, expected.yMagnitude, poplar::HALF, "forward");
}

TEST(Convolution, WritesIntoGivenOutputsAndTransposesWeights) {
  Session s;
  auto p = simple(2, {6, 6}, {3, 3}, 3, 4);
  auto x = s.input(poplar::FLOAT, {2, 3, 6, 6}, s.random(216));
  auto w = s.input(poplar::FLOAT, {1, 4, 3, 3, 3}, s.random(108));
  auto out =
      s.graph.addVariable(poplar::FLOAT, {2, 4, 4, 5}, poplar::VariableMappingMethod::LINEAR);
  auto view = out.slice(1, 5, 3).reverse(2);
  convolutionWithOutput(s.graph, x, w, view, p, false, s.prog);
  auto expected = s.output(convolution(s.graph, x, w, p, false, s.prog)), actual = s.output(view);
  auto flipped =
      s.graph.addVariable(poplar::FLOAT, {1, 3, 4, 3, 3}, poplar::VariableMappingMethod::LINEAR);
  weightsTransposeChansFlipXY(s.graph, w, flipped, s.prog);
  auto dy = convolution(s.graph, x, w, p, false, s.prog);
  auto back = getGradientParams(p);
  auto dx1 = s.output(convolution(s.graph, dy, w, back, true, s.prog));
  auto dx2 = s.output(convolution(s.graph, dy, flipped, back, false, s.prog));
  s.run();
  EXPECT_EQ(s.values(actual), s.values(expected));
  EXPECT_EQ(s.values(dx1), s.values(dx2));
}

TEST(Convolution, DoesNotDependOnTheNumberOfThreads) {
  auto run = [](unsigned threads) {
    base::setNumThreads(threads);
    Session s;
    std::vector<std::size_t> outputs;
    for (const auto &p : {padded(simple(4, {14, 14}, {3, 3}, 32, 40), 1),
                          padded(simple(16, {12, 12}, {3, 3}, 4, 6), 1)}) {
      auto x = createInput(s.graph, p), w = createWeights(s.graph, p);
      s.set(x, s.random(x.numElements()));
      s.set(w, s.random(w.numElements()));
      auto y = convolution(s.graph, x, w, p, false, s.prog);
      outputs.push_back(s.output(y));
      outputs.push_back(s.output(calculateWeightDeltas(s.graph, y, x, p, s.prog)));
    }
    s.run();
    std::vector<Doubles> values;
    for (auto o : outputs)
      values.push_back(s.values(o));
    return values;
  };
  auto one = run(1), three = run(3);
  base::setNumThreads(2);
  EXPECT_EQ(one, three);
}

TEST(Convolution, CountsOperationsWithoutThoseOnZeros) {
  EXPECT_EQ(getFwdFlops(simple(2, {5, 5}, {3, 3}, 4, 6)), 2u * 2 * 9 * 9 * 4 * 6);
  // With padding 1 each side of 5 meets 3 + 2 * 2 / 3 ... : 5 * 3 - 2 = 13 pairs per dimension.
  auto p = padded(simple(2, {5, 5}, {3, 3}, 4, 6), 1);
  EXPECT_EQ(getFwdFlops(p), 2u * 2 * 13 * 13 * 4 * 6);
  EXPECT_EQ(getBwdFlops(p), getFwdFlops(p));
  EXPECT_EQ(getWuFlops(p), getFwdFlops(getGradientParams(p)));
  Session s(64);
  auto half = simple(1, {64, 64}, {1, 1}, 64, 64, 1, poplar::HALF);
  EXPECT_DOUBLE_EQ(getFwdPerfectCycleCount(s.graph, half), 64. * 64 * 64 * 64 / (64 * 64));
  auto single = simple(1, {64, 64}, {1, 1}, 64, 64);
  EXPECT_DOUBLE_EQ(getFwdPerfectCycleCount(s.graph, single), 64. * 64 * 64 * 64 / (64 * 16));
}

TEST(Convolution, ReportsItsPlan) {
  Session s(64);
  auto p = padded(simple(2, {16, 16}, {3, 3}, 16, 32), 1);
  std::ostringstream fwd, wu;
  PlanningCache cache;
  reportPlanInfo(fwd, s.graph, p, {}, &cache);
  reportWeightUpdatePlanInfo(wu, s.graph, p, {}, &cache);
  EXPECT_FALSE(fwd.str().empty());
  EXPECT_FALSE(wu.str().empty());
  auto costs = reportPlanEstimatedCosts(s.graph, p, {}, &cache);
  EXPECT_GE(double(costs.cycles), getFwdPerfectCycleCount(s.graph, p));
  auto detailed = reportDetailedPlanEstimatedCosts(s.graph, p, {}, &cache);
  EXPECT_EQ(detailed.total.cycles, costs.cycles);
  EXPECT_GT(detailed.compute.cycles, 0u);
  EXPECT_LE(detailed.parallelSplit, 64u);
  std::size_t parts = 0, cycles = 0;
  detailed.apply([&](const PlanCosts &part) { ++parts, cycles += part.cycles; }, false);
  EXPECT_EQ(parts, 12u);
  EXPECT_NEAR(double(cycles), double(costs.cycles), 8);
  detailed.apply([](PlanCosts &part) { part = {}; });
  EXPECT_EQ(detailed.total.cycles, PlanCosts::unknown);
  detailed.compute = {12, 34};
  std::ostringstream text;
  text << detailed;
  EXPECT_NE(text.str().find("compute: 12 cycles, 34 bytes\n"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("total: unknown cycles, unknown bytes\n"), std::string::npos);
  poplar::OptionFlags options;
  preplanConvolutions({ConvPlanParams{&s.graph.getTarget(), p, &options}}, cache);
  EXPECT_GT(cache.size(), 0u);
}

TEST(Convolution, RejectsWhatDoesNotFit) {
  Session s;
  using poputil::poplibs_error;
  auto p = simple(2, {6, 6}, {3, 3}, 3, 4);
  auto x = createInput(s.graph, p), w = createWeights(s.graph, p);
  auto f = [&](poplar::Type type, const Shape &shape) {
    return s.graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR);
  };
  EXPECT_THROW(convolution(s.graph, f(poplar::FLOAT, {2, 3, 6, 7}), w, p, false, s.prog),
               poplibs_error);
  EXPECT_THROW(convolution(s.graph, f(poplar::HALF, {2, 3, 6, 6}), w, p, false, s.prog),
               poplibs_error);
  EXPECT_THROW(convolution(s.graph, x, f(poplar::FLOAT, {1, 4, 3, 3}), p, false, s.prog),
               poplibs_error);
  EXPECT_THROW(convolution(s.graph, x, w, p, true, s.prog), poplibs_error);
  EXPECT_THROW(
      convolutionWithOutput(s.graph, x, w, f(poplar::FLOAT, {2, 4, 4, 3}), p, false, s.prog),
      poplibs_error);
  EXPECT_THROW(calculateWeightDeltas(s.graph, f(poplar::FLOAT, {2, 4, 6, 6}), x, p, s.prog),
               poplibs_error);
  EXPECT_THROW(addBias(s.graph, x, f(poplar::FLOAT, {4}), s.prog), poplibs_error);
  EXPECT_THROW(createInput(s.graph, simple(2, {2, 2}, {3, 3}, 3, 4)), poplibs_error);
  EXPECT_THROW(createInput(s.graph, simple(2, {6, 6}, {3, 3}, 3, 4, 1, poplar::INT)),
               poplibs_error);
  auto toQuarter = simple(2, {6, 6}, {3, 3}, 3, 4, 1, poplar::HALF);
  toQuarter.outputType = poplar::QUARTER;
  EXPECT_THROW(createInput(s.graph, toQuarter), poplibs_error);
  poplar::OptionFlags bad;
  bad.set("numIPUs", "2");
  EXPECT_THROW(createInput(s.graph, p, "x", bad), poplar::invalid_option);
  EXPECT_THROW(convolutionValidateOptions(bad), poplar::invalid_option);
}

TEST(MultiConvolution, GivesTheSameNumbersAsSeparateConvolutions) {
  Session s(64);
  for (const char *type : {"parallel", "serial"}) {
    poplar::OptionFlags options;
    options.set("planType", type);
    std::vector<multiconv::CreateTensorArgs> tensors{
        {padded(simple(2, {8, 8}, {3, 3}, 8, 16), 1), {}, "a"},
        {simple(2, {4, 4}, {1, 1}, 4, 4), {}, "b"}};
    std::vector<multiconv::ConvolutionArgs> args;
    for (unsigned i = 0; i < 2; ++i) {
      auto x = multiconv::createInput(s.graph, tensors, i, options);
      auto w = multiconv::createWeights(s.graph, tensors, i, options);
      s.set(x, s.random(x.numElements()));
      s.set(w, s.random(w.numElements()));
      args.push_back({x, w, tensors[i].params, {}});
    }
    auto together = multiconv::convolution(s.graph, args, false, s.prog, "multi", options);
    std::vector<multiconv::CalculateWeightDeltasArgs> deltaArgs;
    for (unsigned i = 0; i < 2; ++i)
      deltaArgs.push_back({together[i], args[i].inputs, args[i].params, {}});
    auto deltas = multiconv::calculateWeightDeltas(s.graph, deltaArgs, s.prog, "wu", options);
    std::vector<std::size_t> outputs;
    for (unsigned i = 0; i < 2; ++i) {
      auto y = convolution(s.graph, args[i].inputs, args[i].weights, args[i].params, false, s.prog);
      outputs.push_back(s.output(together[i]));
      outputs.push_back(s.output(y));
      outputs.push_back(s.output(deltas[i]));
      outputs.push_back(
          s.output(calculateWeightDeltas(s.graph, y, args[i].inputs, args[i].params, s.prog)));
    }
    s.run();
    for (std::size_t i = 0; i < outputs.size(); i += 2)
      EXPECT_EQ(s.values(outputs[i]), s.values(outputs[i + 1])) << type << " " << i;
  }
  poplar::OptionFlags bad;
  bad.set("planType", "sideways");
  EXPECT_THROW(multiconv::createInput(s.graph, {{simple(1, {2}, {1}, 1, 1), {}, "x"}}, 0, bad),
               poplar::invalid_option);
}

namespace {
// How often a superstep of this name is in the profile of a run of the program.
unsigned timesExecuted(Session &s, const poplar::program::Program &program, const char *name) {
  poplar::Engine engine(s.graph, program, {{"debug.instrument", "true"}});
  engine.load(s.device);
  engine.run();
  std::stringstream text;
  engine.printProfileSummary(text, {{"showExecutionSteps", "true"}});
  unsigned times = 0;
  for (std::string line; std::getline(text, line);)
    times += line.find(name) != std::string::npos;
  return times;
}
} // namespace

// Side by side, each convolution's vertices keep the type that its own partials give them.
TEST(MultiConvolution, VerticesAreNamedByEachConvolutionsPartials) {
  Session s(64);
  const std::string partials[] = {"float", "half"};
  std::vector<multiconv::CreateTensorArgs> tensors;
  for (const auto &type : partials) {
    tensors.push_back({ConvParams(poplar::HALF, 1, {8, 8}, {3, 3}, 16, 16, 1),
                       {{"partialsType", type}},
                       "conv of " + type});
  }
  std::vector<multiconv::ConvolutionArgs> args;
  for (unsigned i = 0; i < 2; ++i)
    args.push_back({multiconv::createInput(s.graph, tensors, i),
                    multiconv::createWeights(s.graph, tensors, i), tensors[i].params,
                    tensors[i].options});
  multiconv::convolution(s.graph, args, false, s.prog, "multi", {{"planType", "parallel"}});
  poplar::Engine engine(s.graph, s.prog, {{"debug.instrument", "true"}});
  engine.load(s.device);
  engine.run();
  std::stringstream text;
  engine.printProfileSummary(text, {{"showExecutionSteps", "true"}});
  const auto summary = text.str();
  for (const auto &type : partials)
    EXPECT_TRUE(summary.find("half," + type) != std::string::npos) << type << "\n" << summary;
}

TEST(MultiConvolution, UpdatesAllWeightsInOneSuperstepOrEachAfterItsGradient) {
  for (const char *type : {"parallel", "serial"}) {
    Session s(64);
    poplar::OptionFlags options;
    options.set("planType", type);
    std::vector<multiconv::CreateTensorArgs> tensors{
        {padded(simple(2, {8, 8}, {3, 3}, 8, 16), 1), {}, "a"},
        {simple(2, {4, 4}, {1, 1}, 4, 4), {}, "b"}};
    auto scale = s.input(poplar::FLOAT, {}, {-0.5});
    std::vector<multiconv::ConvWeightUpdateArgs> args;
    std::vector<std::size_t> updated, expected;
    for (unsigned i = 0; i < 2; ++i) {
      const auto &p = tensors[i].params;
      auto x = multiconv::createInput(s.graph, tensors, i, options);
      auto w = multiconv::createWeights(s.graph, tensors, i, options);
      auto same = s.graph.clone(w);
      auto values = s.random(w.numElements());
      s.set(x, s.random(x.numElements()));
      s.set(w, values);
      s.set(same, values);
      auto dy = convolution(s.graph, x, w, p, false, s.prog);
      convolutionWeightUpdate(s.graph, dy, same, x, p, scale, s.prog, "alone");
      args.push_back({dy, w, x, scale, p, {}});
      updated.push_back(s.output(w)), expected.push_back(s.output(same));
    }
    poplar::program::Sequence together;
    multiconv::convolutionWeightUpdate(s.graph, args, together, "together", options);
    s.prog.add(together);
    s.run();
    for (unsigned i = 0; i < 2; ++i)
      EXPECT_EQ(s.values(updated[i]), s.values(expected[i])) << type << " " << i;
    EXPECT_EQ(timesExecuted(s, together, "AddScaled"), type == std::string("serial") ? 2u : 1u);
    args[0].scale = s.input(poplar::FLOAT, {2}, {1, 2});
    EXPECT_THROW(multiconv::convolutionWeightUpdate(s.graph, args, together, "bad", options),
                 poputil::poplibs_error);
  }
}
