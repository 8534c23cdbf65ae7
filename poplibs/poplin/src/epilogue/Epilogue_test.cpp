// SPDX-License-Identifier: MIT
// Products and convolutions with an epilogue against double loops: every activation, types, odd
// shapes, groups, both storages of activations, bias and addend in any order of memory.
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "conv/Reference_test.hpp"
#include "epilogue/Finish.hpp"
#include "openipu/Epilogue.hpp"
#include "poplin/Convolution.hpp"
#include "poplin/MatMul.hpp"
#include "popops/ElementWise.hpp"
#include "poputil/exceptions.hpp"
#include <poplar/CycleCount.hpp>

using namespace poplin;
using openipu::Activation;
using openipu::Epilogue;

namespace {

const std::vector<Activation> activations{
    Activation::None, Activation::Relu,    Activation::Gelu,  Activation::GeluErf,
    Activation::Tanh, Activation::Sigmoid, Activation::Swish, Activation::Relu6};

double activated(Activation activation, double x) {
  switch (activation) {
  case Activation::None:
    return x;
  case Activation::Relu:
    return std::max(0., x);
  case Activation::Gelu:
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  case Activation::GeluErf:
    return 0.5 * x * (1 + std::erf(x / std::sqrt(2)));
  case Activation::Tanh:
    return std::tanh(x);
  case Activation::Swish:
    return x / (1 + std::exp(-x));
  case Activation::Relu6:
    return std::clamp(x, 0., 6.);
  default:
    return 1 / (1 + std::exp(-x));
  }
}

void expectFinished(const Doubles &actual, Doubles sums, const Doubles &magnitude, Activation f,
                    poplar::Type type, const std::string &what) {
  ASSERT_EQ(actual.size(), sums.size()) << what;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const auto expected = activated(f, sums[i]);
    auto tolerance = 1.2e-5 * (magnitude[i] + 1);
    if (type == poplar::HALF)
      tolerance += std::abs(expected) / 2000 + 6e-8;
    ASSERT_NEAR(actual[i], expected, tolerance) << what << ", element " << i;
  }
}

// What is added: nothing, a bias, an addend (as stored or the other way round), both; or both with
// an addend that nobody needs afterwards: the host puts the result in its place.
enum class Added { None, Bias, Addend, Turned, Both, Passing };
const std::vector<Added> allAdded{Added::None,   Added::Bias, Added::Addend,
                                  Added::Turned, Added::Both, Added::Passing};
bool hasBias(Added added) {
  return added == Added::Bias || added == Added::Both || added == Added::Passing;
}
bool hasAddend(Added added) {
  return added == Added::Addend || added == Added::Both || added == Added::Passing;
}
// A copy, which lives no longer than the steps that use it.
poplar::Tensor passing(Session &s, const poplar::Tensor &t) {
  auto copy = s.graph.clone(t);
  s.prog.add(poplar::program::Copy(t, copy));
  return copy;
}

struct Check {
  std::size_t output;
  Doubles sums, magnitudes;
  Activation activation;
  poplar::Type type;
  std::string what;
};

struct ProductSizes {
  std::size_t g, m, k, n;
};

Check product(Session &s, ProductSizes z, poplar::Type in, poplar::Type out, bool turned,
              Added added, Activation f) {
  auto a = s.random(z.g * z.m * z.k), b = s.random(z.g * z.k * z.n), bias = s.random(z.g * z.n);
  auto addend = s.random(z.g * z.m * z.n);
  auto ta = s.input(in, {z.g, z.m, z.k}, a);
  auto tb = s.graph.addVariable(in, turned ? Shape{z.g, z.n, z.k} : Shape{z.g, z.k, z.n},
                                poplar::VariableMappingMethod::LINEAR);
  if (turned)
    tb = tb.dimShuffle({0, 2, 1});
  s.set(tb, b);
  Epilogue epilogue{{}, {}, f};
  if (hasBias(added))
    epilogue.bias = s.input(out, {z.g * z.n}, bias);
  if (added == Added::Turned) {
    epilogue.addend =
        s.graph.addVariable(out, {z.g, z.n, z.m}, poplar::VariableMappingMethod::LINEAR)
            .dimShuffle({0, 2, 1});
    s.set(*epilogue.addend, addend);
  } else if (hasAddend(added))
    epilogue.addend = s.input(out, {z.g, z.m, z.n}, addend);
  if (added == Added::Passing)
    epilogue.addend = passing(s, *epilogue.addend);
  auto y = z.g == 1
               ? openipu::matMul(
                     s.graph, ta[0], tb[0], out,
                     {epilogue.bias,
                      epilogue.addend ? std::optional((*epilogue.addend)[0]) : std::nullopt, f},
                     s.prog, "product")
               : openipu::matMulGrouped(s.graph, ta, tb, out, epilogue, s.prog, "product");
  Check check{s.output(added == Added::Passing ? passing(s, y) : y),
              {},
              {},
              f,
              out,
              base::str(z.g, "x", z.m, "x", z.k, "x", z.n, turned ? " turned" : "", ", added ",
                        int(added), ", activation ", int(f))};
  const auto sa = Session::stored(in, a), sb = Session::stored(in, b),
             sBias = Session::stored(out, bias), sAddend = Session::stored(out, addend);
  for (std::size_t i = 0; i < z.g * z.m * z.n; ++i) {
    const auto g = i / (z.m * z.n), row = i / z.n % z.m, column = i % z.n;
    double sum = (epilogue.bias ? sBias[g * z.n + column] : 0) + (epilogue.addend ? sAddend[i] : 0),
           magnitude = 0;
    for (std::size_t l = 0; l < z.k; ++l) {
      const auto p = sa[(g * z.m + row) * z.k + l] * sb[(g * z.k + l) * z.n + column];
      sum += p;
      magnitude += std::abs(p);
    }
    check.sums.push_back(sum);
    check.magnitudes.push_back(magnitude);
  }
  return check;
}

