// SPDX-License-Identifier: MIT
// An operator is a function that adds vertices to the graph and a step to a program, and returns
// the tensor that will hold its result. Here y = a*x + b is put together from two of them, for two
// types.
#include "Example.hpp"
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

using namespace poplar;
using namespace poplar::program;

// One vertex per worker and tile, working where the elements of `a` already are.
static Tensor elementWise(Graph &graph, const std::string &vertex, const Tensor &a, const Tensor &b,
                          Sequence &program, const DebugContext &context = {}) {
  const std::string type = vertex + "<" + std::string(a.elementType().toString()) + ">";
  const std::size_t workers = graph.getTarget().getNumWorkerContexts();
  Tensor out = graph.clone(a, context);
  ComputeSet cs = graph.addComputeSet(context);
  const auto mapping = graph.getTileMapping(a);
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    for (const Interval &region : mapping[tile]) {
      const std::size_t share = (region.size() + workers - 1) / workers;
      for (std::size_t from = region.begin(); from < region.end(); from += share) {
        const Interval part(from, std::min(from + share, region.end()));
        VertexRef v = graph.addVertex(cs, type,
                                      {{"a", a.flatten().slice(part)},
                                       {"b", b.flatten().slice(part)},
                                       {"out", out.flatten().slice(part)}});
        graph.setTileMapping(v, tile);
      }
    }
  program.add(Execute(cs, context));
  return out;
}

template <typename T> static bool multiplyAdd(const Device &device, const Type &type) {
  const std::size_t rows = 100, columns = 64;
  Graph graph(device.getTarget());
  graph.addCodelets("codelets/element_wise.cpp");

  const auto linear = VariableMappingMethod::LINEAR;
  Tensor a = graph.addVariable(type, {rows, columns}, linear, "a");
  Tensor x = graph.addVariable(type, {rows, columns}, linear, "x");
  Tensor b = graph.addVariable(type, {columns}, linear, "b");
  graph.createHostWrite("a", a);
  graph.createHostWrite("x", x);
  graph.createHostWrite("b", b);

  Sequence program;
  Tensor product = elementWise(graph, "Multiply", a, x, program, "product");
  Tensor everyRow = b.expand({0}).broadcast(rows, 0); // a view: b itself is stored once
  Tensor y = elementWise(graph, "Add", product, everyRow, program, "sum");
  graph.createHostRead("y", y);

  std::vector<T> hostA(rows * columns), hostX(rows * columns), hostB(columns), got(rows * columns);
  for (std::size_t i = 0; i < hostA.size(); ++i) {
    hostA[i] = static_cast<T>(i % 17);
    hostX[i] = static_cast<T>(i % 5) - 2;
  }
  for (std::size_t i = 0; i < columns; ++i)
    hostB[i] = static_cast<T>(i);

  Engine engine(graph, program);
  engine.load(device);
  engine.writeTensor("a", hostA.data(), hostA.data() + hostA.size());
  engine.writeTensor("x", hostX.data(), hostX.data() + hostX.size());
  engine.writeTensor("b", hostB.data(), hostB.data() + hostB.size());
  engine.run();
  engine.readTensor("y", got.data(), got.data() + got.size());

  bool ok = true;
  for (std::size_t i = 0; i < got.size(); ++i)
    ok = ok && got[i] == hostA[i] * hostX[i] + hostB[i % columns];
  return ok;
}

int main() {
  Device device = attachIpu();
  const bool floats = multiplyAdd<float>(device, FLOAT);
  const bool ints = multiplyAdd<int>(device, INT);
  return verdict(floats && ints, "a*x + b for float and int");
}
