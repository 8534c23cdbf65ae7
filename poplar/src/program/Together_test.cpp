// SPDX-License-Identifier: MIT
#include "openipu/Operation.hpp"
#include "openipu/Together.hpp"
#include <gtest/gtest.h>
#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

using namespace poplar;
using namespace poplar::program;

namespace {
// Cycles of copies between tiles of two IPUs, `work` of them on the first and one on the second.
std::uint64_t cyclesOf(bool sideBySide, unsigned work) {
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = 4;
  auto device = model.createDevice();
  Graph graph(device.getTarget());
  const auto copy = [&](unsigned tile, unsigned times) {
    auto a = graph.addVariable(FLOAT, {256}), b = graph.addVariable(FLOAT, {256});
    graph.setTileMapping(a, tile);
    graph.setTileMapping(b, tile + 1);
    Sequence out;
    for (unsigned i = 0; i < times; ++i)
      out.add(i % 2 ? Copy(b, a) : Copy(a, b));
    return out;
  };
  std::vector<Program> stages{copy(0, work), copy(4, 1)};
  Sequence prog;
  prog.add(sideBySide ? openipu::together(stages) : Program(Sequence(stages)));
  auto cycles = cycleCount(graph, prog, 0, SyncType::INTERNAL);
  graph.createHostRead("cycles", cycles);
  Engine engine(graph, prog);
  engine.load(device);
  engine.run();
  std::uint64_t out = 0;
  engine.readTensor("cycles", &out, &out + 1);
  return out;
}
} // namespace

TEST(Together, CostsWhatTheSlowestProgramCosts) {
  EXPECT_EQ(cyclesOf(true, 5) - cyclesOf(true, 3), cyclesOf(false, 5) - cyclesOf(false, 3));
  EXPECT_LT(cyclesOf(true, 3), cyclesOf(false, 3));
  EXPECT_EQ(cyclesOf(true, 1), cyclesOf(true, 0)); // the second IPU's copy takes as long
}
