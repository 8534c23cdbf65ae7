// SPDX-License-Identifier: MIT
// Halves that are too large: on an IPU the largest half, or NaN where the program or an option asks
// for it; infinity on the IPU Model. Infinities that come from outside stay.
#include "popops/Cast.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Reduce.hpp"
#include "popops/ScaledAdd.hpp"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <poplar/CSRFunctions.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

using namespace poplar;
using namespace poplar::program;
namespace pe = popops::expr;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

Device ipu() {
  for (auto &device : DeviceManager().getDevices(TargetType::IPU, 1))
    if (device.attach())
      return std::move(device);
  throw std::runtime_error("no IPU is free");
}

// What `build` makes of x = {-inf, -10000, 3, 10000, inf}, as floats.
using Build = std::function<Tensor(Graph &, Sequence &, const Tensor &)>;
std::vector<float> results(const Device &device, const Build &build, Sequence before = {},
                           const OptionFlags &options = {}) {
  Graph graph(device.getTarget());
  auto x = graph.addVariable(HALF, {5}, VariableMappingMethod::LINEAR, "x");
  Sequence prog{before};
  auto y = build(graph, prog, x);
  auto out = popops::cast(graph, y, FLOAT, prog, "asFloat");
  graph.createHostWrite("x", x);
  graph.createHostRead("y", out);
  Engine engine(graph, prog, options);
  engine.load(device);
  const float from[] = {-infinity, -10000, 3, 10000, infinity};
  std::uint16_t halves[5];
  copyFloatToDeviceHalf(device.getTarget(), from, halves, 5);
  engine.writeTensor("x", halves, halves + 5);
  engine.run();
  std::vector<float> got(out.numElements());
  engine.readTensor("y", got.data(), got.data() + got.size());
  return got;
}

Tensor squared(Graph &graph, Sequence &prog, const Tensor &x) {
  return popops::square(graph, x, prog, "square");
}
bool nan(float x) { return std::isnan(x); }

} // namespace

TEST(HalfOverflow, IsTheLargestHalfOnAnIpuAndInfiniteOnTheModel) {
  const auto device = ipu();
  EXPECT_EQ(results(device, squared), (std::vector<float>{infinity, 65504, 9, 65504, infinity}));
  const auto negative = [](Graph &graph, Sequence &prog, const Tensor &x) {
    return popops::mul(graph, x.slice(1, 4), -10000.0f, prog, "scaled");
  };
  EXPECT_EQ(results(device, negative), (std::vector<float>{65504, -30000, -65504}));
  EXPECT_EQ(results(IPUModel().createDevice(), squared),
            (std::vector<float>{infinity, infinity, 9, infinity, infinity}));
}

TEST(HalfOverflow, IsNanWhereTheProgramOrAnOptionAsks) {
  const auto device = ipu();
  Graph graph(device.getTarget());
  const auto byOption = results(device, squared, {}, {{"debug.nanOverflowMode", "true"}});
  EXPECT_TRUE(nan(byOption[1]) && nan(byOption[3]));
  EXPECT_EQ(byOption[0], infinity);
  EXPECT_EQ(byOption[2], 9);
  const auto byProgram = results(device, [](Graph &g, Sequence &prog, const Tensor &x) {
    setFloatingPointBehaviour(g, prog, {false, false, false, false, true}, "nanoo");
    return squared(g, prog, x);
  });
  EXPECT_TRUE(nan(byProgram[1]) && nan(byProgram[3]));
  EXPECT_EQ(byProgram[2], 9);
}

// A value between two operators of one expression is rounded, so it is limited too.
TEST(HalfOverflow, LimitsWhatLiesBetweenFusedOperators) {
  const auto fused = [](Graph &graph, Sequence &prog, const Tensor &x) {
    return popops::map(graph, pe::Divide(pe::Mul(pe::_1, pe::_1), pe::Const(64)), {x}, prog, "f");
  };
  EXPECT_EQ(results(ipu(), fused)[3], 1023.5f); // 65504 / 64
}

TEST(HalfOverflow, LimitsOtherOperatorsWhereNoOperandIsInfinite) {
  const auto device = ipu();
  const auto sum = [](bool withInfinity) {
    return [withInfinity](Graph &graph, Sequence &prog, const Tensor &x) {
      auto some = withInfinity ? x.slice(3, 5) : x.slice(3, 4);
      auto many = concat(std::vector<Tensor>(10, some.reshape({1, some.numElements()})), 0);
      return popops::reduce(graph, many, {0}, {popops::Operation::ADD}, prog, "sum");
    };
  };
  EXPECT_EQ(results(device, sum(false)), (std::vector<float>{65504}));
  EXPECT_EQ(results(device, sum(true))[1], infinity);
  const auto inPlace = [](Graph &graph, Sequence &prog, const Tensor &x) {
    auto y = graph.clone(x);
    prog.add(Copy(x, y));
    popops::scaledAddTo(graph, y, x, 20.0f, prog, "in place");
    return y;
  };
  const auto added = results(device, inPlace);
  EXPECT_EQ(added[0], -infinity);
  EXPECT_EQ(added[2], 63);
  EXPECT_EQ(added[4], infinity);
}

TEST(HalfOverflow, IsLimitedWithStochasticRoundingToo) {
  const auto got = results(ipu(), squared, {}, {{"prng.enableStochasticRounding", "true"}});
  EXPECT_EQ(got, (std::vector<float>{infinity, 65504, 9, 65504, infinity}));
}

TEST(HalfOverflow, StopsTheRunWhereItIsTrapped) {
  const auto trapped = [](Graph &g, Sequence &prog, const Tensor &x) {
    setFloatingPointBehaviour(g, prog, {false, false, true, false, true}, "oflo");
    return squared(g, prog, x.slice(1, 4));
  };
  EXPECT_THROW(results(ipu(), trapped), poplar_error);
}
