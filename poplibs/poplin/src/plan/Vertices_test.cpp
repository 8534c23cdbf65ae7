// SPDX-License-Identifier: MIT
// Cycle formulas against sums done by hand.
#include "Cost.hpp"
#include "Vertices.hpp"
#include <gtest/gtest.h>

using namespace poplin;
using vertex::Work;

static const arch::Chip &chip = arch::chipByName("ipu2");

TEST(ConvVertices, OneByOneOfTheReference) {
  Work w;
  w.input = Work::Input::Half;
  w.floatPartials = false;
  w.convUnits = 16;
  w.loadCycles = 64;
  w.inGroups = 4;
  w.inChansPerGroup = w.outChansPerGroup = 16;
  w.width = 48;
  EXPECT_EQ(vertex::amp1x1(chip, w), 1845u); // 64 in, 16 out, 48 positions
  w.loadCycles = 32;
  EXPECT_EQ(vertex::amp1x1(chip, w), 1845u - 4 * 32);
}

TEST(ConvVertices, OneByOneInFloat) {
  Work w;
  w.inGroups = 2;
  w.inChansPerGroup = 8;
  w.outChansPerGroup = 16;
  w.width = 30; // five for each worker: 46 + 16 and, zeroing, 2 + 40 more
  const unsigned inner = 6 * 62 + 14, zeroing = 6 * 104 + 14;
  EXPECT_EQ(vertex::amp1x1(chip, w),
            50u + 13 + (15 + 19 + 6 + 64 + inner) + 11 + (18 + 7 + 64 + zeroing));
}

TEST(ConvVertices, HorizontalMacPerKernelElement) {
  Work w;
  w.inChansPerGroup = 1;
  w.rows = 6;
  w.width = 10;
  w.kernelOuter = w.kernelInner = 3;
  const unsigned dot = 3 + 4 + 2;
  const unsigned worker = 16 + 9 * (19 + 10 * (7 + dot)) + 16;
  EXPECT_EQ(vertex::hmac(chip, w), 58u + 23 + 15 + 10 + 6 * worker);
}

TEST(ConvVertices, ReduceOfOneBlock) {
  vertex::ReduceWork w;
  w.outputs = 96; // four loops of four accumulators on six workers
  w.partials = 5;
  EXPECT_EQ(vertex::reduceAdd(chip, w), 33u + 6 * (20 + (2 * 5 + 8) * 4));
  w.fast = true;
  EXPECT_EQ(vertex::reduceAdd(chip, w), 33u + 6 * (20 + (5 + 8) * 4));
  w.single = false;
  EXPECT_EQ(vertex::reduceAdd(chip, w), 6u * (32 + (3 * 5 + 7) * 4));
}

TEST(ConvVertices, MoreWorkNeverTakesFewerCycles) {
  const auto all = {vertex::amp1x1, vertex::ampNx1, vertex::slic,
                    vertex::hmac,   vertex::vmac,   vertex::outerProduct};
  for (auto cycles : all)
    for (auto input : {Work::Input::Half, Work::Input::Float}) {
      Work w;
      w.input = input;
      w.inChansPerGroup = w.outChansPerGroup = 16;
      std::uint64_t last = 0;
      for (unsigned n : {1, 6, 7, 48, 500}) {
        w.rows = n;
        w.width = 3;
        EXPECT_GE(cycles(chip, w), last);
        last = cycles(chip, w);
      }
      w.convGroups = 2;
      EXPECT_GT(cycles(chip, w), last);
    }
}

TEST(ConvVertices, FollowTheChip) {
  const auto all = {vertex::amp1x1, vertex::ampNx1, vertex::slic,
                    vertex::hmac,   vertex::vmac,   vertex::outerProduct};
  auto other = chip;
  other.workers = 9;
  Work w;
  w.input = Work::Input::Half;
  w.inChansPerGroup = w.outChansPerGroup = 16;
  w.rows = 6;
  w.width = 100;
  for (auto cycles : all)
    EXPECT_NE(cycles(chip, w), cycles(other, w));
  other = chip;
  other.amp.halfInputsPerCycle = 1;
  for (auto cycles : {vertex::amp1x1, vertex::ampNx1, vertex::slic})
    EXPECT_LT(cycles(chip, w), cycles(other, w));
}

TEST(ConvVertices, RearrangeAtTheRatesOfTheChip) {
  EXPECT_EQ(vertex::rearrange(chip, 2, 800, 8), 2u * 288 + 100);     // one by one
  EXPECT_EQ(vertex::rearrange(chip, 100, 800, 8), 587u + 740 + 100); // a list of pieces
  auto other = chip;
  other.copy.startCycles = 100;
  other.copy.pieceCycles = 10;
  other.copy.bytesPerCycle = 16;
  EXPECT_EQ(vertex::rearrange(other, 2, 800, 8), 100u + 2 * 10 + 50);
}

TEST(ConvReduce, StagesMultiplyToTheDepth) {
  const auto depths = [](unsigned partials, bool multi) {
    const auto s = reduceStages(partials, multi);
    return std::vector<unsigned>(s.depth.begin(), s.depth.begin() + s.count);
  };
  EXPECT_TRUE(depths(1, true).empty());
  EXPECT_EQ(depths(15, true), std::vector<unsigned>{15});
  EXPECT_EQ(depths(16, true), (std::vector<unsigned>{4, 4}));
  EXPECT_EQ(depths(125, true), (std::vector<unsigned>{5, 5, 5}));
  EXPECT_EQ(depths(64, false), std::vector<unsigned>{64});
  for (unsigned n = 2; n < 1472; ++n) {
    unsigned product = 1;
    for (auto d : depths(n, true))
      product *= d;
    EXPECT_GE(product, n);
  }
}
