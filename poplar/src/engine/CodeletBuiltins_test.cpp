// SPDX-License-Identifier: MIT
// Builtins that ask the engine where and when a vertex runs.
#include "poplar/Engine.hpp"
#include "poplar/Graph.hpp"
#include "poplar/IPUModel.hpp"
#include <gtest/gtest.h>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

namespace {

TEST(CodeletBuiltins, TellTheTileAndTheCyclesOfEveryRun) {
  IPUModel model;
  model.tilesPerIPU = 4;
  auto device = model.createDevice();
  Graph graph(device.getTarget());
  std::stringstream source(R"(
#include <poplar/Vertex.hpp>
class A : public poplar::Vertex { public: poplar::Output<poplar::Vector<unsigned>> out; unsigned n;
  void compute() {
    const unsigned begin = __builtin_ipu_get_scount_l();
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < n; ++i) sum = sum + i;
    out[0] = __builtin_ipu_get_tile_id(); out[1] = begin; out[2] = __builtin_ipu_get_scount_l() - begin;
  } };
)");
  graph.addCodelets(source);
  auto out = graph.addVariable(UNSIGNED_INT, {4, 3});
  auto set = graph.addComputeSet("set");
  for (unsigned t = 0; t < 4; ++t) {
    graph.setTileMapping(out[t], t);
    auto v = graph.addVertex(set, "A", {{"out", out[t]}, {"n", 100 * (t + 1)}});
    graph.setTileMapping(v, t);
  }
  graph.createHostRead("out", out);
  Engine engine(graph, Execute(set));
  engine.load(device);
  std::vector<unsigned> first(12), second(12);
  engine.run();
  engine.readTensor("out", first.data(), first.data() + 12);
  engine.run();
  engine.readTensor("out", second.data(), second.data() + 12);
  for (unsigned t = 0; t < 4; ++t) {
    EXPECT_EQ(first[3 * t], t);
    EXPECT_GT(second[3 * t + 1], first[3 * t + 1] + 100) << "time goes on between runs";
    EXPECT_GE(first[3 * t + 2], 600 * (t + 1)) << "a round takes a bundle at least, in six cycles";
    EXPECT_EQ(second[3 * t + 2], first[3 * t + 2]) << "every run is counted";
  }
  EXPECT_GT(first[3 * 3 + 2], 3 * first[2]);
}

} // namespace
