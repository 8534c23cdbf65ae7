// SPDX-License-Identifier: MIT
// The matrix unit's price against sums done by hand.
#include "arch/MatrixUnit.hpp"
#include <gtest/gtest.h>

using namespace arch;

namespace {

const Chip &gc200 = chipByName("ipu2");
const Chip &c600 = chipByName("ipu21");
const AmpUse halves{AmpInput::Half, false, 16}, floats{AmpInput::Float, true, 16},
    quarters{AmpInput::Quarter, false, 16};

TEST(MatrixUnit, AFurtherPositionIsAUnitsWeightsByItsInputs) {
  EXPECT_EQ(ampNextBundles(gc200, AmpInput::Half), 4u); // 16 halves, four per cycle
  EXPECT_EQ(ampNextBundles(gc200, AmpInput::Float), 8u);
  EXPECT_EQ(ampNextBundles(c600, AmpInput::Quarter), 4u);
  EXPECT_EQ(ampWorkerBundles(gc200, halves, 10, false), 38u - 7 + 4 * 7);
  EXPECT_EQ(ampWorkerBundles(gc200, floats, 10, false), 46u + 8 * 7);
  EXPECT_EQ(ampWorkerBundles(gc200, floats, 10, true), 46u + 8 * 7 + 2 + 10 * 8);
  EXPECT_EQ(ampWorkerBundles(c600, quarters, 10, false), 44u + 4 * 7);
}

TEST(MatrixUnit, WeightsFromInterleavedMemoryLoadTwiceAsFast) {
  EXPECT_EQ(ampLoadCycles(gc200, 16, Interleave::Yes), 32u);
  EXPECT_EQ(ampLoadCycles(gc200, 16, Interleave::No), 64u);
}

TEST(MatrixUnit, AProductIsItsGroups) {
  AmpProduct p{halves};
  p.load = 64;
  p.positions = 48; // eight for each worker
  p.inputGroups = 4;
  const unsigned inner = 6 * (31 + 20) + 14, begins = inner - 6;
  EXPECT_EQ(ampCycles(gc200, p),
            50u + 6 * (7 + 9) + 13 + 3 * (15 + 19 + 6 + 64 + inner) + 11 + (18 + 7 + 64 + begins));
  EXPECT_EQ(ampInputGroupCycles(gc200, p, inner), 15u + 19 + 6 + 64 + inner);
  p.positions = 0;
  EXPECT_EQ(ampCycles(gc200, p), 0u);
}

TEST(MatrixUnit, EveryFieldOfTheChipHasItsPartInThePrice) {
  const auto price = [](const Chip &chip, const AmpUse &use) {
    AmpProduct p{use};
    p.load = ampLoadCycles(chip, use.units, Interleave::No);
    p.positions = 100;
    p.inputGroups = p.outputGroups = 3;
    return ampCycles(chip, p);
  };
  const auto moves = [&](auto change, const AmpUse &use) {
    auto other = c600;
    change(other);
    return price(other, use) != price(c600, use);
  };
  for (const auto &use : {halves, floats, quarters}) {
    EXPECT_TRUE(moves([](Chip &c) { c.workers = 8; }, use));
    EXPECT_TRUE(moves([](Chip &c) { c.amp.weightLoadBytesPerCycle = 16; }, use));
    EXPECT_TRUE(moves([](Chip &c) { c.amp.weightBytesPerUnit = 64; }, use));
  }
  for (const auto &use : {halves, floats})
    for (auto field :
         {&Amp::startCycles, &Amp::inputGroupCycles, &Amp::outputGroupCycles, &Amp::passCycles})
      EXPECT_TRUE(moves([&](Chip &c) { c.amp.*field += 5; }, use));
  EXPECT_TRUE(moves([](Chip &c) { c.amp.halfFirst += 2; }, halves));
  EXPECT_TRUE(moves([](Chip &c) { c.amp.floatFirst += 2; }, floats));
  EXPECT_TRUE(moves([](Chip &c) { c.amp.quarterFirst += 2; }, quarters));
  EXPECT_TRUE(moves([](Chip &c) { c.amp.halfInputsPerCycle = 8; }, halves));
  EXPECT_TRUE(moves([](Chip &c) { c.amp.floatInputsPerCycle = 2; }, floats));
  EXPECT_TRUE(moves([](Chip &c) { c.amp.quarterInputsPerCycle = 16; }, quarters));
}

} // namespace
