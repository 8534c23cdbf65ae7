// SPDX-License-Identifier: MIT
// What one step of a session takes on the simulated device, by the machine model. It is known as
// soon as the model is compiled: nothing has to be loaded or run.
#ifndef POPART_MODELLEDSTEP_HPP
#define POPART_MODELLEDSTEP_HPP
#include <cstdint>
#include <string>
#include <vector>

namespace popart {

struct ModelledStep {
  // A program step on the path that decides the time (of pipeline stages side by side, the
  // slowest), with all its turns.
  struct Part {
    std::string name, kernel;      // of the step; of what it computes with
    struct Phase {                 // of one turn
      std::string name;            // what the turn does
      std::uint64_t cycles, bytes; // of this phase
    };
    std::vector<Phase> phases; // the phases of one turn
    std::uint64_t turns = 0;
    // Cycles of all turns, by what they are spent on.
    std::uint64_t compute = 0, exchange = 0, betweenIpus = 0, host = 0, sync = 0, control = 0;
    std::uint64_t flops = 0; // floating point operations of all turns
    // Of all kinds together.
    std::uint64_t cycles() const {
      return compute + exchange + betweenIpus + host + sync + control;
    }
  };
  std::uint64_t cycles = 0; // of one step
  double seconds = 0;       // at the chip's clock
  bool exact = true; // false where data decide what runs: the longest branch, one turn of a loop
  std::int64_t microBatches = 0;                   // of all replicas
  std::vector<Part> parts;                         // by what the program does, in order
  std::uint64_t bytesPerTile = 0, fullestTile = 0; // what a tile has; what the fullest needs
  double averageTile = 0;                          // bytes that a tile needs in the mean
};

} // namespace popart
#endif
