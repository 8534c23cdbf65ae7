// SPDX-License-Identifier: MIT
// Where a session is in its life, and what takes it from one state to another. This is the one
// place where a state changes; the rules stand in state.cpp.
#pragma once
#include <cstdint>

namespace popart::session {

enum class State : std::uint8_t {
  Built,    // the model is there, nothing is compiled
  Compiled, // here, or read from a file
  Loaded,   // on the device; the host has other weights, or the only ones
  Ready,    // the device has weights: training can run
  Failed    // a step ended within an update, or the device was lost: only the host has weights
};

enum class Event : std::uint8_t {
  HasProgram,  // compiled, or a file was read (compile, loadExecutable)
  LeftDevice,  // for whatever comes next (load)
  OnDevice,    // the program is (load)
  WeightsSent, // by the host, to a device that has the program (weightsFromHost)
  HostChanged, // the host has other weights than those it sent (resetHostWeights)
  StepFailed   // and the session could not go on by itself (run)
};

State after(Event what, State before);

class Life {
public:
  State state() const { return state_; }
  void happened(Event what) { state_ = after(what, state_); }

private:
  State state_ = State::Built;
};

} // namespace popart::session
