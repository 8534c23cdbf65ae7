// SPDX-License-Identifier: MIT
// What cycles are spent on, told in one way wherever cycles are shown. Not part of the vendor's
// interface, so pva.hpp does not include it. Until the host is ready the IPU waits: all of a stream
// copy, StreamCopyBegin too, is the host's time, and only tiles that wait for tiles are sync. Tiles
// that only move data within themselves rearrange it; they do not compute.
#pragma once
#include "pva/Execution.hpp"
#include <cstdint>
#include <string>
#include <vector>

namespace pva {

// The order is that of every list of kinds.
enum class CycleKind { Compute, Rearrange, Exchange, GlobalExchange, Host, Sync, Control };
constexpr unsigned numCycleKinds = 7;        // kinds that there are
const char *toString(CycleKind kind);        // "globalExchange"
CycleKind cycleKind(Program::Type type);     // of programs of other types than OnTileExecute
CycleKind cycleKind(const Program &program); // the kind that a program's cycles count as

// Whether tiles that execute this only move data: if all their vertices are copies of the runtime
// (poplar_rt::...), or if they have none and the last part of the name is one that the compiler
// gives to copies ("copy-in").
bool onlyRearranges(const std::string &name, const std::vector<std::string> &vertices);

// Cycles by what they were spent on.
class CyclesByKind {
public:
  std::uint64_t operator[](CycleKind kind) const { return cycles_[static_cast<unsigned>(kind)]; }
  // Counts cycles of a kind.
  void add(CycleKind kind, std::uint64_t cycles) { cycles_[static_cast<unsigned>(kind)] += cycles; }
  std::uint64_t total() const; // of all kinds

private:
  std::uint64_t cycles_[numCycleKinds] = {};
};

CyclesByKind cyclesByKind(const std::vector<ExecutionStep> &steps); // each as long as on its IPUs
CyclesByKind cyclesByKind(const std::vector<ProgramTotal> &totals);

} // namespace pva
