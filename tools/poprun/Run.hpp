// SPDX-License-Identifier: MIT
// Other programs as children of this one.
#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace poprun {

// From here on SIGINT, SIGTERM and SIGHUP are noted: what was prepared can be put away in order.
void noteSignals();
void throwIfSignalled(); // machine::Error

// Runs mpirun to its end: its exit status. Signals that end poprun reach it. `only`: what other
// instances print is left out. `onError`: called with every line of the other kind of output.
int runCommand(const std::vector<std::string> &command, std::optional<unsigned> only,
               const std::function<void(const std::string &)> &onError);

struct Captured {
  bool ended = false; // in time
  std::string output; // of both kinds
};
Captured captured(const std::vector<std::string> &command, std::chrono::seconds atMost);

} // namespace poprun
