// SPDX-License-Identifier: MIT
// Variables live on tiles, tensors are views of them, programs move data. Nothing is computed yet:
// rows are filled, reversed, rotated and chosen between by copies and control flow alone.
#include "Example.hpp"
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

using namespace poplar;
using namespace poplar::program;

int main() {
  Device device = attachIpu();
  Graph graph(device.getTarget());

  // Storage. Every element must be given a tile before the graph is compiled.
  Tensor row = graph.addVariable(FLOAT, {4}, "row");
  for (unsigned i = 0; i < 4; ++i)
    graph.setTileMapping(row[i], i);
  Tensor table = graph.addVariable(FLOAT, {3, 4}, VariableMappingMethod::LINEAR, "table");
  Tensor spare = graph.clone(row, "spare");
  Tensor choice = graph.addVariable(INT, {}, "choice");
  graph.setTileMapping(choice, 0);
  Tensor start = graph.addConstant<float>(FLOAT, {4}, {1.0, 1.5, 2.0, 2.5}, "start");
  graph.setTileMapping(start, 0);

  // Views cost nothing and copy nothing: this is `row` turned left by one place.
  Tensor turned = concat(row.slice(1, 4), row.slice(0, 1));

  Sequence fill({Copy(start, row), Copy(row, table[0]), Copy(row.reverse(0), table[1])});
  Sequence turnTwice(
      {Repeat(2, Sequence({Copy(turned, spare), Copy(spare, row)})), Copy(row, table[2])});
  Sequence show({PrintTensor("table", table)});
  // The host decides at run time which of the two is done.
  If turnOrClear(choice, turnTwice, Copy(table[0], table[2]));

  graph.createHostWrite("choice", choice);
  graph.createHostRead("table", table);

  Engine engine(graph, {fill, turnOrClear, show});
  engine.load(device);

  const int yes = 1;
  engine.writeTensor("choice", &yes, &yes + 1);
  for (unsigned program = 0; program < 3; ++program)
    engine.run(program);

  std::vector<float> got(12);
  engine.readTensor("table", got.data(), got.data() + got.size());
  const std::vector<float> turnedRows = {1, 1.5, 2, 2.5, 2.5, 2, 1.5, 1, 2, 2.5, 1, 1.5};

  const int no = 0;
  engine.writeTensor("choice", &no, &no + 1);
  engine.run(1);
  std::vector<float> again(12);
  engine.readTensor("table", again.data(), again.data() + again.size());
  const std::vector<float> copiedRows = {1, 1.5, 2, 2.5, 2.5, 2, 1.5, 1, 1, 1.5, 2, 2.5};

  return verdict(got == turnedRows && again == copiedRows, "filled, reversed, turned, chosen");
}
