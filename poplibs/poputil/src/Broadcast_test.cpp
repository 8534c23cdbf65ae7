// SPDX-License-Identifier: MIT
#include "poputil/Broadcast.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"

struct BroadcastTest : testing::Test {
  poplar::Tensor make(const Shape &shape) { return s.graph.addVariable(poplar::FLOAT, shape); }
  Session s{1};
};

TEST_F(BroadcastTest, PairsTakeTheCommonShape) {
  const struct {
    Shape a, b, out;
  } cases[] = {{{3, 4}, {4}, {3, 4}},         {{3, 1}, {1, 4}, {3, 4}},
               {{}, {2, 2}, {2, 2}},          {{1}, {5}, {5}},
               {{2, 3}, {2, 3}, {2, 3}},      {{1, 1}, {0, 3}, {0, 3}},
               {{7, 1, 5}, {2, 1}, {7, 2, 5}}};
  for (const auto &c : cases) {
    auto a = make(c.a), b = make(c.b);
    EXPECT_TRUE(poputil::canBroadcastToMatch(a, b));
    poputil::broadcastToMatch(a, b);
    EXPECT_EQ(a.shape(), c.out);
    EXPECT_EQ(b.shape(), c.out);
  }
}

TEST_F(BroadcastTest, ElementsRepeat) {
  auto a = make({3, 1}), original = a;
  poputil::broadcastToMatch(a, {2, 3, 4});
  for (unsigned i = 0; i < 2; ++i)
    for (unsigned j = 0; j < 3; ++j)
      for (unsigned k = 0; k < 4; ++k)
        EXPECT_EQ(a[i][j][k], original[j][0]);
}

TEST_F(BroadcastTest, ThreeTensorsMeet) {
  auto a = make({3, 1}), b = make({1}), c = make({2, 1, 4});
  poputil::broadcastToMatch(a, b, c);
  for (const auto *t : {&a, &b, &c})
    EXPECT_EQ(t->shape(), (Shape{2, 3, 4}));
}

TEST_F(BroadcastTest, RanksGrowInFront) {
  auto a = make({3}), b = make({2, 2, 3});
  poputil::expandToMatchRanks(a, b);
  EXPECT_EQ(a.shape(), (Shape{1, 1, 3}));
  EXPECT_EQ(b.shape(), (Shape{2, 2, 3}));
}

TEST_F(BroadcastTest, RefusesWhatDoesNotFitAndNamesTheShapes) {
  auto a = make({3, 4}), b = make({3}), c = make({1});
  EXPECT_FALSE(poputil::canBroadcastToMatch(a, b));
  EXPECT_THROW(poputil::broadcastToMatch(a, b, c), poputil::poplibs_error);
  EXPECT_THROW(poputil::broadcastToMatch(a, {4}), poputil::poplibs_error);
  EXPECT_THROW(poputil::broadcastToMatch(a, {1, 4}), poputil::poplibs_error);
  try {
    poputil::broadcastToMatch(a, b);
    FAIL();
  } catch (const poputil::poplibs_error &e) {
    EXPECT_NE(std::string(e.what()).find("[3,4] and [3]"), std::string::npos) << e.what();
    EXPECT_EQ(e.type, "poplibs_error");
  }
}
