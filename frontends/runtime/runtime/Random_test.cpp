// SPDX-License-Identifier: MIT
#include "runtime/Random.hpp"

#include <gtest/gtest.h>

namespace frontend {
namespace {

struct Numbers : testing::Test {
  Random::State now{0}; // of the device: a load begins with the seed that was set last
  std::uint64_t set = 0;
  Random random;

  Random::Session session() {
    return {[this](std::uint64_t seed) { now = {set = seed}; }, [this] { return now; },
            [this](const Random::State &state) { now = state; }};
  }
  void load() {
    now = {set};
    random.loaded();
  }
  void step() { ++now[0]; }
};

TEST_F(Numbers, BeginWithTheSeed) {
  random.seed(7);
  random.of(session());
  load();
  EXPECT_EQ(now, Random::State{7});
  random.seed(9);
  EXPECT_EQ(now, Random::State{9});
  EXPECT_EQ(random.state(), Random::State{9});
}

TEST_F(Numbers, GoOnWhereTheyWereAfterAnotherLoad) {
  random.of(session());
  random.seed(7);
  load();
  step();
  random.leaving();
  EXPECT_EQ(random.state(), Random::State{8});
  now = {100}; // somebody else's
  load();
  EXPECT_EQ(now, Random::State{8});
}

TEST_F(Numbers, BeginAnewWithASeedThatCameMeanwhile) {
  random.of(session());
  load();
  step();
  random.leaving();
  random.seed(3);
  load();
  EXPECT_EQ(now, Random::State{3});
}

TEST_F(Numbers, GoOnFromAStateThatIsGiven) {
  random.of(session());
  EXPECT_EQ(random.state(), Random::State{});
  random.set({4, 5, 6});
  EXPECT_EQ(now, Random::State{0}) << "it is on no device";
  load();
  EXPECT_EQ(now, (Random::State{4, 5, 6}));
  random.gone();
  EXPECT_EQ(random.state(), (Random::State{4, 5, 6}));
  random.of(session()); // compiled again
  load();
  EXPECT_EQ(now, (Random::State{4, 5, 6}));
}

TEST_F(Numbers, LeaveADeviceThatSaysNothing) {
  auto lost = session();
  lost.state = []() -> Random::State { throw popart::error("no device"); };
  random.of(lost);
  random.seed(5);
  load();
  random.leaving();
  EXPECT_EQ(random.state(), Random::State{});
  load();
  EXPECT_EQ(now, Random::State{5});
}

} // namespace
} // namespace frontend
