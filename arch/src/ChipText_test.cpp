// SPDX-License-Identifier: MIT
#include "arch/ChipText.hpp"
#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>

using namespace arch;

static Chip parse(const std::string &text) {
  std::istringstream in(text);
  return parseChip(in, "my.chip");
}

static std::string complaintAbout(const std::string &text) {
  try {
    parse(text);
  } catch (const std::invalid_argument &e) {
    return e.what();
  }
  return "no complaint";
}

TEST(ChipText, ChangesOnlyWhatIsGiven) {
  auto chip = parse("base = bow   # start here\n\nname = bigger\ntiles = 4000\nclock = 2.0 "
                    "GHz\nsync.boundary = 300\n");
  EXPECT_EQ(chip.name, "bigger");
  EXPECT_EQ(chip.tiles, 4000u);
  EXPECT_EQ(chip.clockHz, 2e9);
  EXPECT_EQ(chip.sync.boundaryCycles, 300u);
  auto expected = chipByName("bow");
  expected.name = "bigger";
  expected.tiles = 4000;
  expected.clockHz = 2e9;
  expected.sync.boundaryCycles = 300;
  EXPECT_EQ(chip, expected);
}

TEST(ChipText, EveryKnownChipSurvivesAsText) {
  for (const auto &name : chipNames())
    EXPECT_EQ(parse(describe(chipByName(name))), chipByName(name)) << describe(chipByName(name));
}

TEST(ChipText, OddValuesSurviveAsText) {
  auto chip = withTiles(chipByName("ipu2"), 1);
  chip.clockHz = 1.0 / 3 * 1e9;
  chip.links.hopSeconds = 123.4567891e-9;
  chip.host.hasGateway = false;
  EXPECT_EQ(parse(describe(chip)), chip);
}

TEST(ChipText, DescribesInReadableUnits) {
  const auto text = describe(chipByName("ipu2"));
  EXPECT_NE(text.find("clock = 1.33 GHz\n"), std::string::npos) << text;
  EXPECT_NE(text.find("memory = 624 KiB\n"), std::string::npos) << text;
  EXPECT_NE(text.find("sync.wireHop = 15 ns\n"), std::string::npos) << text;
}

TEST(ChipText, MoreMemoryKeepsTheProportionOfItsRegions) {
  const auto chip = parse("memory = 1 MiB\n");
  EXPECT_EQ(chip.bytesPerTile, 1048576u);
  EXPECT_EQ(chip.memory.plainBytes, 336u * 1024);
  EXPECT_EQ(chip.memory.plainBytes + chip.memory.interleavedBytes, chip.bytesPerTile);
  EXPECT_EQ(parse("memory = 100 KiB\nmemory.interleaved = 20 KiB\n").memory.plainBytes, 80u * 1024);
}

TEST(ChipText, NamesLineAndNearMatchOfAMisspeltField) {
  EXPECT_EQ(complaintAbout("base = ipu2\nclok = 4\n"),
            "my.chip:2: Unknown field \"clok\". Did you mean \"clock\"?");
}

TEST(ChipText, RejectsWhatItCannotMean) {
  EXPECT_EQ(complaintAbout("tiles 4\n"),
            "my.chip:1: \"tiles 4\" is not of the form `key = value`.");
  EXPECT_EQ(complaintAbout("tiles = 0\n"), "my.chip:1: `tiles = 0`: it must be more than zero.");
  EXPECT_EQ(complaintAbout("tiles = 1.5\n"),
            "my.chip:1: `tiles = 1.5`: give a whole number up to 2147483647.");
  EXPECT_EQ(complaintAbout("tiles = -4\n"),
            "my.chip:1: `tiles = -4`: give a number of zero or more.");
  EXPECT_EQ(complaintAbout("tiles = nan\n"),
            "my.chip:1: `tiles = nan`: give a number of zero or more.");
  EXPECT_EQ(complaintAbout("tiles = 4 MiB\n"),
            "my.chip:1: `tiles = 4 MiB`: \"MiB\" after the number, but this field has no unit.");
  EXPECT_EQ(complaintAbout("clock = 2 Gz\n"),
            "my.chip:1: `clock = 2 Gz`: unknown unit \"Gz\". Use one of [GHz, MHz, Hz].");
  EXPECT_EQ(complaintAbout("tiles = 4\ntiles = 5\n"), "my.chip:2: \"tiles\" is given twice.");
  EXPECT_EQ(complaintAbout("tiles = 4\nbase = ipu2\n"),
            "my.chip:2: `base` must be the first field.");
  EXPECT_EQ(complaintAbout("host.gateway = maybe\n"),
            "my.chip:1: `host.gateway = maybe`: say yes or no.");
  EXPECT_NE(complaintAbout("base = ipu9\n").find("my.chip:1: Unknown chip \"ipu9\"."),
            std::string::npos);
  EXPECT_NE(
      complaintAbout("memory.plain = 1 KiB\nmemory.interleaved = 1 KiB\n").find("do not add up"),
      std::string::npos);
}
