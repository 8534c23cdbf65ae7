// SPDX-License-Identifier: MIT
#include "pva/Step.hpp"
#include <algorithm>

namespace pva {

namespace {

struct Entry {                           // a program that Engine::run was told to run
  std::vector<std::size_t> runs;         // in the report's list
  std::uint64_t compute = 0, cycles = 0; // of the recorded runs, then of all
  std::uint64_t times = 0;
};
using Entries = std::map<std::int64_t, Entry>;

std::uint64_t timesRun(const ExecutionReport &execution, const ProgramRef &program) {
  for (const auto &entry : execution.programsRun())
    if (entry.program() == program)
      return entry.runs();
  return 0;
}

class Finder {
public:
  explicit Finder(const Report &report)
      : report_(report), execution_(report.execution()), runs_(execution_.runs()) {}

  std::optional<Step> find() {
    const auto entries = entriesOf();
    if (entries.empty())
      return std::nullopt;
    const auto chosen =
        std::max_element(entries.begin(), entries.end(), [](const auto &a, const auto &b) {
          return std::pair(a.second.compute, a.second.cycles) <
                 std::pair(b.second.compute, b.second.cycles);
        });
    Step step;
    step.run = medianOf(chosen->second.runs);
    const auto &run = runs_[step.run];
    step.name = nameOf(run);
    step.runs = chosen->second.times;
    step.cycles = run.cycles();
    step.traced = isWhole(step.run);
    if (step.traced) {
      addParts(step, longestPath(run.steps()));
      addIpus(step, run.steps());
    }
    addOthers(step, entries, chosen->first);
    return step;
  }

private:
  // The end of a trace that was cut is in the middle of a run.
  bool isWhole(std::size_t run) const {
    if (runs_[run].steps().empty() || !execution_.droppedSteps())
      return !runs_[run].steps().empty();
    for (std::size_t later = 0; later < runs_.size(); ++later)
      if (runs_[later].microseconds().start() > runs_[run].microseconds().start() &&
          !runs_[later].steps().empty())
        return true;
    return false;
  }

  Entries entriesOf() const {
    Entries entries;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      auto &entry = entries[runs_[i].program() ? std::int64_t(runs_[i].program()->id()) : -1];
      const auto spent = cyclesByKind(runs_[i].steps());
      entry.compute += spent[CycleKind::Compute] + spent[CycleKind::Rearrange];
      entry.cycles += runs_[i].cycles();
      entry.runs.push_back(i);
    }
    for (auto &[id, entry] : entries) {
      entry.times = std::max<std::uint64_t>(
          timesRun(execution_, runs_[entry.runs.front()].program()), entry.runs.size());
      const auto scale = double(entry.times) / double(entry.runs.size());
      entry.compute = std::uint64_t(double(entry.compute) * scale);
      entry.cycles = std::uint64_t(double(entry.cycles) * scale);
    }
    return entries;
  }

  // Of those whose steps were recorded, if there are any.
  std::size_t medianOf(std::vector<std::size_t> runs) const {
    const auto isPart = [&](std::size_t run) { return !isWhole(run); };
    if (!std::all_of(runs.begin(), runs.end(), isPart))
      runs.erase(std::remove_if(runs.begin(), runs.end(), isPart), runs.end());
    std::stable_sort(runs.begin(), runs.end(),
                     [&](auto a, auto b) { return runs_[a].cycles() < runs_[b].cycles(); });
    return runs[(runs.size() - 1) / 2];
  }

  std::string nameOf(const Run &run) const {
    if (!run.name().empty())
      return run.name();
    const auto entries = report_.compilation().programs();
    const auto at = std::find(entries.begin(), entries.end(), run.program());
    return at == entries.end() ? "" : "program " + std::to_string(at - entries.begin());
  }