Check convolved(Session &s, const std::string &name, const ConvParams &p, Added added,
                Activation f) {
  auto x = createInput(s.graph, p), w = createWeights(s.graph, p);
  auto xv = s.random(x.numElements()), wv = s.random(w.numElements());
  s.set(x, xv);
  s.set(w, wv);
  const auto channels = p.getNumOutputChans();
  Shape shape{p.batchSize, channels};
  for (auto size : p.getOutputFieldShape())
    shape.push_back(size);
  auto bias = s.random(channels), addend = s.random(count(shape));
  Epilogue epilogue{{}, {}, f};
  if (hasBias(added))
    epilogue.bias = s.input(p.outputType, {channels}, bias);
  if (added == Added::Turned)
    epilogue.addend = s.input(p.outputType, shape, addend);
  else if (hasAddend(added)) {
    epilogue.addend = createConvOutput(s.graph, p); // as the output itself lies
    s.set(*epilogue.addend, addend);
  }
  if (added == Added::Passing)
    epilogue.addend = passing(s, *epilogue.addend);
  auto y = openipu::convolution(s.graph, x, w, p, false, epilogue, s.prog, "conv");
  Check check{
      s.output(added == Added::Passing ? passing(s, y) : y),           {}, {}, f, p.outputType,
      base::str(name, ", added ", int(added), ", activation ", int(f))};
  auto r = convReference(p, Session::stored(p.inputType, xv), Session::stored(p.inputType, wv),
                         Doubles(count(shape)));
  const auto sBias = Session::stored(p.outputType, bias),
             sAddend = Session::stored(p.outputType, addend);
  const auto field = count(shape) / p.batchSize / channels;
  for (std::size_t i = 0; i < r.y.size(); ++i)
    r.y[i] +=
        (epilogue.bias ? sBias[i / field % channels] : 0) + (epilogue.addend ? sAddend[i] : 0);
  check.sums = r.y, check.magnitudes = r.yMagnitude;
  return check;
}

void compare(Session &s, const std::vector<Check> &checks) {
  s.run();
  for (const auto &c : checks)
    expectFinished(s.values(c.output), c.sums, c.magnitudes, c.activation, c.type, c.what);
}

// Every kind of addition with some activation, every activation with some addition.
template <class Make> void forAll(const Make &make) {
  for (std::size_t i = 0; i < allAdded.size(); ++i)
    make(allAdded[i], activations[(i + 1) % activations.size()]);
  for (std::size_t i = 0; i < activations.size(); ++i)
    make(allAdded[(i * 2 + 3) % allAdded.size()], activations[i]);
  for (auto activation : {Activation::None, Activation::Relu})
    make(Added::Passing, activation);
}

ConvParams conv(poplar::Type type, std::size_t batch, Shape field, Shape kernel, std::size_t in,
                std::size_t out, std::size_t groups = 1) {
  return ConvParams(type, batch, field, kernel, in, out, groups);
}
ConvParams padded(ConvParams p, unsigned by) {
  p.inputTransform.paddingLower.assign(p.kernelShape.size(), by);
  p.inputTransform.paddingUpper.assign(p.kernelShape.size(), by);
  return p;
}

} // namespace

