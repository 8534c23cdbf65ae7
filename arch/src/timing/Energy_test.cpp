// SPDX-License-Identifier: MIT
#include "arch/Energy.hpp"
#include <gtest/gtest.h>

using namespace arch;

TEST(Energy, AnIdleChipDrawsItsIdlePower) { EXPECT_DOUBLE_EQ(watts(chipByName("ipu2"), {}), 48); }

TEST(Energy, ThePowerTestDrawsWhatWasMeasured) {
  EXPECT_NEAR(watts(chipByName("ipu2"), {.amp = 1, .vector = 0, .memory = 1, .exchange = 1}), 124,
              1e-9);
}

TEST(Energy, StepsAddUpByKind) {
  EnergyMeter meter(systemOf(chipByName("ipu2"), 4));
  EXPECT_EQ(meter.averageWatts(), 0);
  meter.add(StepKind::Sync, 1'330'000'000, 0.0);
  EXPECT_DOUBLE_EQ(meter.joules(StepKind::Sync), 4 * 48);
  meter.add(StepKind::MatrixCompute, 1'330'000'000, 1.0);
  EXPECT_NEAR(meter.joules(), 4 * (48 + 48 + 76 * 0.9), 1e-9);
  EXPECT_DOUBLE_EQ(meter.seconds(), 2);
  EXPECT_NEAR(meter.averageWatts(), 2 * (48 + 48 + 76 * 0.9), 1e-9);
  EXPECT_NEAR(meter.machineJoules() - meter.joules(), 500, 1e-9);
}

TEST(Energy, BusierStepsDrawMore) {
  for (const auto &name : chipNames())
    for (auto kind :
         {StepKind::Compute, StepKind::MatrixCompute, StepKind::TileCopy, StepKind::Exchange})
      EXPECT_GT(watts(chipByName(name), utilisationOf(kind, 1)),
                watts(chipByName(name), utilisationOf(kind, 0.5)))
          << name << " " << toString(kind);
}
