// SPDX-License-Identifier: MIT
#include "../norm/TestLayouts.hpp"
#include "PoolPlan.hpp"
#include "popnn/Pooling.hpp"
#include "poputil/exceptions.hpp"
#include <sstream>

namespace {

using poplar::FLOAT;
using poplar::HALF;
using popnn::PoolingType;
using popnn::pooling::PoolParams;

Shape withBatch(const PoolParams &p, const Shape &field) {
  Shape shape{p.batchSize, p.numChannels};
  shape.insert(shape.end(), field.begin(), field.end());
  return shape;
}

// Calls body(plane, output element, input element) for every input that an output sees.
template <class Body> void forTaps(const PoolParams &p, Body body) {
  auto out = p.getOutputFieldShape();
  auto outs = count(out), kernels = count(p.kernelShape), ins = count(p.inputFieldShape);
  for (std::size_t plane = 0; plane < p.batchSize * p.numChannels; ++plane)
    for (std::size_t o = 0; o < outs; ++o)
      for (std::size_t k = 0; k < kernels; ++k) {
        std::size_t input = 0, restO = o, restK = k, scale = 1;
        bool inside = true;
        for (std::size_t d = out.size(); d-- > 0;) {
          auto position = std::int64_t(restO % out[d] * p.stride[d] + restK % p.kernelShape[d]) -
                          p.inputTruncationOrPaddingLower[d];
          auto first = std::max(0, -p.inputTruncationOrPaddingLower[d]);
          auto last =
              std::int64_t(p.inputFieldShape[d]) - std::max(0, -p.inputTruncationOrPaddingUpper[d]);
          inside = inside && position >= first && position < last;
          input += std::size_t(std::max<std::int64_t>(0, position)) * scale;
          scale *= p.inputFieldShape[d];
          restO /= out[d];
          restK /= p.kernelShape[d];
        }
        if (inside)
          body(plane * outs + o, plane * ins + input);
      }
}

Doubles pooled(const PoolParams &p, const Doubles &x) {
  auto n = count(withBatch(p, p.getOutputFieldShape()));
  bool max = p.poolingType == PoolingType::MAX;
  Doubles out(n, max ? -1e30 : 0), taps(n, 0);
  forTaps(p, [&](std::size_t o, std::size_t i) {
    out[o] = max ? std::max(out[o], x[i]) : out[o] + x[i];
    ++taps[o];
  });
  for (std::size_t o = 0; o < n && p.poolingType == PoolingType::AVG; ++o)
    out[o] = taps[o] ? out[o] / taps[o] : 0;
  return out;
}

enum class Equals { AllHave, Share, FirstHas };
Doubles gradient(const PoolParams &p, const Doubles &x, const Doubles &y, const Doubles &g,
                 Equals equals = Equals::AllHave) {
  Doubles dx(x.size(), 0), taps(g.size(), 0), equal(g.size(), 0), seen(g.size(), 0);
  forTaps(p, [&](std::size_t o, std::size_t i) {
    ++taps[o];
    equal[o] += x[i] == y[o];
  });
  forTaps(p, [&](std::size_t o, std::size_t i) {
    if (p.poolingType == PoolingType::MAX)
      dx[i] += x[i] != y[o]                                  ? 0
               : equals == Equals::FirstHas && seen[o]++ > 0 ? 0
               : equals == Equals::Share                     ? g[o] / equal[o]
                                                             : g[o];
    else
      dx[i] += p.poolingType == PoolingType::AVG ? g[o] / taps[o] : g[o];
  });
  return dx;
}

struct Geometry {
  Shape field, kernel;
  std::vector<unsigned> stride;
  std::vector<int> lower, upper;
  std::size_t channels, batch;
};

const std::vector<Geometry> geometries = {
    {{6}, {2}, {2}, {0}, {0}, 3, 2},
    {{9}, {3}, {1}, {1}, {1}, 1, 1},
    {{1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 2, 1},
    {{8, 6}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, 5, 16},
    {{7, 7}, {7, 7}, {1, 1}, {0, 0}, {0, 0}, 20, 3},    // kernel = field
    {{8, 9}, {3, 2}, {2, 1}, {1, 0}, {1, 1}, 4, 2},     // overlapping, padded
    {{9, 8}, {2, 3}, {3, 4}, {0, 1}, {0, 0}, 4, 2},     // gaps between windows
    {{10, 9}, {3, 3}, {2, 2}, {-1, 1}, {-2, -1}, 3, 3}, // truncated
    {{5, 7}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, 37, 2},    // lanes that fill no whole vectors
    {{7, 25}, {2, 2}, {2, 2}, {0, 0}, {-1, 0}, 3, 2},   // pairs, with a row and a column left over
    {{3, 71}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, 2, 1},    // rows of several vectors
    {{4, 5, 6}, {2, 3, 2}, {2, 1, 2}, {0, 1, 0}, {0, 1, 0}, 3, 2},
    {{3, 2, 3, 2}, {2, 1, 2, 2}, {1, 1, 1, 1}, {1, 0, 0, 0}, {0, 0, 0, 0}, 2, 1}};

TEST(Pooling, CountsWhatTheWindowsHave) {
  for (int field = 1; field < 7; ++field)
    for (int kernel = 1; kernel < 5; ++kernel)
      for (int stride = 1; stride < 4; ++stride)
        for (int lower = -3; lower < 5; ++lower)
          for (int upper = -3; upper < 5; ++upper) {
            if (field + lower + upper < kernel)
              continue;
            const popnn::pooling::PoolParams p(PoolingType::MAX, {std::size_t(field)},
                                               {std::size_t(kernel)}, {unsigned(stride)}, {lower},
                                               {upper}, 1, 1, FLOAT);
            std::uint64_t taps = 0;
            forTaps(p, [&](auto...) { ++taps; });
            EXPECT_EQ(popnn::pooling::getFwdFlops(p), taps)
                << field << ' ' << kernel << ' ' << stride << ' ' << lower << ' ' << upper;
          }
}

TEST(Pooling, ForwardAndBackwardAgreeWithPlainLoops) {
  Session s;
  struct Pending {
    PoolParams p;
    Doubles x, g;
    unsigned layout;
    std::vector<std::size_t> outputs;
  };
  std::vector<Pending> pending;
  for (auto type : {FLOAT, HALF})
    for (auto pooling : {PoolingType::MAX, PoolingType::AVG, PoolingType::SUM})
      for (const auto &geometry : geometries)
        for (unsigned layout = 0; layout < 4; ++layout) {
          PoolParams p(pooling, geometry.field, geometry.kernel, geometry.stride, geometry.lower,
                       geometry.upper, geometry.channels, geometry.batch, type);
          auto inShape = withBatch(p, p.inputFieldShape),
               outShape = withBatch(p, p.getOutputFieldShape());
          auto x = s.integers(count(inShape), -4, 4); // equal elements on purpose
          auto g = s.integers(count(outShape), -8, 8);
          auto orders = activationOrders(unsigned(inShape.size()));
          auto make = [&](const Shape &shape, const Doubles &v) {
            return layout < 3 ? inOrder(s, type, shape, orders[layout], v)
                              : awkward(s, type, shape, v);
          };
          auto t = make(inShape, x), gradient = make(outShape, g);
          auto y = popnn::pooling::pool(s.graph, p, t, s.prog);
          EXPECT_EQ(y.shape(), outShape);
          Pending c{p, x, g, layout, {s.output(y)}};
          for (bool scaled : {false, true})
            c.outputs.push_back(s.output(
                popnn::pooling::poolInputGradient(s.graph, p, t, y, gradient, scaled, s.prog)));
          c.outputs.push_back(s.output(
              popnn::pooling::poolInputGradient(s.graph, p, t, y, gradient, false, s.prog, {},
                                                {{"gradientToFirstMaximum", "true"}})));
          if (pooling != PoolingType::MAX)
            c.outputs.push_back(
                s.output(popnn::pooling::poolInputGradient(s.graph, p, 1, gradient, s.prog)));
          pending.push_back(std::move(c));
        }
  s.run();
  for (const auto &c : pending) {
    std::stringstream text;
    text << c.p << " layout " << c.layout;
    SCOPED_TRACE(text.str());
    bool half = c.p.dType == HALF;
    double rel = half ? 1e-3 : 1e-6, abs = half ? 1e-2 : 1e-5;
    auto y = pooled(c.p, c.x);
    expectClose(s.values(c.outputs[0]), y, rel, abs);
    expectClose(s.values(c.outputs[1]), gradient(c.p, c.x, y, c.g), rel, abs);
    expectClose(s.values(c.outputs[2]), gradient(c.p, c.x, y, c.g, Equals::Share), rel, abs);
    expectClose(s.values(c.outputs[3]), gradient(c.p, c.x, y, c.g, Equals::FirstHas), rel, abs);
    if (c.outputs.size() > 4)
      expectClose(s.values(c.outputs[4]), gradient(c.p, c.x, y, c.g), rel, abs);
  }
}

TEST(Pooling, WindowsOfPaddingOnlyAreEmpty) {
  Session s;
  PoolParams max(PoolingType::MAX, {2}, {1}, {1}, {1}, {0}, 1, 1, FLOAT);
  PoolParams average(PoolingType::AVG, {2}, {1}, {1}, {1}, {0}, 1, 1, FLOAT);
  auto t = s.input(FLOAT, {1, 1, 2}, {3, 4});
  auto a = s.output(popnn::pooling::pool(s.graph, average, t, s.prog));
  auto m = s.output(popnn::pooling::pool(s.graph, max, t, s.prog));
  s.run();
  EXPECT_EQ(s.values(a), (Doubles{0, 3, 4}));
  EXPECT_EQ(s.values(m), (Doubles{0, 3, 4}));
}

// A row and a column of padding around negative values; single planes and lanes of channels.
TEST(Pooling, TheMaximumOfPaddingIsZero) {
  Session s;
  std::vector<std::size_t> outputs;
  for (std::size_t channels : {1, 3, 40})
    for (auto type : {FLOAT, HALF}) {
      PoolParams p(PoolingType::MAX, {2, 3}, {1, 1}, {1, 1}, {1, 0}, {0, 1}, channels, 1, type);
      auto x = inOrder(s, type, {1, channels, 2, 3}, {0, 2, 3, 1}, Doubles(6 * channels, -2));
      outputs.push_back(s.output(popnn::pooling::pool(s.graph, p, x, s.prog)));
    }
  s.run();
  for (auto output : outputs)
    for (std::size_t i = 0; i < s.values(output).size(); ++i)
      EXPECT_EQ(s.values(output)[i], i % 12 < 4 || i % 4 == 3 ? 0 : -2) << i;
}

TEST(Pooling, CountsOperationsOfRealElementsOnly) {
  PoolParams sum(PoolingType::SUM, {4, 4}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, 3, 2, FLOAT);
  EXPECT_EQ(popnn::pooling::getFwdFlops(sum), 2u * 3 * 16);
  PoolParams padded(PoolingType::AVG, {2}, {3}, {1}, {1}, {1}, 1, 1, FLOAT);
  EXPECT_EQ(popnn::pooling::getFwdFlops(padded), 4u + 2u);
  Session s(4);
  EXPECT_DOUBLE_EQ(popnn::pooling::getFwdPerfectCycleCount(s.graph, sum), 96.0 / (4 * 2));
  const unsigned most = std::numeric_limits<std::int32_t>::max(); // at once
  popnn::pooling::PoolParams wide(PoolingType::MAX, {most}, {1}, {1}, {int(most)}, {int(most)}, 1,
                                  1, FLOAT);
  EXPECT_EQ(popnn::pooling::getFwdFlops(wide), most);
}

TEST(Pooling, WorkerCyclesFollowTheFormula) {
  // Two groups of channels, three rows of four outputs, six vectors each.
  EXPECT_EQ(popnn::pooling::poolWorkerCycles(PoolingType::MAX, popnn::pooling::Direction::Forward,
                                             2, 3, 4, 6),
            17u + (4 + 12) * 2 + 3 * (13 + 4 * (20 + 2 * (4 + 3 * 6))));
  EXPECT_EQ(popnn::pooling::poolWorkerCycles(PoolingType::MAX, popnn::pooling::Direction::Backward,
                                             1, 1, 1, 2),
            17u + 5 + 13 + 20 + 7 + 10);
}

TEST(Pooling, OptionsChangeThePlanOrAreRefused) {
  Session s(64);
  // One output per plane from a large field: the kernel is split between tiles.
  PoolParams p(PoolingType::SUM, {64, 64}, {64, 64}, {1, 1}, {0, 0}, {0, 0}, 4, 1, HALF);
  auto cycles = [&](popnn::pooling::PoolOptions options) {
    auto plan =
        popnn::pooling::poolPlan(s.graph, p, options, {popnn::pooling::Direction::Forward, 4, 64});
    EXPECT_EQ(plan.steps.size(), 2u);
    return plan.steps.back().tiles.at(0).bytesIn;
  };
  EXPECT_EQ(cycles({true, false, true}), 2 * cycles({true, false, false}));
  EXPECT_THROW(popnn::pooling::parsePoolOptions({{"optimiseForSpeed", "true"}}),
               poplar::invalid_option);
  EXPECT_THROW(popnn::pooling::parsePoolOptions({{"optimizeForSpeed", "yes"}}),
               poplar::invalid_option);
  auto few = s.graph.addVariable(HALF, {1, 4, 64, 64}, "few");
  s.graph.setTileMapping(few, 5);
  PoolParams halves(PoolingType::SUM, {64, 64}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, 4, 1, HALF);
  auto near = popnn::pooling::pool(s.graph, halves, few, s.prog);
  auto far = popnn::pooling::pool(s.graph, halves, few, s.prog, {},
                                  {{"poolUseIntrospectiveMapping", "false"}});
  EXPECT_EQ(s.graph.getTileMapping(near)[5].size(), 1u);
  EXPECT_FALSE(s.graph.getTileMapping(far)[40].empty());
}

TEST(Pooling, RefusesWhatDoesNotFit) {
  Session s;
  auto message = [](auto call) {
    try {
      call();
    } catch (const poputil::poplibs_error &e) {
      return std::string(e.what());
    }
    return std::string("nothing thrown");
  };
  PoolParams p(PoolingType::MAX, {4, 4}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, 3, 2, FLOAT);
  auto t = s.input(FLOAT, {2, 3, 4, 5}, Doubles(120)),
       pooled = s.input(FLOAT, {2, 3, 2, 2}, Doubles(24));
  EXPECT_EQ(message([&] { popnn::pooling::pool(s.graph, p, t, s.prog); }),
            "popnn::pooling::pool: in is float[2,3,4,5]; the parameters say float[2,3,4,4]");
  PoolParams big(PoolingType::MAX, {4, 4}, {2, 9}, {2, 2}, {0, 0}, {0, 0}, 3, 2, FLOAT);
  EXPECT_EQ(message([&] { big.getOutputFieldShape(); }),
            "popnn::pooling::PoolParams: kernel [2,9] is larger than the field [4,4] with padding "
            "[0,0] and [0,0] in dimension 1");
  PoolParams uneven(PoolingType::MAX, {4, 4}, {2}, {2, 2}, {0, 0}, {0, 0}, 3, 2, FLOAT);
  EXPECT_NE(
      message([&] { popnn::pooling::pool(s.graph, uneven, t, s.prog); }).find("must have as many"),
      std::string::npos);
  EXPECT_NE(message([&] {
              popnn::pooling::poolInputGradient(s.graph, p, 1, pooled, s.prog);
            }).find("needs the activations"),
            std::string::npos);
}

} // namespace
