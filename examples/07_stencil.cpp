// SPDX-License-Identifier: MIT
// Heat flow on all 1,472 tiles of a GC200. A vertex reads one row and column beyond its own block;
// those points are on neighbouring tiles, and the exchange that brings them follows from the tile
// mapping.
#include "Example.hpp"
#include "Heat.hpp"
#include <cstdint>
#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>

using namespace poplar;
using namespace poplar::program;

int main() {
  Device device = attachIpu();
  const HeatGrid grid = {46, 32, 12, 0.2f}; // 46 x 32 tiles
  const unsigned steps = 20;
  Graph graph(device.getTarget());
  if (graph.getTarget().getNumTiles() < grid.tileRows * grid.tileColumns)
    return verdict(false, "this example needs 1,472 tiles");
  graph.addCodelets("codelets/stencil.cpp");

  Tensor here = graph.addVariable(FLOAT, {grid.rows(), grid.columns()}, "here");
  mapGrid(graph, here, grid);
  Tensor next = graph.clone(here, "next");
  graph.createHostWrite("grid", here);
  graph.createHostRead("grid", here);

  Sequence twoSteps(
      {heatStep(graph, grid, here, next, "there"), heatStep(graph, grid, next, here, "and back")});
  Sequence simulate({Copy(here, next), Repeat(steps / 2, twoSteps)}); // the copy sets the border
  Tensor cycles = cycleCount(graph, simulate, 0, SyncType::INTERNAL, "cycles");
  graph.createHostRead("cycles", cycles);

  Engine engine(graph, simulate);
  engine.load(device);
  std::vector<float> expected = grid.start(), got = expected;
  engine.writeTensor("grid", got.data(), got.data() + got.size());
  engine.run();
  engine.readTensor("grid", got.data(), got.data() + got.size());
  std::uint64_t count = 0;
  engine.readTensor("cycles", &count, &count + 1);

  heatLoop(grid, expected, steps);
  std::cout << grid.rows() << " x " << grid.columns() << " points: " << count / steps
            << " cycles a step\n";
  return verdict(isNear(got, expected, 1e-5f) && count > 0, "same heat as a plain loop");
}
