// SPDX-License-Identifier: MIT
// What ran: runs of programs, the steps they executed with their cycles per IPU and tile, blocks
// with time stamps, and totals over everything, traced or not.
#pragma once
#include "pva/Program.hpp"
#include <map>

namespace pva {

class CycleRange {
public:
  CycleRange(std::uint64_t min, std::uint64_t max) : min_(min), max_(max) {}
  std::uint64_t min() const { return min_; }
  std::uint64_t max() const { return max_; }

private:
  std::uint64_t min_, max_;
};

// Over the active tiles of one IPU; device cycles since the first run.
class ActiveCycles {
public:
  ActiveCycles(CycleRange from, CycleRange to) : from_(from), to_(to) {}
  CycleRange cyclesFrom() const { return from_; }
  CycleRange cyclesTo() const { return to_; }

private:
  CycleRange from_, to_;
};

class ExecutionStepOnIpu : public detail::Handle<ExecutionStepOnIpu> {
public:
  ExecutionStepOnIpu(detail::DataRef data, std::uint32_t step, std::uint32_t ipu)
      : Handle(std::move(data)), step_(step), ipu_(ipu) {}
  std::uint64_t cycles() const;
  ActiveCycles activeCycles() const;
  double tileBalance() const;
  double activeTileBalance() const;
  std::uint64_t activeTiles() const;
  std::uint64_t dataIn() const;
  std::uint64_t dataOut() const;

private:
  std::uint32_t step_, ipu_;
};

// One execution of one leaf program.
class ExecutionStep : public detail::Handle<ExecutionStep> {
public:
  ExecutionStep(detail::DataRef data, std::uint32_t index)
      : Handle(std::move(data)), index_(index) {}
  ProgramRef program() const;
  std::vector<ExecutionStepOnIpu> ipus() const;
  ExecutionStepOnIpu ipu(std::uint64_t index) const; // one of them
  NumberByTile cyclesByTile() const;
  std::vector<ComputeSet> computeSets() const;

private:
  std::uint32_t index_;
};

class Microseconds {
public:
  Microseconds(double start, double end) : start_(start), end_(end) {}
  double start() const { return start_; }
  double end() const { return end_; }

private:
  double start_, end_;
};

// One Engine::run. Steps are there for the runs that were traced.
class Run : public detail::Handle<Run> {
public:
  Run(detail::DataRef data, std::uint32_t index) : Handle(std::move(data)), index_(index) {}
  std::string name() const;
  ProgramRef program() const;
  std::vector<ExecutionStep> steps() const;
  Microseconds microseconds() const;
  std::uint64_t cycles() const;

private:
  std::uint32_t index_;
};

// One execution of a Block program, as the lightweight profile sees it.
class Block : public detail::Handle<Block> {
public:
  Block(detail::DataRef data, std::uint32_t index, std::uint32_t tile)
      : Handle(std::move(data)), index_(index), tile_(tile) {}
  ProgramRef program() const;
  std::uint64_t cyclesFrom() const;
  std::uint64_t cyclesTo() const;
  std::uint64_t tile() const { return tile_; }
  std::uint64_t numTiles() const; // of the record it comes from: so many tiles have the same
  bool isCommon() const;          // an ordinary one: none of the following
  bool isOverflow() const;        // the buffer was full: blocks between these cycles are missing
  bool isBlockFlush() const;      // the buffer was emptied
  bool isStreamCopy() const;

private:
  std::uint32_t index_, tile_;
};

// How often a leaf program ran, and its cycles, over all runs.
class ProgramTotal {
public:
  ProgramTotal(ProgramRef program, std::uint64_t executions, std::uint64_t cycles)
      : program_(std::move(program)), executions_(executions), cycles_(cycles) {}
  ProgramRef program() const { return program_; }
  std::uint64_t executions() const { return executions_; }
  std::uint64_t cycles() const { return cycles_; }

private:
  ProgramRef program_;
  std::uint64_t executions_, cycles_;
};

// How often an entry program was run, traced or not.
class ProgramRuns {
public:
  ProgramRuns(ProgramRef program, std::uint64_t runs) : program_(std::move(program)), runs_(runs) {}
  ProgramRef program() const { return program_; }
  std::uint64_t runs() const { return runs_; }

private:
  ProgramRef program_;
  std::uint64_t runs_;
};

// Energy of all IPUs by the model of the simulated chip.
class Energy {
public:
  Energy(std::map<std::string, double> byKind, double seconds)
      : byKind_(std::move(byKind)), seconds_(seconds) {}
  const std::map<std::string, double> &joulesByKind() const {
    return byKind_;
  } // of step: "compute", "exchange", ...
  double joules() const {
    double sum = 0;
    for (const auto &kind : byKind_)
      sum += kind.second;
    return sum;
  }
  double seconds() const { return seconds_; }
  double averageWatts() const {
    return seconds_ > 0 ? joules() / seconds_ : 0;
  } // 0 when nothing ran

private:
  std::map<std::string, double> byKind_;
  double seconds_;
};

class ExecutionReport : public detail::Handle<ExecutionReport> {
public:
  explicit ExecutionReport(detail::DataRef data) : Handle(std::move(data)) {}
  std::vector<ExecutionStep> steps() const;
  std::vector<Run> runs() const;
  std::vector<Block> blocks() const;
  std::vector<Block> blocks(std::uint64_t tile) const;
  std::vector<Block> blockRecords() const; // each record once, on the first of its tiles

  std::vector<ProgramTotal> totals() const;     // programs that ran, by id
  std::uint64_t totalCycles() const;            // over all runs, traced or not
  std::vector<ProgramRuns> programsRun() const; // entry programs that ran
  std::uint64_t droppedSteps() const;           // executions beyond the limit of the trace
  std::uint64_t droppedBlocks() const;
  Energy energy() const;
};

} // namespace pva
