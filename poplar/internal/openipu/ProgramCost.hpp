// SPDX-License-Identifier: MIT
// What a compiled program will cost on the device, read off the executable: nothing runs. Loops
// count as often as they turn, programs side by side as long as the slowest. Where the data decide
// (If, Switch, RepeatWhile) the longest branch and one turn are taken and `exact` is false, as it
// is for vertices whose cycles only a run can count.
#pragma once
#include "poplar/Executable.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "pva/Spread.hpp"
#include <cstdint>
#include <string>
#include <vector>

namespace poplar::openipu {

struct PhaseCost { // one stretch of a step, once
  std::string name;
  pva::CycleKind kind;
  std::uint64_t cycles, bytes;
};

struct StepCost { // one step of the program, all its turns
  std::string name, kernel;
  std::vector<PhaseCost> phases;
  std::uint64_t turns = 0;
  pva::CyclesByKind cycles;
  std::uint64_t flops = 0;
};

struct ProgramCost {
  std::uint64_t cycles = 0;
  bool exact = true;
  pva::Spread spread;          // how sure the cycles are
  std::vector<StepCost> steps; // those on the slowest path, in program order
};

// popart's and others' programs by the index they were compiled with.
ProgramCost programCost(const poplar::Executable &executable, unsigned program);

struct MemoryNeed {
  std::uint64_t bytesPerTile = 0; // what a tile has
  std::uint64_t fullestTile = 0;  // what the fullest tile needs
  double average = 0;             // over all tiles of the replica
};
MemoryNeed memoryNeed(const poplar::Executable &executable);
// Of programs that may not fit: whatever the options and the environment say, that is no error
// here.
MemoryNeed memoryNeed(const poplar::Graph &graph,
                      const std::vector<poplar::program::Program> &programs,
                      const poplar::OptionFlags &flags);

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
