// SPDX-License-Identifier: MIT
// Codelets say what a vertex computes: template instances, state that persists, a vertex that runs
// on all workers of a tile, and a field made of several tensors. The classes are in
// codelets/tour.cpp.
#include "Example.hpp"
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

using namespace poplar;
using namespace poplar::program;

static Tensor onTile(Graph &graph, const Type &type, std::vector<std::size_t> shape, unsigned tile,
                     const char *name) {
  Tensor t = graph.addVariable(type, shape, name);
  graph.setTileMapping(t, tile);
  graph.createHostRead(name, t);
  return t;
}

int main() {
  Device device = attachIpu();
  Graph graph(device.getTarget());
  graph.addCodelets("codelets/tour.cpp");

  Tensor in = graph.addConstant<float>(FLOAT, {6}, {1, 2, 3, 4, 5, 6}, "in");
  graph.setTileMapping(in, 0);
  Tensor cubes = onTile(graph, FLOAT, {6}, 0, "cubes");
  Tensor calls = onTile(graph, UNSIGNED_INT, {}, 1, "calls");
  Tensor sums = onTile(graph, FLOAT, {3}, 2, "sums");

  ComputeSet first = graph.addComputeSet("first");
  VertexRef power = graph.addVertex(first, "tour::Power<float,3>", {{"in", in}, {"out", cubes}});
  graph.setTileMapping(power, 0);

  VertexRef counter = graph.addVertex(first, "tour::Counter", {{"out", calls}});
  graph.setInitialValue(counter["calls"], 10); // each load starts from here
  graph.setTileMapping(counter, 1);

  VertexRef rows = graph.addVertex(first, "tour::RowSums");
  const std::vector<Tensor> pieces = {in.slice(0, 1), in.slice(1, 3), in.slice(3, 6)};
  graph.connect(rows["rows"], pieces);
  graph.connect(rows["out"], sums);
  graph.setTileMapping(rows, 2);

  // A compute set sees what the one before it wrote.
  ComputeSet second = graph.addComputeSet("second");
  VertexRef negate = graph.addVertex(second, "tour::Negate", {{"data", cubes}, {"size", 6u}});
  graph.setTileMapping(negate, 0);

  Engine engine(graph, Sequence({Execute(first), Execute(second)}));
  engine.load(device);
  engine.run();
  engine.run();

  std::vector<float> gotCubes(6), gotSums(3);
  unsigned gotCalls = 0;
  engine.readTensor("cubes", gotCubes.data(), gotCubes.data() + 6);
  engine.readTensor("sums", gotSums.data(), gotSums.data() + 3);
  engine.readTensor("calls", &gotCalls, &gotCalls + 1);
  return verdict(gotCubes == std::vector<float>({-1, -8, -27, -64, -125, -216}) &&
                     gotSums == std::vector<float>({1, 5, 15}) && gotCalls == 12,
                 "templates, state, workers, jagged fields");
}