  // The steps that decide how long the run takes, from its end back to its beginning: none begins
  // before the one before it has ended.
  static std::vector<ExecutionStep> longestPath(const std::vector<ExecutionStep> &steps) {
    std::multimap<std::uint64_t, std::size_t> byEnd;
    std::vector<std::uint64_t> starts(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      std::uint64_t cycles = 0, start = UINT64_MAX;
      for (const auto &ipu : steps[i].ipus()) {
        cycles = std::max(cycles, ipu.cycles());
        start = std::min(start, ipu.activeCycles().cyclesFrom().min());
      }
      starts[i] = start;
      if (cycles)
        byEnd.emplace(start + cycles, i);
    }
    std::vector<ExecutionStep> path;
    for (auto at = byEnd.empty() ? byEnd.end() : std::prev(byEnd.end()); at != byEnd.end();) {
      path.push_back(steps[at->second]);
      const auto before = byEnd.upper_bound(starts[at->second]);
      at = before == byEnd.begin() ? byEnd.end() : std::prev(before);
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  static void addIpus(Step &step, const std::vector<ExecutionStep> &steps) {
    std::map<std::uint64_t, CycleKind> kinds;
    for (const auto &each : steps) {
      const auto program = each.program();
      const auto ipus = each.ipus();
      if (step.ipus.size() < ipus.size())
        step.ipus.resize(ipus.size());
      auto kind = kinds.find(program->id());
      if (kind == kinds.end())
        kind = kinds.emplace(program->id(), cycleKind(*program)).first;
      for (std::size_t i = 0; i < ipus.size(); ++i) {
        step.ipus[i].ipu = i;
        if (!ipus[i].activeTiles())
          continue;
        step.ipus[i].byKind.add(kind->second, ipus[i].cycles());
        step.ipus[i].byProgram[std::uint32_t(program->id())] += ipus[i].cycles();
        if (kind->second == CycleKind::GlobalExchange)
          step.ipus[i].bytesSent += ipus[i].dataOut();
      }
    }
  }

  // The phases of a stream copy follow one another: the wait, the transfer, what comes after it.
  static void addParts(Step &step, const std::vector<ExecutionStep> &steps) {
    step.byKind = cyclesByKind(steps);
    std::map<std::string, HostPart> host;
    std::map<std::uint32_t, ProgramRef> programs;
    std::uint64_t waiting = 0;
    std::string last;
    for (const auto &each : steps) {
      std::uint64_t cycles = 0;
      for (const auto &ipu : each.ipus())
        cycles = std::max(cycles, ipu.cycles());
      const auto program = each.program();
      step.byProgram[std::uint32_t(program->id())] += cycles;
      programs.emplace(std::uint32_t(program->id()), program);
      if (program->type() == Program::Type::StreamCopyBegin)
        addWait(host, program->name(), cycles, waiting);
      else if (program->type() == Program::Type::StreamCopyMid) {
        auto &part = host[last = program->name()];
        part.waiting += std::exchange(waiting, 0);
        part.moving += cycles;
        part.bytes += program->bytes();
        ++part.times;
      } else if (program->type() == Program::Type::StreamCopyEnd)
        host[last].moving += cycles;
    }
    for (const auto &[id, cycles] : step.byProgram)
      step.spread.add(measuredAs(*programs.at(id)), cycles);
    for (auto &[name, part] : host) {
      part.name = name;
      step.host.push_back(std::move(part));
    }
    std::stable_sort(step.host.begin(), step.host.end(), [](const auto &a, const auto &b) {
      return a.waiting + a.moving > b.waiting + b.moving;
    });
  }
  // The wait for the run's first data is a step of its own; others belong to the copy behind them.
  static void addWait(std::map<std::string, HostPart> &host, const std::string &name,
                      std::uint64_t cycles, std::uint64_t &waiting) {
    const auto slash = name.rfind("/sync");
    if (slash != std::string::npos && name.rfind("wait for first data", 0) == 0) {
      auto &part = host[name.substr(0, slash)];
      part.waiting += cycles;
      ++part.times;
    } else {
      waiting += cycles;
    }
  }

  void addOthers(Step &step, const Entries &entries, std::int64_t chosen) const {
    for (const auto &[id, entry] : entries)
      if (id != chosen)
        step.others.push_back({nameOf(runs_[entry.runs.front()]), entry.times, entry.cycles});
    std::stable_sort(step.others.begin(), step.others.end(),
                     [](const auto &a, const auto &b) { return a.cycles > b.cycles; });
  }

  const Report &report_;
  const ExecutionReport execution_;
  const std::vector<Run> runs_;
};

} // namespace

std::uint64_t Step::hostWaiting() const {
  std::uint64_t sum = 0;
  for (const auto &part : host)
    sum += part.waiting;
  return sum;
}

std::optional<CycleKind> Step::bound() const {
  if (!byKind.total())
    return std::nullopt;
  auto most = CycleKind::Compute;
  for (unsigned i = 0; i < numCycleKinds; ++i)
    if (byKind[CycleKind(i)] > byKind[most])
      most = CycleKind(i);
  return most;
}

const char *inWords(CycleKind kind) {
  constexpr const char *words[] = {"computing",
                                   "copies within tiles",
                                   "exchange between tiles",
                                   "exchange between IPUs",
                                   "the host",
                                   "syncs of tiles",
                                   "control"};
  return words[unsigned(kind)];
}

std::optional<Step> stepOf(const Report &report) { return Finder(report).find(); }

} // namespace pva
