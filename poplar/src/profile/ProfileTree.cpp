// SPDX-License-Identifier: MIT
#include "profile/ProfileTree.hpp"
#include <functional>

namespace poplar::profile {

using Map = ProfileValue::Map;
using Vector = ProfileValue::Vector;

namespace {

template <class Range, class Get> Vector listOf(const Range &range, Get get) {
  Vector result;
  result.reserve(range.size());
  for (const auto &item : range)
    result.push_back(ProfileValue(get(item)));
  return result;
}

Vector numbers(const pva::NumberByTile &values) {
  return listOf(values, [](std::uint64_t value) { return value; });
}

ProfileValue targetTree(const pva::Target &target) {
  const char *const types[] = {"IPU", "IPU_MODEL", "CPU", "UNKNOWN"};
  return Map{{"type", types[unsigned(target.type())]},
             {"architecture", target.architectureName()},
             {"numIPUs", target.numIPUs()},
             {"numReplicas", target.numReplicas()},
             {"tilesPerIPU", target.tilesPerIpu()},
             {"numTiles", target.numTiles()},
             {"bytesPerTile", target.bytesPerTile()},
             {"bytesPerIPU", target.bytesPerIPU()},
             {"totalMemory", target.totalMemory()},
             {"clockFrequency", target.clockFrequency()}};
}

ProfileValue memoryTree(const pva::CompilationReport &compilation) {
  const auto tiles = compilation.tiles();
  auto byTile = [&](std::function<std::uint64_t(const pva::TileMemory &)> get) {
    return listOf(tiles, [&](const pva::Tile &tile) { return get(tile.memory()); });
  };
  Map categories;
  for (const auto &name :
       tiles.empty() ? std::vector<std::string>() : tiles[0].memory().category().names())
    categories[name] =
        byTile([&](const auto &memory) { return memory.category().find(name).total(); });
  return Map{
      {"byTile",
       Map{{"totalIncludingGaps", byTile([](const auto &m) { return m.total().includingGaps(); })},
           {"total", byTile([](const auto &m) { return m.total().excludingGaps(); })},
           {"overflowed", byTile([](const auto &m) { return m.overflowed().excludingGaps(); })},
           {"alwaysLive", byTile([](const auto &m) { return m.alwaysLiveBytes(); })},
           {"notAlwaysLive", byTile([](const auto &m) { return m.notAlwaysLiveBytes(); })}}},
      {"byCategory", categories}};
}

ProfileValue computeSetTree(const pva::ComputeSet &set) {
  Map byVertexType;
  for (const auto &group : set.vertices())
    byVertexType[group.type().name()] =
        Map{{"vertices", group.count()}, {"vertexCycles", group.estimatedCycles()}};
  return Map{{"name", set.name()},
             {"byVertexType", byVertexType},
             {"estimatedCyclesByTile", numbers(set.estimatedCyclesByTile())}};
}

ProfileValue programTree(const pva::Program &program) {
  Map result{{"name", program.name()}, {"type", toString(program.type())}};
  const auto children = program.children();
  if (!children.empty())
    result["children"] = listOf(children, [](const pva::ProgramRef &child) { return child->id(); });
  if (program.activeTiles() > 0) {
    result["estimatedCyclesByTile"] = numbers(program.estimatedCyclesByTile());
    result["activeTiles"] = program.activeTiles();
  }
  if (program.bytes() > 0) {
    result["bytesSentByTile"] = numbers(program.bytesSentByTile());
    result["bytesReceivedByTile"] = numbers(program.bytesReceivedByTile());
  }
  return result;
}

ProfileValue variableTree(const pva::Variable &variable) {
  return Map{{"name", variable.name()},
             {"type", variable.type()},
             {"bytes", variable.size()},
             {"alwaysLive", ProfileValue(variable.alwaysLive())}};
}

ProfileValue livenessTree(const pva::LivenessProgramStep &step) {
  const auto live = step.notAlwaysLiveMemory();
  return Map{
      {"program", step.program()->id()},
      {"notAlwaysLiveBytes", live.bytes()},
      {"variables", listOf(live.variables(), [](const pva::Variable &v) { return v.id(); })}};
}

ProfileValue stepTree(const pva::ExecutionStep &step) {
  auto onIpu = [](const pva::ExecutionStepOnIpu &ipu) {
    const auto active = ipu.activeCycles();
    return Map{{"cycles", ipu.cycles()},
               {"cyclesFrom", active.cyclesFrom().min()},
               {"cyclesTo", active.cyclesTo().max()},
               {"activeTiles", ipu.activeTiles()},
               {"tileBalance", ipu.tileBalance()},
               {"activeTileBalance", ipu.activeTileBalance()}};
  };
  // The cycles of single tiles are with the program, once, and not repeated for every execution.
  return Map{{"program", step.program()->id()}, {"ipus", listOf(step.ipus(), onIpu)}};
}

} // namespace

ProfileValue graphProfile(const pva::Report &report) {
  const auto compilation = report.compilation();
  const auto graph = compilation.graph();
  return Map{
      {"target", targetTree(compilation.target())},
      {"graph", Map{{"numVertices", graph.numVertices()},
                    {"numEdges", graph.numEdges()},
                    {"numVars", graph.numVars()},
                    {"numComputeSets", graph.numComputeSets()}}},
      {"memory", memoryTree(compilation)},
      {"vertexType",
       listOf(compilation.vertexTypes(),
              [](const pva::VertexType &t) {
                return Map{{"name", t.name()}, {"bytes", t.size()}, {"codeBytes", t.codeBytes()}};
              })},
      {"computeSets", listOf(compilation.computeSets(), computeSetTree)},
      {"programs",
       listOf(compilation.allPrograms(), [](const pva::ProgramRef &p) { return programTree(*p); })},
      {"entryPrograms",
       listOf(compilation.programs(), [](const pva::ProgramRef &p) { return p->id(); })},
      {"variables", listOf(compilation.variables(), variableTree)},
      {"liveness", listOf(compilation.livenessProgramSteps(), livenessTree)}};
}

ProfileValue executionProfile(const pva::Report &report) {
  const auto execution = report.execution();
  const bool cpu = report.compilation().target().type() == pva::Target::Type::Cpu;
  return Map{{"profilerMode", execution.programsRun().empty() ? "NONE"
                              : cpu                           ? "CPU"
                                                              : "IPU_MODEL"},
             {"totalCycles", execution.totalCycles()},
             {"droppedSteps", execution.droppedSteps()},
             {"totals", listOf(execution.totals(),
                               [](const pva::ProgramTotal &t) {
                                 return Map{{"program", t.program()->id()},
                                            {"executions", t.executions()},
                                            {"cycles", t.cycles()}};
                               })},
             {"steps", listOf(execution.steps(), stepTree)},
             {"runs", listOf(execution.runs(),
                             [](const pva::Run &run) {
                               return Map{{"name", run.name()},
                                          {"program", run.program()->id()},
                                          {"cycles", run.cycles()},
                                          {"steps", run.steps().size()}};
                             })},
             {"joules", execution.energy().joules()}};
}

ProfileValue wholeProfile(const pva::Report &report) {
  return Map{{"graphProfile", graphProfile(report)},
             {"executionProfile", executionProfile(report)}};
}

} // namespace poplar::profile
