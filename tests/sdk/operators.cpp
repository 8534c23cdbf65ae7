// SPDX-License-Identifier: MIT
// A product, an expression and a random tensor, each from another library of the SDK.
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/codelets.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/codelets.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Reduce.hpp>
#include <poprand/RandomGen.hpp>
#include <poputil/TileMapping.hpp>

using namespace poplar;
using namespace poplar::program;
using namespace popops::expr;

int main() {
  Device device = IPUModel().createDevice();
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  popnn::addCodelets(graph);
  Tensor a = graph.addVariable(FLOAT, {2, 3}, "a"), b = graph.addVariable(FLOAT, {3, 2}, "b");
  poputil::mapTensorLinearly(graph, a);
  poputil::mapTensorLinearly(graph, b);
  graph.setInitialValue(a, ArrayRef<float>({1, 2, 3, 4, 5, 6}));
  graph.setInitialValue(b, ArrayRef<float>({1, 0, 0, 1, 1, 1}));
  Sequence prog;
  Tensor c = poplin::matMul(graph, a, b, prog, "c");
  Tensor noise = poprand::uniform(graph, nullptr, 0, c, FLOAT, 0.0, 0.5, prog, "noise");
  Tensor d = popops::map(graph, Floor(_1 + _2), {c, noise}, prog, "d");
  popnn::nonLinearityInPlace(graph, popnn::NonLinearityType::RELU, d, prog, "relu");
  Tensor sum = popops::reduce(graph, d, {0, 1}, popops::Operation::ADD, prog, "sum");
  graph.createHostRead("d", d);
  graph.createHostRead("sum", sum);
  Engine engine(graph, prog);
  engine.load(device);
  engine.run();
  float values[4], total;
  engine.readTensor("d", values, values + 4);
  engine.readTensor("sum", &total, &total + 1);
  for (float v : values)
    std::cout << v << " ";
  std::cout << "sum " << total << "\n";
}
