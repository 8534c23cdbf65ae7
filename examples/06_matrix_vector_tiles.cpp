// SPDX-License-Identifier: MIT
// The product of example 05, laid out for the machine: rows are cut into pieces so that every
// worker of every tile has about the same share, then the partial sums of a row are added up.
#include "RowPerVertex.hpp"
#include <algorithm>

using namespace poplar;
using namespace poplar::program;

// How many pieces to cut a row into. Cycles of a candidate: the share of the busiest worker, the
// part of x that a tile must receive, and the second step, which adds `pieces` numbers per row.
static std::size_t choosePieces(const Target &target, const MatrixVector &numbers) {
  const std::size_t workers = target.getNumTiles() * target.getNumWorkerContexts();
  const std::size_t perCycle = target.getExchangeBytesPerCycle();
  std::size_t best = 1, bestCost = ~std::size_t(0);
  for (std::size_t pieces = 1; pieces <= numbers.columns; pieces *= 2) {
    const std::size_t length = (numbers.columns + pieces - 1) / pieces;
    const std::size_t rounds = (numbers.rows * pieces + workers - 1) / workers;
    const std::size_t instructions = rounds * length * 4 + pieces * 4;
    const std::size_t exchange = (length + pieces) * sizeof(float) / perCycle;
    const std::size_t cost = instructions * target.getNumWorkerContexts() + exchange;
    if (cost < bestCost) {
      best = pieces;
      bestCost = cost;
    }
  }
  return best;
}

static Run multiplyByPieces(const Device &device, const MatrixVector &numbers) {
  Graph graph(device.getTarget());
  graph.addCodelets("codelets/dot.cpp");
  const std::size_t pieces = choosePieces(graph.getTarget(), numbers);
  const std::size_t length = (numbers.columns + pieces - 1) / pieces;
  const std::size_t tiles = graph.getTarget().getNumTiles();

  Tensor a = graph.addVariable(FLOAT, {numbers.rows, numbers.columns}, "a");
  Tensor x = graph.addVariable(FLOAT, {numbers.columns}, VariableMappingMethod::LINEAR, "x");
  Tensor y = graph.addVariable(FLOAT, {numbers.rows}, VariableMappingMethod::LINEAR, "y");
  Tensor partials = graph.addVariable(FLOAT, {numbers.rows, pieces}, "partials");

  // Pieces of the same columns stand next to each other, so that a tile needs one piece of x only.
  ComputeSet multiply = graph.addComputeSet("multiply");
  for (std::size_t p = 0; p < pieces; ++p)
    for (std::size_t row = 0; row < numbers.rows; ++row) {
      const std::size_t place = p * numbers.rows + row;
      const unsigned tile = static_cast<unsigned>(place * tiles / (numbers.rows * pieces));
      const Interval part(p * length, std::min((p + 1) * length, numbers.columns));
      graph.setTileMapping(a[row].slice(part), tile);
      graph.setTileMapping(partials[row][p], tile);
      VertexRef v = graph.addVertex(
          multiply, "DotProduct",
          {{"a", a[row].slice(part)}, {"b", x.slice(part)}, {"out", partials[row][p]}});
      graph.setTileMapping(v, tile);
    }

  ComputeSet addUp = graph.addComputeSet("add up");
  for (std::size_t row = 0; row < numbers.rows; ++row) {
    const unsigned tile = static_cast<unsigned>(row * tiles / numbers.rows);
    graph.setTileMapping(y[row], tile);
    VertexRef v = graph.addVertex(addUp, "Sum", {{"in", partials[row]}, {"out", y[row]}});
    graph.setTileMapping(v, tile);
  }
  std::cout << "each row in " << pieces << " pieces of " << length << "\n";
  return runMatrixVector(device, graph, Sequence({Execute(multiply), Execute(addUp)}), a, x, y,
                         numbers);
}

int main() {
  Device device = attachIpu();
  const MatrixVector numbers(256, 4096);
  const Run plain = multiplyByRows(device, numbers);
  const Run tiled = multiplyByPieces(device, numbers);
  std::cout << "a vertex per row " << plain.cycles << " cycles, in pieces " << tiled.cycles
            << " cycles\n";
  return verdict(plain.right && tiled.right && tiled.cycles < plain.cycles,
                 "same product in fewer cycles");
}
