// SPDX-License-Identifier: MIT
// What ran: runs of programs, the steps they executed with their cycles per IPU and tile, blocks
// with time stamps, and totals over everything, traced or not.
#pragma once
#include "pva/Program.hpp"
#include <map>

namespace pva {

// The earliest and the latest of the cycles at which tiles did something.
class CycleRange {
public:
  CycleRange(std::uint64_t min, std::uint64_t max) : min_(min), max_(max) {}
  std::uint64_t min() const { return min_; } // the earliest
  std::uint64_t max() const { return max_; } // the latest

private:
  std::uint64_t min_, max_;
};

// Over the active tiles of one IPU; device cycles since the first run.
class ActiveCycles {
public:
  ActiveCycles(CycleRange from, CycleRange to) : from_(from), to_(to) {}
  CycleRange cyclesFrom() const { return from_; } // when tiles began
  CycleRange cyclesTo() const { return to_; }     // when tiles ended

private:
  CycleRange from_, to_;
};

// What one IPU did in one step.
class ExecutionStepOnIpu : public detail::Handle<ExecutionStepOnIpu> {
public:
  ExecutionStepOnIpu(detail::DataRef data, std::uint32_t step, std::uint32_t ipu)
      : Handle(std::move(data)), step_(step), ipu_(ipu) {}
  std::uint64_t cycles() const;      // from the first tile's begin to the last tile's end
  ActiveCycles activeCycles() const; // when its tiles began and ended
  double tileBalance() const;        // mean of all tiles' cycles over the slowest tile's, 0 to 1
  double activeTileBalance() const;  // the same over the tiles that did something
  std::uint64_t activeTiles() const; // tiles that did something
  std::uint64_t dataIn() const;      // bytes that its tiles received
  std::uint64_t dataOut() const;     // bytes that its tiles sent

private:
  std::uint32_t step_, ipu_;
};

// One execution of one leaf program.
class ExecutionStep : public detail::Handle<ExecutionStep> {
public:
  ExecutionStep(detail::DataRef data, std::uint32_t index)
      : Handle(std::move(data)), index_(index) {}
  ProgramRef program() const;                        // the leaf program that ran
  std::vector<ExecutionStepOnIpu> ipus() const;      // one entry for each IPU
  ExecutionStepOnIpu ipu(std::uint64_t index) const; // one of them
  NumberByTile cyclesByTile() const;                 // cycles that each tile was busy
  std::vector<ComputeSet> computeSets() const;       // of a compute step, else none

private:
  std::uint32_t index_;
};

// Time of the device, since it was loaded.
class Microseconds {
public:
  Microseconds(double start, double end) : start_(start), end_(end) {}
  double start() const { return start_; } // of the first cycle
  double end() const { return end_; }     // after the last cycle

private:
  double start_, end_;
};

// One Engine::run. Steps are there for the runs that were traced.
class Run : public detail::Handle<Run> {
public:
  Run(detail::DataRef data, std::uint32_t index) : Handle(std::move(data)), index_(index) {}
  std::string name() const;                 // the name given to Engine::run
  ProgramRef program() const;               // the entry program
  std::vector<ExecutionStep> steps() const; // those that were traced, in order
  Microseconds microseconds() const;        // when it began and ended
  std::uint64_t cycles() const;             // how long it took

private:
  std::uint32_t index_;
};

// One execution of a Block program, as the lightweight profile sees it.
class Block : public detail::Handle<Block> {
public:
  Block(detail::DataRef data, std::uint32_t index, std::uint32_t tile)
      : Handle(std::move(data)), index_(index), tile_(tile) {}
  ProgramRef program() const;                  // the Block program
  std::uint64_t cyclesFrom() const;            // when it began on this tile
  std::uint64_t cyclesTo() const;              // when it ended on this tile
  std::uint64_t tile() const { return tile_; } // the tile that recorded it
  std::uint64_t numTiles() const; // of the record it comes from: so many tiles have the same
  bool isCommon() const;          // an ordinary one: none of the following
  bool isOverflow() const;        // the buffer was full: blocks between these cycles are missing
  bool isBlockFlush() const;      // the buffer was emptied
  bool isStreamCopy() const;      // whether it is a transfer from or to the host

private:
  std::uint32_t index_, tile_;
};

// How often a leaf program ran, and its cycles, over all runs.
class ProgramTotal {
public:
  ProgramTotal(ProgramRef program, std::uint64_t executions, std::uint64_t cycles)
      : program_(std::move(program)), executions_(executions), cycles_(cycles) {}
  ProgramRef program() const { return program_; }          // which program
  std::uint64_t executions() const { return executions_; } // how often it ran
  std::uint64_t cycles() const { return cycles_; }         // of all executions together

private:
  ProgramRef program_;
  std::uint64_t executions_, cycles_;
};

// How often an entry program was run, traced or not.
class ProgramRuns {
public:
  ProgramRuns(ProgramRef program, std::uint64_t runs) : program_(std::move(program)), runs_(runs) {}
  ProgramRef program() const { return program_; } // the entry program
  std::uint64_t runs() const { return runs_; }    // how often it ran

private:
  ProgramRef program_;
  std::uint64_t runs_;
};

// Energy of all IPUs by the model of the simulated chip.
class Energy {
public:
  Energy(std::map<std::string, double> byKind, double seconds)
      : byKind_(std::move(byKind)), seconds_(seconds) {}
  // Energy by kind of step: "compute", "exchange", ...
  const std::map<std::string, double> &joulesByKind() const {
    return byKind_;
  } // of step: "compute", "exchange", ...
  // Of all kinds together.
  double joules() const {
    double sum = 0;
    for (const auto &kind : byKind_)
      sum += kind.second;
    return sum;
  }
  double seconds() const { return seconds_; } // time of the device that it was used in
  // 0 if nothing ran.
  double averageWatts() const {
    return seconds_ > 0 ? joules() / seconds_ : 0;
  } // 0 when nothing ran

private:
  std::map<std::string, double> byKind_;
  double seconds_;
};

// What ran, and what it cost.
class ExecutionReport : public detail::Handle<ExecutionReport> {
public:
  explicit ExecutionReport(detail::DataRef data) : Handle(std::move(data)) {}
  std::vector<ExecutionStep> steps() const; // of all traced runs, in order
  std::vector<Run> runs() const;            // one entry for each Engine::run
  std::vector<Block> blocks() const;        // of all tiles, or of one
  std::vector<Block> blocks(std::uint64_t tile) const;
  std::vector<Block> blockRecords() const; // each record once, on the first of its tiles

  std::vector<ProgramTotal> totals() const;     // programs that ran, by id
  std::uint64_t totalCycles() const;            // over all runs, traced or not
  std::vector<ProgramRuns> programsRun() const; // entry programs that ran
  std::uint64_t droppedSteps() const;           // executions beyond the limit of the trace
  std::uint64_t droppedBlocks() const;          // blocks beyond what the buffer held
  Energy energy() const;                        // of all runs, traced or not
};

} // namespace pva
