// SPDX-License-Identifier: MIT
// For the tests of this folder: a program of two compute sets, a loop, a branch, a block and a
// stream copy on four tiles, with costs written by hand, and a machine whose numbers never change.
#pragma once
#include "compile/TestImage.hpp"
#include "profile/Recorder.hpp"

namespace poplar::profile::testing {

using namespace executable;
using compile::testing::TestImage;

inline arch::System testSystem(unsigned ipus = 1, unsigned tiles = 4) {
  auto system = arch::systemOf(arch::chipByName("ipu2"), ipus, tiles);
  system.chip.clockHz = 1e9;
  system.chip.bytesPerTile = 8192;
  system.chip.workers = 6;
  system.chip.power = {};
  system.chip.power.idleWatts = 50;
  return system;
}

struct TestProgram : TestImage {
  std::uint32_t copyStep, addStep, loopStep, readStep, blockStep, mainStep;

  TestProgram() {
    const auto x = variable("x", 400, {0, 1, 2, 3}), t = variable("t", 100, {0, 1});
    image.variables[t].alwaysLive = false;
    const auto add = vertexType("Add<float>", {{"in"}, {"out", codelet::FieldDirection::Output}});
    const auto set = computeSet("add");
    for (std::uint32_t tile = 0; tile < 3; ++tile)
      vertex(set, add, tile, {span(x, tile * 100, tile * 100 + 50), span(t, 0, 50)}, 60);
    copyStep = copy(x, 0, t, 0, {{100, 1, 1}});
    image.steps.back().name = "fill";
    image.steps.back().cost.phases = {
        {PhaseKind::Sync, "sync", 20, 0, 0, {}},
        {PhaseKind::Exchange, "exchange", 50, 400, 2, {{0, 40, 0, 0, 400}, {1, 50, 0, 400, 0}}}};
    addStep = execute(set);
    image.steps.back().debugId = 9;
    image.steps.back().cost.phases = {
        {PhaseKind::Compute,
         "add",
         100,
         0,
         0,
         {{0, 100, 300, 0, 0}, {1, 100, 300, 0, 0}, {2, 40, 60, 0, 0}}}};
    loopStep = repeat(3, addStep);
    image.steps.back().cost.phases = {{PhaseKind::Control, "loop", 5, 0, 0, {}}};
    readStep = lastStep() + 1;
    put(step::DeviceToHost());
    image.steps.back().name = "out";
    image.steps.back().cost.phases = {
        {PhaseKind::Sync, "sync", 30, 0, 0, {}},
        {PhaseKind::HostExchange, "host-exchange", 200, 1600, 4, {{3, 200, 0, 0, 1600}}}};
    blockStep = lastStep() + 1;
    put(step::Block{loopStep});
    image.steps.back().name = "body";
    mainStep = sequence({copyStep, blockStep, readStep});
    image.programs = {mainStep, copyStep};
    addMemory();
  }

  void addMemory() {
    image.memory.tiles.resize(4);
    for (std::uint32_t i = 0; i < 4; ++i) {
      auto &tile = image.memory.tiles[i];
      tile.category[unsigned(MemoryCategory::Variable)] = 1000 * (i + 1);
      tile.category[unsigned(MemoryCategory::VertexCode)] = 100;
      tile.category[unsigned(MemoryCategory::Stack)] = 3000;
      tile.alwaysLive = 3100 + 900 * (i + 1);
      tile.peakNotAlwaysLive = 100 * (i + 1);
      tile.gaps = 24;
      tile.peakStep = addStep;
    }
    image.memory.tiles[3].category[unsigned(MemoryCategory::Variable)] += 2000;
    image.memory.tiles[3].alwaysLive += 2000;
    image.memory.steps = {{copyStep, 400}, {addStep, 400}, {readStep, 0}};
    image.memory.spans = {{1, 0, 2}};
    image.memory.vertexBytesByType = {{"Add<float>", 48}};
  }

  // What the engine would report for one run of the main program; returns the cycle at its end.
  std::uint64_t run(Recorder &recorder, std::uint64_t cycle = 0,
                    const std::string &name = "training") const {
    recorder.beginRun(0, name, cycle);
    leaf(recorder, copyStep, cycle);
    recorder.enter(blockStep, cycle);
    for (int i = 0; i < 3; ++i) {
      leaf(recorder, loopStep, cycle);
      leaf(recorder, addStep, cycle);
    }
    recorder.leave(blockStep, cycle);
    leaf(recorder, readStep, cycle);
    recorder.endRun(cycle);
    return cycle;
  }
  void leaf(Recorder &recorder, std::uint32_t step, std::uint64_t &cycle) const {
    const auto &cost = image.steps[step].cost;
    recorder.leaf(step, cost, cycle, cost.cycles());
    cycle += cost.cycles();
  }
};
constexpr std::uint64_t cyclesOfARun = 70 + 3 * (5 + 100) + 230;

} // namespace poplar::profile::testing
