// SPDX-License-Identifier: MIT
// How a compiler fills bundles: one instruction for the main slot (memory, integers, control) and
// one for the auxiliary slot (floating point) issue together. A stretch of code without jumps is
// list-scheduled: an instruction issues in the first bundle after those whose results it needs, on
// a free place of its slot; of several the one that most others wait for goes first. A worker's
// results are there when it issues again (six cycles later), so every latency is one bundle.
#pragma once
#include <cstdint>
#include <vector>

namespace arch {

enum class Slot : std::uint8_t { Main, Aux, Both }; // Both: nothing issues beside it

struct Issue {
  Slot slot = Slot::Main;
  unsigned bundles = 1;
  std::vector<unsigned> after; // earlier instructions of the same stretch, by position
  bool last = false;           // a jump: nothing issues after it, but its other slot may be used
};

enum class Pairing : std::uint8_t {
  None,     // one instruction a bundle
  Scheduled // both slots
};

// In which bundle each instruction begins, and how many there are.
struct Schedule {
  std::vector<unsigned> at;
  unsigned bundles = 0;
};
Schedule scheduleOf(const std::vector<Issue> &stretch, Pairing pairing);
unsigned bundlesOf(const std::vector<Issue> &stretch, Pairing pairing);

} // namespace arch
