// SPDX-License-Identifier: MIT
#include "session/state.hpp"

#include <popart/error.hpp>

namespace popart::session {

namespace {

void require(bool possible, State before) {
  if (!possible)
    throw internal_error("A session in state {} cannot get there.", int(before));
}

} // namespace

State after(Event what, State before) {
  switch (what) {
  case Event::HasProgram: // what is on a device stays there
    return before == State::Built ? State::Compiled : before;
  case Event::LeftDevice:
    return State::Compiled;
  case Event::OnDevice:
    require(before == State::Compiled, before);
    return State::Loaded;
  case Event::WeightsSent:
    require(before >= State::Loaded, before);
    return State::Ready;
  case Event::HostChanged: // a device that lost its weights has none all the same
    return before == State::Ready ? State::Loaded : before;
  case Event::StepFailed:
    return State::Failed;
  }
  return before;
}

} // namespace popart::session
