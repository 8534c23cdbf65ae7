// SPDX-License-Identifier: MIT
// What cycles are spent on, told in one way wherever cycles are shown. Not part of the vendor's
// interface, so pva.hpp does not include it. Until the host is ready the IPU waits: all of a stream
// copy, StreamCopyBegin too, is the host's time, and only tiles that wait for tiles are sync.
#pragma once
#include "pva/Execution.hpp"
#include <cstdint>
#include <vector>

namespace pva {

// The order is that of every list of kinds.
enum class CycleKind { Compute, Exchange, GlobalExchange, Host, Sync, Control };
constexpr unsigned numCycleKinds = 6;    // kinds that there are
const char *toString(CycleKind kind);    // "globalExchange"
CycleKind cycleKind(Program::Type type); // the kind that a program's cycles count as

// Cycles by what they were spent on.
class CyclesByKind {
public:
  std::uint64_t operator[](CycleKind kind) const { return cycles_[static_cast<unsigned>(kind)]; }
  void add(Program::Type type, std::uint64_t cycles); // counts cycles of a program of this type
  std::uint64_t total() const;                        // of all kinds

private:
  std::uint64_t cycles_[numCycleKinds] = {};
};

CyclesByKind cyclesByKind(const std::vector<ExecutionStep> &steps); // each as long as on its IPUs
CyclesByKind cyclesByKind(const std::vector<ProgramTotal> &totals);

} // namespace pva
