// SPDX-License-Identifier: MIT
// Loops of a compiler, scheduled by hand beside what the scheduler makes of them.
#include "arch/Bundles.hpp"
#include <gtest/gtest.h>

using namespace arch;

namespace {

Issue main(std::vector<unsigned> after = {}) { return {Slot::Main, 1, std::move(after), false}; }
Issue aux(std::vector<unsigned> after = {}) { return {Slot::Aux, 1, std::move(after), false}; }
Issue jump(std::vector<unsigned> after = {}) { return {Slot::Main, 1, std::move(after), true}; }

} // namespace

//  load x
//  load y    multiply
//            add, beside the index step
//  store
//  jump
TEST(Bundles, OfAnAxpyLoop) {
  const std::vector<Issue> loop = {main(),    aux({0}), main(), aux({1, 2}),
                                   main({3}), main(),   jump()};
  EXPECT_EQ(bundlesOf(loop, Pairing::Scheduled), 5u);
  EXPECT_EQ(bundlesOf(loop, Pairing::None), 7u);
  const std::vector<unsigned> places = {0, 1, 1, 2, 3, 2, 4};
  EXPECT_EQ(scheduleOf(loop, Pairing::Scheduled).at, places);
  EXPECT_EQ(scheduleOf(loop, Pairing::None).at, (std::vector<unsigned>{0, 1, 2, 3, 4, 5, 6}));
}

//  load a
//  load b
//  step     multiply
//  jump     add
TEST(Bundles, OfADotProductPairTheSumWithTheJump) {
  const std::vector<Issue> loop = {main(), main(), aux({0, 1}), aux({2}), main(), jump()};
  EXPECT_EQ(bundlesOf(loop, Pairing::Scheduled), 4u);
}

//  load a
//  load b
//  load c   add
//  step     add
//           multiply
//  store
//  jump
TEST(Bundles, OfAThreePointStencil) {
  const std::vector<Issue> loop = {main(),   main(),    main(), aux({0, 1}), aux({2, 3}),
                                   aux({4}), main({5}), main(), jump()};
  EXPECT_EQ(bundlesOf(loop, Pairing::Scheduled), 7u);
}

TEST(Bundles, OfIntegerCodeAreItsInstructions) {
  const std::vector<Issue> chain = {main(), main({0}), main({1}), main(), jump({2})};
  EXPECT_EQ(bundlesOf(chain, Pairing::Scheduled), 5u);
}

TEST(Bundles, AreNotSharedWithLongInstructions) {
  const std::vector<Issue> code = {main(), {Slot::Aux, 2, {0}, false}, main(), main({1})};
  EXPECT_EQ(bundlesOf(code, Pairing::Scheduled), 5u);
  const std::vector<Issue> alone = {{Slot::Both, 4, {}, false}, aux(), main()};
  EXPECT_EQ(bundlesOf(alone, Pairing::Scheduled), 5u);
}

TEST(Bundles, GoToTheLongestChainFirst) {
  // The chain of three needs the first auxiliary place.
  const std::vector<Issue> code = {aux(), aux(), aux({1}), aux({2})};
  EXPECT_EQ(bundlesOf(code, Pairing::Scheduled), 4u);
  const std::vector<Issue> mixed = {main(), main(), aux({1}), aux({2})};
  EXPECT_EQ(bundlesOf(mixed, Pairing::Scheduled), 3u);
}

TEST(Bundles, OfNothingAreNone) {
  EXPECT_EQ(bundlesOf({}, Pairing::Scheduled), 0u);
  EXPECT_EQ(bundlesOf({jump()}, Pairing::Scheduled), 1u);
  EXPECT_EQ(bundlesOf({jump(), jump()}, Pairing::Scheduled), 2u);
}