// Far from zero too, where exponentials overflow, and in vectors that are not full.
TEST(Epilogue, ActivationsAgreeWithDoublesEverywhere) {
  for (auto activation : activations)
    if (auto loop = activationLoop(activation))
      for (std::size_t n : {1, 15, 16, 401}) {
        std::vector<float> values(n);
        for (std::size_t i = 0; i < n; ++i)
          values[i] = float(i % 20) * (i % 2 ? -0.41f : 0.37f) * float(1 + i / 20);
        auto results = values;
        loop(results.data(), n);
        for (std::size_t i = 0; i < n; ++i) {
          const auto expected = activated(activation, double(values[i]));
          ASSERT_NEAR(results[i], expected, 2e-6 * std::abs(expected) + 2e-7)
              << "activation " << int(activation) << " of " << values[i];
        }
      }
  const float infinity = std::numeric_limits<float>::infinity();
  float ends[] = {infinity, NAN, -infinity};
  activationLoop(Activation::Sigmoid)(ends, 3);
  EXPECT_EQ(ends[0], 1);
  EXPECT_TRUE(std::isnan(ends[1]));
  EXPECT_EQ(ends[2], 0);
  float swished[] = {infinity, NAN};
  activationLoop(Activation::Swish)(swished, 2);
  EXPECT_EQ(swished[0], infinity);
  EXPECT_TRUE(std::isnan(swished[1]));
}

TEST(Epilogue, OfMatrixProductsAgreesWithLoops) {
  Session s;
  std::vector<Check> checks;
  for (ProductSizes z : std::vector<ProductSizes>{{1, 1, 1, 1},
                                                  {1, 1, 70, 33},
                                                  {1, 3, 40, 64},
                                                  {1, 16, 300, 100},
                                                  {1, 40, 64, 64},
                                                  {1, 300, 9, 130},
                                                  {1, 40, 600, 100},
                                                  {1, 16, 972, 100},
                                                  {1, 5, 0, 4},
                                                  {3, 9, 20, 17},
                                                  {2, 32, 48, 32}})
    for (auto [in, out, turned] : std::vector<std::tuple<poplar::Type, poplar::Type, bool>>{
             {poplar::FLOAT, poplar::FLOAT, false},
             {poplar::FLOAT, poplar::FLOAT, true},
             {poplar::HALF, poplar::HALF, true}})
      forAll([&, in = in, out = out, turned = turned](Added added, Activation f) {
        checks.push_back(product(s, z, in, out, turned, added, f));
      });
  compare(s, checks);
}

TEST(Epilogue, OfConvolutionsAgreesWithLoops) {
  Session s;
  std::vector<Check> checks;
  for (const auto &[name, p] : std::vector<std::pair<std::string, ConvParams>>{
           {"whole vectors", padded(conv(poplar::FLOAT, 2, {5, 6}, {3, 3}, 16, 32), 1)},
           {"odd", conv(poplar::FLOAT, 1, {7, 5}, {2, 3}, 5, 7)},
           {"more than a block", conv(poplar::FLOAT, 1, {3, 3}, {1, 1}, 20, 150)},
           {"deep", padded(conv(poplar::FLOAT, 1, {3, 3}, {3, 3}, 600, 16), 1)},
           {"groups", padded(conv(poplar::FLOAT, 2, {4, 4}, {3, 3}, 3, 5, 4), 1)},
           {"depthwise", padded(conv(poplar::FLOAT, 2, {4, 11}, {3, 3}, 1, 1, 80), 1)},
           {"depthwise, odd", padded(conv(poplar::FLOAT, 1, {3, 4}, {3, 5}, 1, 1, 43), 2)},
           {"depthwise, few channels", padded(conv(poplar::FLOAT, 1, {3, 4}, {3, 3}, 1, 1, 9), 1)},
           {"depthwise, one output", conv(poplar::FLOAT, 1, {3, 3}, {3, 3}, 1, 1, 32)},
           {"half depthwise", padded(conv(poplar::HALF, 1, {3, 4}, {3, 3}, 1, 1, 35), 1)},
           {"outputs of nothing", padded(conv(poplar::FLOAT, 1, {2, 2}, {1, 1}, 3, 16), 2)},
           {"no field", conv(poplar::FLOAT, 3, {}, {}, 5, 9)},
           {"lane per image", conv(poplar::FLOAT, 32, {6, 5}, {3, 3}, 2, 5)},
           {"lane per image, padded", padded(conv(poplar::FLOAT, 16, {4, 9}, {3, 3}, 3, 11), 1)},
           {"half a lane per image", padded(conv(poplar::FLOAT, 8, {4, 9}, {3, 3}, 3, 11), 1)},
           {"lanes in a row", conv(poplar::FLOAT, 1, {4, 30}, {3, 3}, 2, 5)},
           {"lanes of images in a row", conv(poplar::FLOAT, 3, {4, 9}, {2, 2}, 2, 3)},
           {"half", padded(conv(poplar::HALF, 2, {4, 5}, {3, 3}, 8, 24), 1)},
           {"half, odd", conv(poplar::HALF, 1, {4, 5}, {2, 2}, 3, 5)}})
    forAll([&, name = name, p = p](Added added, Activation f) {
      checks.push_back(convolved(s, name, p, added, f));
    });
  compare(s, checks);
}

