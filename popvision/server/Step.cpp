// SPDX-License-Identifier: MIT
#include "Step.hpp"
#include <algorithm>

namespace popvision {

namespace {

struct Entry { // a program that Engine::run was told to run
  std::vector<pva::Run> runs;
  std::uint64_t compute = 0, cycles = 0; // of the recorded runs, then of all
};

// The end of a trace that was cut is in the middle of a run.
bool isWhole(const pva::Run &run, const pva::ExecutionReport &execution,
             const std::vector<pva::ExecutionStep> &steps) {
  if (steps.empty() || !execution.droppedSteps())
    return !steps.empty();
  for (const auto &later : execution.runs())
    if (later.microseconds().start() > run.microseconds().start() && !later.steps().empty())
      return true;
  return false;
}

std::uint64_t timesRun(const pva::ExecutionReport &execution, const pva::ProgramRef &program) {
  for (const auto &entry : execution.programsRun())
    if (entry.program() == program)
      return entry.runs();
  return 0;
}

std::map<std::int64_t, Entry> entriesOf(const pva::ExecutionReport &execution) {
  std::map<std::int64_t, Entry> entries;
  for (const auto &run : execution.runs()) {
    auto &entry = entries[run.program() ? std::int64_t(run.program()->id()) : -1];
    entry.compute += pva::cyclesByKind(run.steps())[Kind::Compute];
    entry.cycles += run.cycles();
    entry.runs.push_back(run);
  }
  for (auto &[id, entry] : entries) {
    const auto times = double(std::max<std::uint64_t>(timesRun(execution, entry.runs[0].program()),
                                                      entry.runs.size())) /
                       double(entry.runs.size());
    entry.compute = std::uint64_t(double(entry.compute) * times);
    entry.cycles = std::uint64_t(double(entry.cycles) * times);
  }
  return entries;
}

// Of those whose steps were recorded, if there are any.
pva::Run medianOf(std::vector<pva::Run> runs, const pva::ExecutionReport &execution) {
  const auto isPart = [&](const pva::Run &run) { return !isWhole(run, execution, run.steps()); };
  if (!std::all_of(runs.begin(), runs.end(), isPart))
    runs.erase(std::remove_if(runs.begin(), runs.end(), isPart), runs.end());
  std::stable_sort(runs.begin(), runs.end(),
                   [](const auto &a, const auto &b) { return a.cycles() < b.cycles(); });
  return runs[(runs.size() - 1) / 2];
}

std::string nameOf(const pva::Run &run, const Model &model) {
  if (!run.name().empty())
    return run.name();
  const auto entries = model.compilation().programs();
  const auto at = std::find(entries.begin(), entries.end(), run.program());
  return at == entries.end() ? "" : "program " + std::to_string(at - entries.begin());
}

} // namespace

std::optional<Step> stepOf(const Model &model) {
  const auto execution = model.execution();
  const auto entries = entriesOf(execution);
  if (entries.empty())
    return std::nullopt;
  const auto &entry =
      std::max_element(entries.begin(), entries.end(), [](const auto &a, const auto &b) {
        return std::pair(a.second.compute, a.second.cycles) <
               std::pair(b.second.compute, b.second.cycles);
      })->second;
  const auto run = medianOf(entry.runs, execution);
  const auto steps = run.steps();
  Step step;
  step.name = nameOf(run, model);
  step.runs = std::max<std::uint64_t>(timesRun(execution, run.program()), entry.runs.size());
  step.cycles = run.cycles();
  step.traced = isWhole(run, execution, steps);
  if (!step.traced)
    return step;
  step.byKind = pva::cyclesByKind(steps);
  for (const auto &each : steps) {
    std::uint64_t cycles = 0;
    for (const auto &ipu : each.ipus())
      cycles = std::max(cycles, ipu.cycles());
    step.byProgram[std::uint32_t(each.program()->id())] += cycles;
  }
  return step;
}

} // namespace popvision
