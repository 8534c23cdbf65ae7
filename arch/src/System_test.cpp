// SPDX-License-Identifier: MIT
#include "arch/System.hpp"
#include <gtest/gtest.h>
#include <stdexcept>

using namespace arch;

TEST(System, CountsMachinesAndRacks) {
  EXPECT_EQ(systemOf(chipByName("ipu2"), 1).machines(), 1u);
  EXPECT_EQ(systemOf(chipByName("ipu2"), 16).machines(), 4u);
  EXPECT_EQ(systemOf(chipByName("bow"), 256).domains(), 4u);
}

TEST(System, ChoosesTheUsualSurroundings) {
  EXPECT_EQ(systemOf(chipByName("ipu1"), 16).hostLink, HostLink::PcieCard);
  EXPECT_EQ(systemOf(chipByName("ipu2"), 16).links, LinkLayout::Ladder);
  EXPECT_EQ(systemOf(chipByName("ipu2"), 64).links, LinkLayout::Torus);
}

TEST(System, NumbersTilesOnFromIpuToIpu) {
  const auto system = systemOf(chipByName("ipu2"), 4, 3);
  EXPECT_EQ(system.tiles(), 12u);
  EXPECT_EQ(system.ipuOf(7), 2u);
  EXPECT_EQ(system.tileOnIpu(7), 1u);
}

TEST(System, RejectsNothing) {
  EXPECT_THROW(systemOf(chipByName("ipu2"), 0), std::invalid_argument);
  EXPECT_THROW(systemOf(chipByName("ipu2"), 1, 0), std::invalid_argument);
  EXPECT_EQ(linkLayoutByName("mesh"), LinkLayout::Ladder);
  EXPECT_THROW(linkLayoutByName("tours"), std::invalid_argument);
}
