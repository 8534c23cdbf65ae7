// SPDX-License-Identifier: MIT
#include "machine/Boxes.hpp"
#include <gtest/gtest.h>

using namespace machine;

namespace {

std::vector<Ipu> ipusOf(const char *kind, unsigned count) {
  std::vector<Ipu> all;
  for (const auto &box : boxesFor(*findBoxKind(kind), count))
    for (unsigned place = 0; place < box.ipus; ++place)
      all.push_back(ipuOf(box, place));
  return all;
}

} // namespace

TEST(Boxes, IpuMachinesCountDownAndShareBoardsByPairs) {
  const auto ipus = ipusOf("M2000", 6);
  ASSERT_EQ(ipus.size(), 6u);
  const unsigned indices[] = {3, 2, 1, 0, 3, 2};
  const char *serials[] = {"0000.0002.0000001", "0000.0002.0000001", "0000.0001.0000001",
                           "0000.0001.0000001", "0000.0002.0000002", "0000.0002.0000002"};
  for (unsigned i = 0; i < 6; ++i) {
    EXPECT_EQ(ipus[i].number, i);
    EXPECT_EQ(ipus[i].index, indices[i]);
    EXPECT_EQ(ipus[i].serial, serials[i]);
    EXPECT_EQ(ipus[i].host, i < 4 ? "127.0.1.1" : "127.0.1.2");
    EXPECT_EQ(ipus[i].board, "M2000");
    EXPECT_TRUE(ipus[i].pciId.empty());
  }
}

TEST(Boxes, CardsHaveTwoIpusOrOneAndPciAddresses) {
  const auto c2 = ipusOf("C2", 3);
  EXPECT_EQ(c2[1].index, 1u);
  EXPECT_EQ(c2[1].serial, c2[0].serial);
  EXPECT_NE(c2[2].serial, c2[0].serial);
  EXPECT_EQ(c2[1].pciId, "0000:02:00.0");
  EXPECT_TRUE(c2[1].host.empty());
  const auto c600 = ipusOf("C600", 2);
  EXPECT_NE(c600[0].serial, c600[1].serial);
}

TEST(Boxes, AChipOfTheUsersOwnHasABoxOfItsOwn) {
  arch::Chip chip = arch::chipByName("ipu2");
  chip.displayName = "mine";
  EXPECT_EQ(boxKindOf(chip, "ipu2").name, "M2000");
  EXPECT_EQ(boxKindOf(chip, "./mine.chip"), (BoxKind{"mine", "./mine.chip", 4, true}));
}
