// SPDX-License-Identifier: MIT
// Event records: what went wrong with IPUs, one JSON file each in the runtime folder, so that
// somebody who comes later can see it. The newest hundred are kept.
#pragma once
#include <string>
#include <vector>

namespace machine {

struct Event {
  std::string severity = "error", description;
  std::vector<unsigned> attached; // IPUs that this process held
  std::vector<unsigned> specific; // of these, the ones that it is about
};

// Never throws: what is recorded is bad enough.
void recordEvent(const Event &event);

// A JSON array, oldest first. Files that are none of ours are left out.
std::string eventRecords();

} // namespace machine
