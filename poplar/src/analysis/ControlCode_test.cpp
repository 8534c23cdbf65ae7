// SPDX-License-Identifier: MIT
#include "analysis/ControlCode.hpp"
#include "analysis/SharedCode.hpp"
#include "compile/PlanExchange.hpp"
#include "compile/TestImage.hpp"
#include <gtest/gtest.h>

using namespace poplar;
using namespace poplar::analysis;
using namespace poplar::compile;
using namespace poplar::compile::testing;

namespace {

const arch::System pair = arch::systemOf(arch::chipByName("ipu2"), 2, 1472);
constexpr std::uint32_t second = 1472; // the first tile of the second IPU

std::vector<std::uint64_t> instructions(TestImage &t) {
  planExchange(t.image, pair);
  return controlInstructions(t.image, pair, reach(t.image), sharedCode(t.image));
}

} // namespace

TEST(ControlCode, CopiesWithinATileAreThatTilesAlone) {
  TestImage t;
  auto from = t.variable("from", 100, {3}), to = t.variable("to", 100, {3});
  t.image.programs = {t.copy(from, to)};
  const auto code = instructions(t);
  EXPECT_EQ(code[3], 4u);
  EXPECT_EQ(std::accumulate(code.begin(), code.end(), 0ull), 4u);
}

TEST(ControlCode, ExchangesAreSyncedByTheirIpuAndCalledByThoseThatTakePart) {
  TestImage t;
  auto from = t.variable("from", 100, {second}), to = t.variable("to", 100, {second + 1});
  t.image.programs = {t.copy(from, to)};
  const auto code = instructions(t);
  EXPECT_EQ(code[second], 3u);
  EXPECT_EQ(code[second + 1], 3u);
  EXPECT_EQ(code[second + 2], 1u);
  EXPECT_EQ(code[0], 0u);
}

TEST(ControlCode, LoopsAreCountedByTheIpusWithin) {
  TestImage t;
  auto from = t.variable("from", 100, {second}), to = t.variable("to", 100, {second});
  t.image.programs = {t.repeat(5, t.copy(from, to))};
  const auto code = instructions(t);
  EXPECT_EQ(code[second], 7u);
  EXPECT_EQ(code[second + 1], 3u);
  EXPECT_EQ(code[0], 0u);
}

TEST(ControlCode, WhatCrossesIpusIsSyncedByAll) {
  TestImage t;
  auto from = t.variable("from", 100, {0}), to = t.variable("to", 100, {second});
  t.image.programs = {t.copy(from, to)};
  const auto code = instructions(t);
  EXPECT_EQ(code[7], 1u);
  EXPECT_EQ(code[second + 7], 1u);
  EXPECT_GT(code[0], 1u);
}
