// SPDX-License-Identifier: MIT
#include "runtime/Weights.hpp"

#include <gtest/gtest.h>
#include <stdexcept>
#include <utility>

namespace frontend {
namespace {

struct Life : testing::Test {
  std::string calls;
  bool lost = false;
  Weights::Session session() {
    return {[this] { calls += "send "; }, [this] { calls += "fetch "; }, [this] { return lost; }};
  }
  static void fail(Weights &weights) {
    EXPECT_THROW(weights.step([] { throw std::runtime_error("step"); }), std::runtime_error);
  }
};
using Newest = Weights::Newest;

TEST_F(Life, AStepLeavesTheNewestOnTheDevice) {
  Weights weights(session(), true);
  EXPECT_EQ(weights.newest(), Newest::Host);
  weights.send();
  EXPECT_EQ(weights.newest(), Newest::Both);
  EXPECT_FALSE(weights.fetch());
  const auto before = weights.version();
  weights.step([] {});
  EXPECT_EQ(weights.newest(), Newest::Device);
  EXPECT_GT(weights.version(), before);
  EXPECT_TRUE(weights.fetch());
  EXPECT_FALSE(weights.fetch());
  EXPECT_EQ(calls, "send fetch ");
  weights.replaced();
  EXPECT_FALSE(weights.fetch(true));
  EXPECT_EQ(calls, "send fetch fetch ");
  EXPECT_EQ(weights.newest(), Newest::Host) << "what was replaced must be sent";
}

TEST_F(Life, AStepThatChangesNothingLeavesThemOnBoth) {
  Weights weights(session(), false);
  weights.send();
  weights.step([] {});
  EXPECT_EQ(weights.newest(), Newest::Both);
  fail(weights);
  EXPECT_EQ(weights.newest(), Newest::Both);
  EXPECT_EQ(weights.loss(), "");
}

TEST_F(Life, AFailedStepKeepsWhatTheDeviceHasLearnt) {
  Weights weights(session(), true);
  weights.send();
  fail(weights);
  EXPECT_EQ(weights.newest(), Newest::Device);
  EXPECT_EQ(weights.loss(), "");
}

TEST_F(Life, WhatIsLostIsSaidOnceAndTheHostsAreSentAgain) {
  Weights weights(session(), true);
  weights.send();
  lost = true;
  fail(weights);
  EXPECT_EQ(weights.newest(), Newest::Host);
  EXPECT_EQ(weights.loss(), "") << "the host has all that was learnt";
  weights.send();
  weights.step([] {});
  fail(weights);
  EXPECT_EQ(weights.newest(), Newest::Host);
  EXPECT_NE(weights.loss().find("goes on from the weights that the host has"), std::string::npos);
  EXPECT_EQ(weights.loss(), "");
}

TEST_F(Life, WhatCannotBeFetchedIsLost) {
  auto broken = session();
  broken.fetch = [] { throw std::runtime_error("device"); };
  Weights weights(broken, true);
  weights.step([] {});
  EXPECT_THROW(weights.fetch(), std::runtime_error);
  EXPECT_EQ(weights.newest(), Newest::Host);
}

// As of another thread: a session has its turns, this object has none.
TEST_F(Life, WhatAStepLeavesDuringAFetchIsFetchedTheNextTime) {
  Weights *running = nullptr;
  auto meanwhile = session();
  meanwhile.fetch = [&] {
    if (auto *weights = std::exchange(running, nullptr))
      weights->step([] {});
  };
  Weights weights(meanwhile, true);
  weights.send();
  weights.step([] {});
  running = &weights;
  EXPECT_TRUE(weights.fetch());
  EXPECT_EQ(weights.newest(), Newest::Device);
  EXPECT_TRUE(weights.fetch());
  EXPECT_EQ(weights.newest(), Newest::Both);
}
TEST_F(Life, WhatIsToldDuringASendIsNotForgotten) {
  Weights *sending = nullptr;
  std::function<void()> tell;
  auto meanwhile = session();
  meanwhile.send = [&] { tell(); };
  Weights weights(meanwhile, true);
  sending = &weights;
  tell = [&] { sending->step([] {}); };
  weights.send();
  EXPECT_EQ(weights.newest(), Newest::Device);
  tell = [&] { sending->replaced(); };
  weights.send();
  EXPECT_EQ(weights.newest(), Newest::Host);
}

} // namespace
} // namespace frontend