TEST(Epilogue, DoesNotDependOnTheNumberOfThreads) {
  auto run = [](unsigned threads) {
    base::setNumThreads(threads);
    Session s;
    std::vector<Check> checks;
    checks.push_back(product(s, {1, 300, 20, 200}, poplar::FLOAT, poplar::FLOAT, false, Added::Both,
                             Activation::Gelu));
    checks.push_back(convolved(s, "", padded(conv(poplar::FLOAT, 2, {20, 20}, {3, 3}, 4, 48), 1),
                               Added::Both, Activation::Relu));
    checks.push_back(convolved(s, "", padded(conv(poplar::FLOAT, 2, {9, 20}, {3, 3}, 1, 1, 150), 1),
                               Added::Bias, Activation::Swish));
    s.run();
    return std::tuple(s.values(checks[0].output), s.values(checks[1].output),
                      s.values(checks[2].output));
  };
  const auto before = base::numThreads();
  const auto one = run(1), three = run(3);
  base::setNumThreads(before);
  EXPECT_EQ(one, three);
}

namespace {

std::uint64_t cycles(const std::function<void(Session &)> &build) {
  Session s(64);
  build(s);
  auto words = s.run(poplar::cycleCount(s.graph, s.prog, 0, poplar::SyncType::INTERNAL));
  return std::uint64_t(words[0]) + (std::uint64_t(words[1]) << 32);
}

} // namespace

// One operation costs more than the bare product and less than the parts one after the other: what
// they save is syncs.
TEST(Epilogue, CostsItsVerticesAndNoFurtherSyncs) {
  auto a = [](Session &s) {
    return createMatMulInputLHS(s.graph, poplar::FLOAT, poplar::FLOAT, {64, 96}, {96, 80}, "x");
  };
  auto b = [](Session &s) {
    return createMatMulInputRHS(s.graph, poplar::FLOAT, poplar::FLOAT, {64, 96}, {96, 80}, "x");
  };
  auto bias = [](Session &s) {
    return s.graph.addVariable(poplar::FLOAT, {80}, poplar::VariableMappingMethod::LINEAR);
  };
  const auto bare = cycles([&](Session &s) { matMul(s.graph, a(s), b(s), s.prog); });
  const auto fused = cycles([&](Session &s) {
    openipu::matMul(s.graph, a(s), b(s), poplar::FLOAT, {bias(s), {}, Activation::Relu}, s.prog);
  });
  const auto apart = cycles([&](Session &s) {
    auto y = matMul(s.graph, a(s), b(s), s.prog);
    popops::addInPlace(s.graph, y, bias(s).expand({0}), s.prog);
    popops::mapInPlace(s.graph, popops::expr::UnaryOpType::RELU, y, s.prog);
  });
  EXPECT_GT(fused, bare + 50);
  EXPECT_LT(fused, apart);
}

TEST(Epilogue, RefusesShapesAndTypesThatDoNotFit) {
  Session s;
  auto a = s.input(poplar::FLOAT, {3, 4}, s.random(12)),
       b = s.input(poplar::FLOAT, {4, 5}, s.random(20));
  auto message = [&](const Epilogue &e) -> std::string {
    try {
      openipu::matMul(s.graph, a, b, poplar::FLOAT, e, s.prog);
    } catch (const poputil::poplibs_error &error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({s.graph.addVariable(poplar::FLOAT, {3}), {}, Activation::None}),
            "poplin::matMul: the bias of the epilogue is float of shape [3], the result asks for "
            "float of shape [5].");
  EXPECT_EQ(message({{}, s.graph.addVariable(poplar::HALF, {3, 5}), Activation::None}),
            "poplin::matMul: the addend of the epilogue is half of shape [1,3,5], the result asks "
            "for float of shape [1,3,5].");
}
