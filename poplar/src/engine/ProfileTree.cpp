// SPDX-License-Identifier: MIT
#include "engine/ProfileTree.hpp"

namespace poplar::engine {
namespace {

using Map = ProfileValue::Map;
using Vector = ProfileValue::Vector;

ProfileValue number(std::uint64_t n) { return ProfileValue(double(n)); }

Map targetTree(const Target &target) {
  return {{"numIPUs", number(target.getNumIPUs())},
          {"tilesPerIpu", number(target.getTilesPerIPU())},
          {"numTiles", number(target.getNumTiles())},
          {"bytesPerTile", number(target.getBytesPerTile())},
          {"totalMemory", number(target.getMemoryBytes())},
          {"clockFrequency", ProfileValue(target.getTileClockFrequency())}};
}

Map memoryTree(const executable::MemoryReport &memory) {
  Map byCategory;
  Vector byTile;
  for (unsigned c = 0; c < executable::numMemoryCategories; ++c) {
    std::uint64_t sum = 0;
    for (const auto &tile : memory.tiles)
      sum += tile.category[c];
    byCategory[executable::memoryCategoryName(executable::MemoryCategory(c))] = number(sum);
  }
  for (const auto &tile : memory.tiles)
    byTile.push_back(number(tile.total()));
  return {{"byCategory", byCategory}, {"byTile", byTile}};
}

} // namespace

ProfileValue graphTree(const executable::Image &image, const Target &target) {
  Map vertexTypes;
  for (std::uint32_t v = 0; v < image.vertices.size(); ++v) {
    auto &count = vertexTypes[image.vertexType(v).name];
    count = number(std::uint64_t(count.asDouble()) + 1);
  }
  Vector computeSets;
  for (const auto &set : image.computeSets)
    computeSets.push_back(Map{{"name", set.name}, {"numVertices", number(set.vertices.size())}});
  Map graph{{"numVars", number(image.variables.size())},
            {"numComputeSets", number(image.computeSets.size())},
            {"numVertices", number(image.vertices.size())},
            {"numEdges", number(image.edges.size())}};
  return Map{{"target", targetTree(target)}, {"graph", graph},       {"vertexTypes", vertexTypes},
             {"computeSets", computeSets},   {"memory", memoryTree(image.memory)}};
}

ProfileValue executionTree(const executable::Image &image, const profile::Recorder &recorder) {
  std::uint64_t cycles = 0;
  Vector steps, runs, runsByProgram;
  for (auto n : recorder.runsByProgram())
    runsByProgram.push_back(number(n));
  for (std::size_t s = 0; s < recorder.totals().size(); ++s) {
    const auto &total = recorder.totals()[s];
    cycles += total.cycles;
    if (total.executions)
      steps.push_back(Map{{"step", number(s)}, {"name", image.steps[s].name}, {"executions", number(total.executions)},
                          {"cycles", number(total.cycles)}});
  }
  for (const auto &run : recorder.runs())
    runs.push_back(Map{{"program", number(run.program)}, {"name", run.name}, {"startCycle", number(run.startCycle)},
                       {"endCycle", number(run.endCycle)}});
  return Map{{"runsByProgram", runsByProgram}, {"totalCycles", number(cycles)}, {"steps", steps}, {"runs", runs}};
}

} // namespace poplar::engine
