// SPDX-License-Identifier: MIT
// One step of what ran: the median of the recorded runs of the program that computes most, so that
// loading weights and the number of steps do not count. Everything that tells users of a run begins
// with it. Not part of the vendor's interface, so pva.hpp does not include it.
#pragma once
#include "pva/pva.hpp"
#include "pva/Spread.hpp"
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pva {

// What the host took of a step, by the stream copy that it was for.
struct HostPart {
  std::string name;          // of the stream copy
  std::uint64_t waiting = 0; // cycles until the host was ready
  std::uint64_t moving = 0;  // cycles in which data moved, and of what follows
  std::uint64_t bytes = 0;   // that moved
  std::uint64_t times = 0;   // how often it was executed
};

// What one IPU does in a step: a stage of a pipeline, a shard.
struct IpuPart {
  std::uint64_t ipu = 0;                            // its number in the replica
  CyclesByKind byKind;                              // of programs in which its tiles do something
  std::map<std::uint32_t, std::uint64_t> byProgram; // of these, cycles by program
  std::uint64_t bytesSent = 0;                      // to other IPUs
  std::uint64_t busy() const { return byKind.total(); } // cycles; in the others it waits
};

// Runs of the other programs: loading weights, for example.
struct OtherRuns {
  std::string name;         // given to Engine::run, or "program 3"
  std::uint64_t runs = 0;   // how often
  std::uint64_t cycles = 0; // of all of them, if all were kept; else as many times the mean
};

// The median run of the program that computes most.
struct Step {
  std::string name;         // of the program, as far as it has one
  std::uint64_t run = 0;    // which of execution().runs() it is
  std::uint64_t runs = 0;   // of this program, recorded or not
  std::uint64_t cycles = 0; // of the median run
  bool traced = false;      // whether the report has the run's steps, and so what follows
  // What its cycles are spent on. Of programs side by side, as stages of a pipeline are, the
  // longest counts: together the kinds are all cycles of the step.
  CyclesByKind byKind;
  Spread spread;                                    // how sure its cycles are
  std::map<std::uint32_t, std::uint64_t> byProgram; // cycles of leaf programs, by id
  std::vector<HostPart> host;                       // the longest first
  std::uint64_t hostWaiting() const;                // of byKind[Host]: until the host was ready
  std::vector<IpuPart> ipus;                        // of the first replica
  std::vector<OtherRuns> others;                    // the longest first
  std::optional<CycleKind> bound() const;           // the kind that took most
};

// "the host", as in "most of the time goes to the host".
const char *inWords(CycleKind kind);

std::optional<Step> stepOf(const Report &report); // none: nothing ran

} // namespace pva
