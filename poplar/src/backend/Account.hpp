// SPDX-License-Identifier: MIT
// What a running program costs: cycles, the profile, the trace of steps and the host's own time.
#pragma once
#include "arch/System.hpp"
#include "backend/Backend.hpp"
#include "backend/HostTimes.hpp"
#include "base/OutputFile.hpp"
#include "profile/Recorder.hpp"
#include <atomic>
#include <map>
#include <optional>

namespace poplar::backend {

// What one execution of a step costs, kept apart because counting may replace it.
struct StepCost {
  const executable::Cost *cost = nullptr;
  std::uint64_t cycles = 0;
  bool pending = false; // a vertex of the compute set is still to be counted
};

class Account {
public:
  Account(std::shared_ptr<const executable::Image> image, const arch::System &system,
          const RunOptions &options, profile::Recorder &recorder);

  StepCost *costOf(std::uint32_t step) { return &costs_[step]; } // stays where it is
  std::uint64_t cycles() const { return cycles_; }
  const std::uint64_t *counter() const { return &cycles_; }
  // About as many, for another thread to read during a run.
  std::uint64_t cyclesSoFar() const { return cyclesSoFar_.load(std::memory_order_relaxed); }
  void tell() { cyclesSoFar_.store(cycles_, std::memory_order_relaxed); }

  void begin(); // of a run
  void pay(std::uint32_t step, const StepCost &cost) {
    recorder_.leaf(step, *cost.cost, cycles_, cost.cycles);
    cycles_ += cost.cycles;
    if (trace_)
      traceStep(step, cost);
    if (hostTimes_) [[unlikely]]
      hostTimes_->end(step);
  }
  // The cycles of a compute set's vertices were counted: from now on every step that executes it
  // has its full cost.
  void measured(std::uint32_t computeSet, const std::vector<std::uint64_t> &cycles);
  bool recounts(std::uint32_t computeSet) const { return recounts_[computeSet]; }
  const std::vector<std::uint8_t> &recounts() const { return recounts_; } // by compute set

  // Steps that run as a whole (profile::Recorder).
  std::uint32_t group(std::vector<std::uint32_t> steps) {
    return recorder_.group(std::move(steps));
  }
  void costs(std::uint32_t group, std::vector<const executable::Cost *> costs) {
    recorder_.costs(group, std::move(costs));
  }
  void onHost(std::uint32_t step, std::uint64_t there, std::uint64_t back) {
    if (hostTimes_)
      hostTimes_->onHost(step, there, back);
  }
  bool wantsSteps() const { return hostTimes_.has_value(); } // they may not run as a whole
  bool seesEach(std::uint32_t group) const { return trace_ || recorder_.seesEach(group); }
  bool sees(std::uint32_t step) const { return trace_ || recorder_.sees(step); }
  void payAll(std::uint32_t group, std::uint64_t cycles, std::uint64_t times) {
    recorder_.repeated(group, times);
    cycles_ += times * cycles;
  }
  void payAgain(std::uint32_t step, const StepCost &cost, std::uint64_t times) {
    recorder_.repeated(step, *cost.cost, times, times * cost.cycles);
    cycles_ += times * cost.cycles;
  }

  void enter(std::uint32_t step) { recorder_.enter(step, cycles_); }
  void leave(std::uint32_t step) { recorder_.leave(step, cycles_); }
  void endOfBody(std::uint32_t step) { recorder_.endOfBody(step, cycles_); }
  bool watches(std::uint32_t step) const { return recorder_.watches(step); }

  // Ways that are taken at the same time: the slowest counts.
  void fork() { forks_.push_back({cycles_, cycles_}); }
  void next() {
    forks_.back().latest = std::max(forks_.back().latest, cycles_);
    cycles_ = forks_.back().start;
  }
  void join() {
    cycles_ = forks_.back().latest;
    forks_.pop_back();
  }

private:
  void traceStep(std::uint32_t step, const StepCost &cost);

  std::shared_ptr<const executable::Image> image_;
  arch::System system_; // of one replica
  profile::Recorder &recorder_;
  std::vector<StepCost> costs_;
  std::map<std::size_t, executable::Cost> measured_; // by step: costs that counting completed
  std::vector<std::uint8_t> recounts_; // by compute set: its cycles change with the data
  std::vector<std::vector<std::uint32_t>> executions_; // by compute set: steps that execute it
  std::uint64_t cycles_ = 0; // runs on over loads, as the counter of a tile does
  std::atomic<std::uint64_t> cyclesSoFar_{0};
  struct Fork {
    std::uint64_t start, latest;
  };
  std::vector<Fork> forks_; // under way
  bool trace_ = false;
  base::Descriptor traceFile_;
  std::optional<base::DescriptorStream> traceStream_;
  std::optional<HostTimes> hostTimes_;
};

} // namespace poplar::backend
