// SPDX-License-Identifier: MIT
#include "arch/Exchange.hpp"
#include "base/Error.hpp"
#include <gtest/gtest.h>

using namespace arch;

static TileTraffic receiving(std::initializer_list<std::uint64_t> spans) {
  TileTraffic t;
  for (auto bytes : spans)
    t.receive(bytes);
  return t;
}

TEST(Exchange, NothingCostsNothing) {
  EXPECT_EQ(exchangeCycles(chipByName("ipu2"), {}).cycles, 0u);
  const std::vector<ActiveTile> idle = {{3, {}}};
  EXPECT_EQ(exchangeCycles(chipByName("ipu2"), idle).cycles, 0u);
}

TEST(Exchange, SpansAreRoundedUpToWords) {
  const auto t = receiving({1, 6, 8});
  EXPECT_EQ(t.bytesIn, 4u + 8 + 8);
  EXPECT_EQ(t.messagesIn, 3u);
}

TEST(Exchange, TheHaloOfABlurTakesWhatWasMeasured) {
  // B9: a 45x47 block of 16-byte pixels and 8 neighbours, a span for every pixel beside it; 1173
  // measured.
  const auto &chip = chipByName("ipu1");
  TileTraffic t;
  t.bytesIn = 16 * (2 * 45 + 2 * 47 + 4);
  t.messagesIn = 2 * 47 + 2 + 4;
  t.sendersIn = 8;
  const std::vector<ActiveTile> pair = {{10, t}, {11, t}};
  EXPECT_EQ(exchangeCycles(chip, pair).cycles, 64u + 752 + 7 * 10 + 221); // 92 * 2.4, rounded up
}

TEST(Exchange, TwoLongReceivesTakeWhatWasScheduled) {
  // E7: 6381 scheduled.
  const auto &chip = chipByName("ipu21");
  const auto t = receiving({3072 * 4, 3072 * 4});
  const std::vector<ActiveTile> pair = {{0, t}, {1, t}};
  EXPECT_EQ(exchangeCycles(chip, pair).cycles, 64u + 6144 + 10);
}

TEST(Exchange, AnIdlePartnerLendsItsLane) {
  const auto &chip = chipByName("ipu2");
  const auto t = receiving({4000});
  const std::vector<ActiveTile> alone = {{6, t}}, both = {{6, t}, {7, t}},
                                neighbours = {{7, t}, {8, t}};
  EXPECT_EQ(exchangeCycles(chip, alone).cycles, 64u + 500);
  EXPECT_EQ(exchangeCycles(chip, both).cycles, 64u + 1000);
  EXPECT_EQ(exchangeCycles(chip, neighbours).cycles, 64u + 500); // of different pairs
}

TEST(Exchange, OnePartnerMaySendWhileTheOtherReceives) {
  const auto &chip = chipByName("ipu2");
  TileTraffic sends;
  sends.send(4000);
  const std::vector<ActiveTile> pair = {{6, sends}, {7, receiving({4000})}};
  EXPECT_EQ(exchangeCycles(chip, pair).cycles, 64u + 500);
}

TEST(Exchange, APairThatTakesOneStreamTakesItTwiceAsFast) {
  const auto &chip = chipByName("ipu2");
  auto t = receiving({4000});
  t.pairSharesInput = true;
  const std::vector<ActiveTile> pair = {{6, t}, {7, t}};
  EXPECT_EQ(exchangeCycles(chip, pair).cycles, 64u + 500);
}

TEST(Exchange, SendingAndReceivingOverlapUnlessTheyMeetInMemory) {
  const auto &chip = chipByName("ipu2");
  auto t = receiving({4000});
  t.send(2000);
  const std::vector<ActiveTile> free = {{6, t}, {7, t}};
  EXPECT_EQ(exchangeCycles(chip, free).cycles, 64u + 1000);
  t.sameElementBytes = 800;
  const std::vector<ActiveTile> some = {{6, t}, {7, t}};
  EXPECT_EQ(exchangeCycles(chip, some).cycles, 64u + 1200);
  t.sameElementBytes = 4000;
  const std::vector<ActiveTile> all = {{6, t}, {7, t}};
  EXPECT_EQ(exchangeCycles(chip, all).cycles, 64u + 1500);
}

TEST(Exchange, PairsDoNotReachAcrossIpus) {
  const auto chip = withTiles(chipByName("ipu2"), 3);
  const auto t = receiving({4000});
  const std::vector<ActiveTile> border = {{2, t}, {3, t}}; // last of IPU 0, first of IPU 1
  EXPECT_EQ(exchangeCycles(chip, border).cycles, 64u + 500);
  const std::vector<ActiveTile> pair = {{3, t}, {4, t}}; // tiles 0 and 1 of IPU 1
  EXPECT_EQ(exchangeCycles(chip, pair).cycles, 64u + 1000);
}

TEST(Exchange, ReportsEveryActiveTile) {
  const auto &chip = chipByName("ipu2");
  const std::vector<ActiveTile> active = {{0, receiving({80})}, {5, receiving({400, 400})}};
  const auto cost = exchangeCycles(chip, active, 30);
  EXPECT_EQ(cost.perTile, (std::vector<Cycles>{10, 110}));
  EXPECT_EQ(cost.cycles, 140u);
  EXPECT_EQ(cost.route, 30u);
}

TEST(Exchange, RefusesTilesOutOfOrder) {
  const auto &chip = chipByName("ipu2");
  const std::vector<ActiveTile> wrong = {{5, receiving({4})}, {4, receiving({4})}};
  EXPECT_THROW(exchangeCycles(chip, wrong), base::InternalError);
}

TEST(Exchange, RoutesGrowWithColumnsAndRows) {
  const auto &chip = chipByName("ipu2"); // 92 tiles to a column, 4 to a row
  EXPECT_EQ(routeBetweenTiles(chip, 0, 1), 20u);
  EXPECT_EQ(routeBetweenTiles(chip, 0, 4), 22u);
  EXPECT_EQ(routeBetweenTiles(chip, 92, 0), 26u);
  EXPECT_EQ(routeBetweenTiles(chip, 0, 1471), 20u + 6 * 15 + 2 * 22);
}

TEST(Exchange, TheLongestRouteJoinsTheOutermostTiles) {
  const auto &chip = chipByName("ipu2");
  const std::vector<unsigned> left = {0, 50}, right = {1380, 1471};
  EXPECT_EQ(longestRoute(chip, left, right), routeCycles(chip, 15, 22));
  EXPECT_EQ(longestRoute(chip, left, left), routeCycles(chip, 0, 12));
  EXPECT_EQ(longestRoute(chip, left, {}), 0u);
}

TEST(Exchange, CodeGrowsWithMessagesAndWords) {
  const auto &chip = chipByName("ipu2");
  TileTraffic t = receiving({4, 4});
  t.send(1024);
  EXPECT_EQ(exchangeCodeBytes(chip, t), 4u * 4 + 6 + 2 * 18);
}

TEST(Exchange, OddChipsExchangeToo) {
  for (unsigned tiles : {1u, 4u, 4000u}) {
    const auto chip = withTiles(chipByName("bow"), tiles);
    const std::vector<ActiveTile> last = {{tiles - 1, receiving({400})}};
    const auto route = routeBetweenTiles(chip, 0, tiles - 1);
    EXPECT_EQ(exchangeCycles(chip, last, route).cycles, route + 50);
  }
}
