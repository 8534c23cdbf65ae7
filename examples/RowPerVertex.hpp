// SPDX-License-Identifier: MIT
// The plain way to multiply a matrix by a vector: one vertex per row, rows spread over the tiles.
#pragma once
#include "MatrixVector.hpp"

inline Run multiplyByRows(const poplar::Device &device, const MatrixVector &numbers) {
  using namespace poplar;
  Graph graph(device.getTarget());
  graph.addCodelets("codelets/dot.cpp");
  Tensor a = graph.addVariable(FLOAT, {numbers.rows, numbers.columns}, "a");
  Tensor x = graph.addVariable(FLOAT, {numbers.columns}, VariableMappingMethod::LINEAR, "x");
  Tensor y = graph.addVariable(FLOAT, {numbers.rows}, "y");

  ComputeSet cs = graph.addComputeSet("multiply");
  const std::size_t tiles = graph.getTarget().getNumTiles();
  for (std::size_t row = 0; row < numbers.rows; ++row) {
    const unsigned tile = static_cast<unsigned>(row * tiles / numbers.rows);
    graph.setTileMapping(a[row], tile);
    graph.setTileMapping(y[row], tile);
    VertexRef v = graph.addVertex(cs, "DotProduct", {{"a", a[row]}, {"b", x}, {"out", y[row]}});
    graph.setTileMapping(v, tile);
  }
  return runMatrixVector(device, graph, program::Sequence({program::Execute(cs)}), a, x, y,
                         numbers);
}
