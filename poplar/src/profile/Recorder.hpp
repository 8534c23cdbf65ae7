// SPDX-License-Identifier: MIT
// What the engine tells the profile while a program runs. Totals (how often each step ran, for how
// many cycles) are always kept and cost a few nanoseconds and O(steps) memory; the trace of single
// executions is kept only when asked for, for a limited number of runs and events. Called from the
// control thread, for the first replica.
#pragma once
#include "executable/Image.hpp"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace poplar::profile {

struct RecorderOptions {
  bool trace = false;        // keep every execution of every leaf step
  std::uint64_t maxRuns = 2; // runs of each program that the trace covers
  std::uint64_t maxEvents =
      200'000; // executions, and blocks, kept over all runs; the others are counted
  std::string blocksFilter = {};   // regex over the names of Block steps; empty: none
  std::string programsFilter = {}; // regex over the names of all other steps; empty: none
  std::uint64_t blockBufferBytes = 1000;
  // Empty the block buffer whenever the device meets the host and at the end of a loop's body.
  bool implicitFlush = true;
  std::uint32_t blockTile = 0;   // the tile of each IPU that takes the time stamps
  bool externalExchange = false; // every stream copy is a block, on the tiles that take part
};

class Recorder {
public:
  struct Total {
    std::uint64_t executions = 0, cycles = 0;
    const executable::Cost *cost = nullptr; // of the last execution
  };
  struct Run {
    std::uint32_t program;
    std::string name; // as given to Engine::run
    std::uint64_t startCycle, endCycle;
    std::uint64_t firstEvent, endEvent; // in events(); empty when the run is not traced
  };
  struct Event {
    std::uint32_t step;
    std::uint64_t startCycle, cycles;
  };
  struct Block {
    std::uint32_t step; // executable::none for a flush and an overflow
    std::uint64_t cyclesFrom, cyclesTo;
    bool streamCopy, overflow, flush; // overflow: executions between these cycles were lost
    bool onItsTiles = false;          // not on blockTile: on the tiles of the stream copy
  };

  // The image must outlive the recorder. A filter that is no regular expression throws
  // invalid_option.
  Recorder(const executable::Image &image, RecorderOptions options);

  void beginRun(std::uint32_t program, const std::string &name, std::uint64_t cycle);
  void endRun(std::uint64_t cycle); // also after an exception

  // One execution of a leaf step, or one decision or iteration of a container that has a cost of
  // its own. `cycles` is cost.cycles(), which the engine knows already. The cost must stay where it
  // is while the recorder is used.
  void leaf(std::uint32_t step, const executable::Cost &cost, std::uint64_t startCycle,
            std::uint64_t cycles) {
    if (!enabled_)
      return;
    Total &total = totals_[step];
    ++total.executions;
    total.cycles += cycles;
    total.cost = &cost;
    if (tracing_ || watched_[step])
      recordLeaf(step, startCycle, cycles);
  }
  // The same many times, where it need not be told one by one.
  void repeated(std::uint32_t step, const executable::Cost &cost, std::uint64_t times,
                std::uint64_t cycles) {
    if (!enabled_ || !times)
      return;
    Total &total = totals_[step];
    total.executions += times;
    total.cycles += cycles;
    total.cost = &cost;
  }
  bool sees(std::uint32_t step) const { return enabled_ && (tracing_ || watched_[step]); }
  // Leaf steps that run together, one after the other. Their costs are told before they first do,
  // and stay.
  std::uint32_t group(std::vector<std::uint32_t> steps);
  void costs(std::uint32_t group, std::vector<const executable::Cost *> costs);
  bool seesEach(std::uint32_t group) const {
    return enabled_ && (tracing_ || groups_[group].watched);
  }
  void repeated(std::uint32_t group, std::uint64_t times) {
    if (enabled_)
      groups_[group].times += times;
  }
  // Container steps; needed only where watches(step) holds. Nested properly.
  bool watches(std::uint32_t step) const { return watched_[step] & keep; }
  void enter(std::uint32_t step, std::uint64_t cycle) {
    if (enabled_ && watches(step))
      open_.push_back({step, cycle});
  }
  void leave(std::uint32_t step, std::uint64_t cycle) {
    if (enabled_ && watches(step))
      closeBlock(step, cycle);
  }
  // After each iteration of a loop.
  void endOfBody(std::uint32_t loop, std::uint64_t cycle) {
    if (enabled_ && (watched_[loop] & flushes))
      flushBlocks(cycle);
  }
  // Worker cycles that the engine counted for a vertex that had no estimate.
  void measured(std::uint32_t vertex, std::uint64_t cycles);

  void enable() { enabled_ = true; }
  void disable() { enabled_ = false; }
  void reset(); // forgets all runs; keeps options and measured vertices

  const RecorderOptions &options() const { return options_; }
  const std::vector<Total> &totals() const;              // by step
  const std::vector<Run> &runs() const { return runs_; } // the first maxRuns of each program
  const std::vector<std::uint64_t> &runsByProgram() const { return runsByProgram_; } // all
  const std::vector<Event> &events() const { return events_; }
  std::uint64_t droppedEvents() const { return droppedEvents_; }
  const std::vector<Block> &blocks() const { return blocks_; }
  std::uint64_t droppedBlocks() const { return droppedBlocks_; }
  std::uint64_t vertexCycles(std::uint32_t vertex) const; // measured, else the estimate, else 0

private:
  enum Watch : std::uint8_t { keep = 1, flushes = 2, streams = 4 };
  struct Open {
    std::uint32_t step;
    std::uint64_t cycle;
  };
  struct Group {
    std::vector<std::uint32_t> steps;
    std::vector<const executable::Cost *> costs;
    bool watched;
    mutable std::uint64_t times = 0; // that are not in totals_ yet
  };
  void recordLeaf(std::uint32_t step, std::uint64_t startCycle, std::uint64_t cycles);
  void closeBlock(std::uint32_t step, std::uint64_t cycle);
  void keepBlock(std::uint32_t step, std::uint64_t from, std::uint64_t to);
  void keepStreamCopy(std::uint32_t step, std::uint64_t from, std::uint64_t to);
  void lose(std::uint64_t from, std::uint64_t to);
  void flushBlocks(std::uint64_t cycle);
  void watchMatching(const std::string &filter, const char *option, bool blocks);
  void watchStreamCopies();
  void watchFlushes();

  const executable::Image *image_;
  RecorderOptions options_;
  bool enabled_ = true, running_ = false, keepsRun_ = false, tracing_ = false;
  mutable std::vector<Total> totals_;
  std::vector<Group> groups_;
  std::vector<std::uint8_t> watched_; // of Watch, by step
  std::vector<Run> runs_;
  std::vector<Event> events_;
  std::vector<Block> blocks_;
  std::vector<Open> open_;
  std::map<std::uint32_t, std::uint64_t> measured_;
  std::vector<std::uint64_t> runsByProgram_;
  std::uint64_t droppedEvents_ = 0, droppedBlocks_ = 0;
  std::uint64_t bufferUsed_ = 0;
};

} // namespace poplar::profile
