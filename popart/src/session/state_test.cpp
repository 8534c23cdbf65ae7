// SPDX-License-Identifier: MIT
// What takes a session from one state to another.
#include "session/state.hpp"
#include <gtest/gtest.h>
#include <popart/error.hpp>

using namespace popart;
using namespace popart::session;

namespace {

constexpr State states[] = {State::Built, State::Compiled, State::Loaded, State::Ready,
                            State::Failed};

// The states that follow from each, in the order above; a dot where it cannot happen.
std::string following(Event what) {
  std::string out;
  for (const State before : states)
    try {
      out += "BCLRF"[int(after(what, before))];
    } catch (const internal_error &) {
      out += '.';
    }
  return out;
}

} // namespace

TEST(SessionState, FollowsFromWhatHappens) {
  EXPECT_EQ(following(Event::HasProgram), "CCLRF");
  EXPECT_EQ(following(Event::LeftDevice), "CCCCC");
  EXPECT_EQ(following(Event::OnDevice), ".L...");
  EXPECT_EQ(following(Event::WeightsSent), "..RRR");
  EXPECT_EQ(following(Event::HostChanged), "BCLLF");
  EXPECT_EQ(following(Event::StepFailed), "FFFFF");
}

TEST(SessionState, IsFailedUntilTheHostSendsWeights) {
  Life life;
  for (const Event what : {Event::HasProgram, Event::LeftDevice, Event::OnDevice,
                           Event::WeightsSent, Event::StepFailed})
    life.happened(what);
  EXPECT_EQ(life.state(), State::Failed);
  life.happened(Event::HostChanged);
  EXPECT_EQ(life.state(), State::Failed);
  life.happened(Event::WeightsSent);
  EXPECT_EQ(life.state(), State::Ready);
}
