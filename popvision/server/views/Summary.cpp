// SPDX-License-Identifier: MIT
#include "../Views.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <fstream>
#include <iterator>

namespace popvision {

namespace {

const char *targetType(pva::Target::Type type) {
  switch (type) {
  case pva::Target::Type::Ipu:
    return "IPU";
  case pva::Target::Type::IpuModel:
    return "IPUModel";
  case pva::Target::Type::Cpu:
    return "CPU";
  default:
    return "unknown";
  }
}

view::SummaryTarget targetOf(const Model &model) {
  const auto t = model.compilation().target();
  return {.type = targetType(t.type()),
          .architecture = t.architectureName(),
          .chip = model.chip() ? model.chip()->displayName : t.architectureName(),
          .numIPUs = t.numIPUs(),
          .numReplicas = t.numReplicas(),
          .ipusPerReplica = t.ipusPerReplica(),
          .numTiles = t.numTiles(),
          .tilesPerIpu = t.tilesPerIpu(),
          .bytesPerTile = t.bytesPerTile(),
          .bytesPerIPU = t.bytesPerIPU(),
          .totalMemory = t.totalMemory(),
          .memoryPerReplica = t.memoryPerReplica(),
          .clockFrequency = t.clockFrequency(),
          .workersPerTile = t.workersPerTile()};
}

view::SummaryInstrumentation instrumentationOf(const Model &model) {
  constexpr const char *compute[] = {"off", "vertex", "tile", "ipu", "device", "unknown"};
  constexpr const char *exchange[] = {"off", "tile", "unknown"};
  const auto settings = model.report().instrumentationSettings();
  return {compute[unsigned(settings.compute())], exchange[unsigned(settings.externalExchange())]};
}

view::List<view::ProgramRuns> programRunsOf(const Model &model) {
  view::List<view::ProgramRuns> list;
  const auto entries = model.compilation().programs();
  for (const auto &run : model.execution().programsRun()) {
    const auto entry = std::find(entries.begin(), entries.end(), run.program());
    list.push_back(
        {run.program() ? run.program()->name() : "", run.runs(), entry - entries.begin()});
  }
  return list;
}

view::SummaryExecution executionOf(const Model &model) {
  const auto execution = model.execution();
  const auto clock = model.compilation().target().clockFrequency();
  view::SummaryExecution v;
  v.totalCycles = model.totalCycles();
  v.seconds = clock ? double(model.totalCycles()) / double(clock) : 0;
  v.runs = execution.runs().size();
  v.steps = execution.steps().size();
  v.droppedSteps = execution.droppedSteps();
  v.droppedBlocks = execution.droppedBlocks();
  for (unsigned kind = 0; kind < numKinds; ++kind)
    v.cyclesByKind.emplace_back(toString(Kind(kind)), model.cyclesByKind()[Kind(kind)]);
  v.programRuns = programRunsOf(model);
  v.joules = execution.energy().joules();
  v.averageWatts = execution.energy().averageWatts();
  return v;
}

view::Map<view::Count> longestFirst(const std::map<std::string, std::uint64_t> &parts) {
  view::Map<view::Count> list(parts.begin(), parts.end());
  std::stable_sort(list.begin(), list.end(),
                   [](const auto &a, const auto &b) { return a.second > b.second; });
  return list;
}

void addIpus(view::SummaryStep &v, const Model &model, const pva::Step &step) {
  for (const auto &ipu : step.ipus) {
    const auto of = [&](Kind kind) { return ipu.byKind[kind]; };
    const auto busy = std::min(ipu.busy(), step.cycles);
    v.ipus.push_back({ipu.ipu, of(Kind::Compute) + of(Kind::Rearrange), of(Kind::Exchange),
                      of(Kind::GlobalExchange), of(Kind::Host), busy,
                      double(busy) / double(std::max<std::uint64_t>(1, step.cycles)),
                      step.cycles - busy, ipu.bytesSent,
                      longestFirst(model.partsOf(ipu.byProgram, model.namesOperations()))});
  }
}

void addCrossings(view::SummaryStep &v, const Model &model, const pva::Step &step) {
  std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> cyclesOf; // by name and bytes
  for (const auto &[id, cycles] : step.byProgram)
    if (const auto &program = *model.programs()[id];
        pva::cycleKind(program) == Kind::GlobalExchange)
      cyclesOf[{program.name(), program.bytes()}] += cycles;
  for (const auto &[what, cycles] : cyclesOf)
    v.crossings.push_back({what.first, cycles, what.second});
  std::stable_sort(v.crossings.begin(), v.crossings.end(),
                   [](const auto &a, const auto &b) { return a.cycles > b.cycles; });
}

// The longest IPU against the mean, or what goes between IPUs, whichever costs more of the step.
std::string limitOf(const view::SummaryStep &v, const pva::Step &step) {
  const auto crossing = step.byKind[Kind::GlobalExchange];
  std::uint64_t sum = 0, most = 0, at = 0;
  for (const auto &ipu : v.ipus) {
    sum += ipu.busy;
    if (ipu.busy > most) {
      most = ipu.busy;
      at = ipu.ipu;
    }
  }
  const auto uneven = v.ipus.empty() ? 0 : most - sum / v.ipus.size();
  if (!crossing && v.ipus.size() < 2)
    return "";
  const auto waiting = v.ipus.empty() ? 0 : step.cycles - most;
  if (crossing >= uneven && crossing >= waiting)
    return base::str("exchange between IPUs takes ", base::thousands(crossing), " cycles");
  if (uneven >= waiting)
    return base::str("IPU ", at, " is busy ", base::thousands(uneven),
                     " cycles longer than the mean");
  return base::str("even the busiest IPU, ", at, ", waits ", base::thousands(waiting),
                   " cycles: for others, at syncs or for the host");
}

view::SummaryStep stepOf(const Model &model) {
  view::SummaryStep v;
  const auto &step = model.step();
  if (!step)
    return v;
  const auto clock = model.compilation().target().clockFrequency();
  v.name = step->name;
  v.run = view::Index(step->run);
  v.runs = step->runs;
  v.cycles = step->cycles;
  v.seconds = clock ? double(step->cycles) / double(clock) : 0;
  v.traced = step->traced;
  if (const auto bound = step->bound()) {
    v.bound = toString(*bound);
    v.words = pva::inWords(*bound);
  }
  for (unsigned kind = 0; kind < numKinds; ++kind)
    v.cyclesByKind.emplace_back(toString(Kind(kind)), step->byKind[Kind(kind)]);
  v.hostWaiting = step->hostWaiting();
  for (const auto &part : step->host)
    v.host.push_back({part.name, part.waiting, part.moving, part.bytes, part.times});
  v.parts = longestFirst(model.partsOfStep(model.namesOperations()));
  for (const auto &part : step->spread.parts())
    v.spread.push_back({part.kind, part.cycles, part.rows, part.mean});
  v.measured = step->spread.measured();
  v.mean = step->spread.mean();
  v.howSure = step->spread.inWords();
  if (step->ipus.size() > 1)
    addIpus(v, model, *step);
  addCrossings(v, model, *step);
  v.limit = limitOf(v, *step);
  for (const auto &other : step->others)
    v.others.push_back({other.name, other.runs, other.cycles});
  return v;
}

view::SummaryMemory memoryOf(const Model &model) {
  view::SummaryMemory v;
  for (const auto &tile : model.compilation().tiles()) {
    const auto memory = tile.memory();
    v.used += memory.total().excludingGaps();
    v.gaps += memory.total().includingGaps() - memory.total().excludingGaps();
    v.alwaysLive += memory.alwaysLiveBytes();
    v.tilesOverLimit += memory.overflowed().includingGaps() > 0;
    if (memory.total().includingGaps() > v.fullestTileBytes) {
      v.fullestTileBytes = memory.total().includingGaps();
      v.fullestTile = tile.id();
    }
  }
  return v;
}

view::Map<view::Text> textsOf(const Model &model) {
  view::Map<view::Text> list;
  for (const auto &path : model.files().texts) {
    std::ifstream file(path, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(file), {});
    list.emplace_back(path.substr(path.rfind('/') + 1), text.substr(0, 100'000));
  }
  return list;
}

} // namespace

view::Summary view::summary(const Model &model) {
  const auto graph = model.compilation().graph();
  Summary v;
  v.name = model.files().name;
  v.profile = model.files().profile;
  v.debug = model.files().debug;
  v.poplarVersion = model.report().poplarVersion().string();
  v.packageHash = model.report().poplarVersion().packageHash();
  v.format = model.report().version().majorVer();
  v.target = targetOf(model);
  v.graph = {graph.numComputeSets(), graph.numEdges(), graph.numVars(), graph.numVertices()};
  v.instrumentation = instrumentationOf(model);
  v.memory = memoryOf(model);
  v.step = stepOf(model);
  v.execution = executionOf(model);
  for (const auto &[name, value] : model.report().engineOptions())
    v.options.emplace_back(name, value);
  v.texts = textsOf(model);
  return v;
}

} // namespace popvision
