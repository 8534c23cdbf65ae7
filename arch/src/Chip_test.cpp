// SPDX-License-Identifier: MIT
#include "arch/Chip.hpp"
#include <gtest/gtest.h>
#include <stdexcept>

using namespace arch;

TEST(Chip, KnowsFourChipsByName) {
  EXPECT_EQ(chipNames(), (std::vector<std::string>{"ipu1", "ipu2", "bow", "ipu21"}));
  EXPECT_EQ(chipByName("ipu1").tiles, 1216u);
  EXPECT_EQ(chipByName("ipu2").bytesPerTile, 638976u);
  EXPECT_EQ(chipByName("bow").archName, "ipu2");
  EXPECT_EQ(chipByName("ipu21").archVersion, 21u);
}

TEST(Chip, SuggestsANameThatIsNear) {
  try {
    chipByName("ipu3");
    FAIL();
  } catch (const std::invalid_argument &e) {
    EXPECT_NE(std::string(e.what()).find("Unknown chip \"ipu3\". Did you mean \"ipu1\""),
              std::string::npos)
        << e.what();
    EXPECT_NE(std::string(e.what()).find("bow"), std::string::npos) << e.what();
  }
}

TEST(Chip, PeaksMatchTheVendorsFigures) {
  EXPECT_NEAR(chipByName("ipu1").peakHalf() / 1e12, 124.5, 0.1);
  EXPECT_NEAR(chipByName("ipu1").peakFloat() / 1e12, 31.1, 0.1);
  EXPECT_NEAR(chipByName("ipu2").peakHalf() / 1e12, 250, 1);
  EXPECT_NEAR(chipByName("ipu2").peakHalfFloat() / 1e12, 125, 1);
  EXPECT_NEAR(chipByName("bow").peakFloat() / 1e12, 87.1, 0.1);
}

TEST(Chip, RegionsFillTheMemory) {
  for (const auto &name : chipNames()) {
    const auto &chip = chipByName(name);
    EXPECT_EQ(chip.memory.plainBytes + chip.memory.interleavedBytes, chip.bytesPerTile) << name;
    const auto offsets = chip.elementOffsets();
    EXPECT_EQ(offsets[chip.interleavedElement()], chip.memory.plainBytes) << name;
    for (unsigned i = 0; i < offsets.size(); ++i)
      EXPECT_EQ(chip.elementOf(offsets[i]), i) << name;
    EXPECT_EQ(chip.elementOf(chip.bytesPerTile - 1) + 1, offsets.size()) << name;
  }
}

TEST(Chip, PlacesAllTilesOfAnyCountInTheFabric) {
  for (unsigned tiles : {1u, 2u, 3u, 4u, 63u, 1216u, 1472u, 4000u}) {
    const auto chip = withTiles(chipByName("ipu2"), tiles);
    for (unsigned tile = 0; tile < tiles; ++tile) {
      EXPECT_LT(chip.columnOf(tile), chip.fabric.columns);
      EXPECT_LT(chip.rowOf(tile), chip.rows());
      EXPECT_LT(chip.partnerOf(tile), tiles);
      EXPECT_EQ(chip.partnerOf(chip.partnerOf(tile)), tile);
    }
  }
  EXPECT_EQ(chipByName("ipu2").rows(), 23u);
}

TEST(Chip, AnOddLastTileIsItsOwnPartner) {
  EXPECT_EQ(withTiles(chipByName("ipu2"), 3).partnerOf(2), 2u);
  EXPECT_EQ(withTiles(chipByName("ipu2"), 4).partnerOf(2), 3u);
}

TEST(Chip, RejectsAChipWithoutTiles) {
  EXPECT_THROW(withTiles(chipByName("ipu2"), 0), std::invalid_argument);
}

TEST(Chip, TheFingerprintIsOfEveryField) {
  auto chip = chipByName("ipu2");
  EXPECT_EQ(fingerprint(chip), fingerprint(chipByName("ipu2")));
  EXPECT_NE(fingerprint(chip), fingerprint(chipByName("bow")));
  chip.amp.passCycles += 1;
  EXPECT_NE(fingerprint(chip), fingerprint(chipByName("ipu2")));
  chip = chipByName("ipu2");
  chip.vmac = false;
  EXPECT_NE(fingerprint(chip), fingerprint(chipByName("ipu2")));
}

TEST(Chip, FormulasShareWorkAmongItsWorkers) {
  auto chip = chipByName("ipu2");
  EXPECT_EQ(chip.workerShare(13), 3u);
  EXPECT_EQ(chip.onWorkers(20), 120u);
  EXPECT_EQ(chip.vectorWidth(2), 4u);
  chip.workers = 4;
  chip.dataPathBits = 128;
  EXPECT_EQ(chip.workerShare(13), 4u);
  EXPECT_EQ(chip.onWorkers(20), 80u);
  EXPECT_EQ(chip.vectorWidth(4), 4u);
  EXPECT_EQ(chip.vectorWidth(32), 1u);
}
