// SPDX-License-Identifier: MIT
// Compiling programs of many small copies: three exchanges of halos between the 1,472 blocks of a
// grid, every border a copy of its own between slices of one or two variables.
#include "base/Text.hpp"
#include "Subjects.hpp"
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace bench {

using namespace poplar;
using namespace poplar::program;

namespace {

constexpr unsigned rows = 32, columns = 46, blocks = rows * columns; // one block a tile

struct Halos {
  Sequence program;
  std::size_t copies = 0;
  void copy(const Tensor &from, const Tensor &to) {
    program.add(Copy(from, to));
    ++copies;
  }
};

Tensor oneBlockATile(Graph &graph, const std::vector<std::size_t> &block) {
  std::vector<std::size_t> shape{blocks};
  shape.insert(shape.end(), block.begin(), block.end());
  Tensor t = graph.addVariable(FLOAT, shape, "blocks");
  for (unsigned i = 0; i < blocks; ++i)
    graph.setTileMapping(t[i], i);
  return t;
}

// Values come from the host before and go back after, so that their lives are looked for.
void streamed(Graph &graph, Halos &halos, const Tensor &first, const Tensor &last,
              const std::function<void()> &exchange) {
  const auto in = graph.addHostToDeviceFIFO("in", FLOAT, first.numElements());
  const auto out = graph.addDeviceToHostFIFO("out", FLOAT, last.numElements());
  halos.program.add(Copy(in, first));
  exchange();
  halos.program.add(Copy(last, out));
}

// Blocks with a margin in one variable; the four sides, four times in a row.
Halos sides(Graph &graph) {
  constexpr std::size_t n = 16;
  const Tensor cells = oneBlockATile(graph, {n + 2, n + 2});
  const auto at = [&](unsigned r, unsigned c) { return cells[r % rows * columns + c % columns]; };
  Halos halos;
  streamed(graph, halos, cells, cells, [&] {
    for (unsigned i = 0; i < 4 * blocks; ++i) {
      const unsigned r = i / columns % rows, c = i % columns;
      const Tensor to = at(r, c);
      halos.copy(at(r + rows - 1, c).slice({n, 1}, {n + 1, n + 1}), to.slice({0, 1}, {1, n + 1}));
      halos.copy(at(r + 1, c).slice({1, 1}, {2, n + 1}), to.slice({n + 1, 1}, {n + 2, n + 1}));
      halos.copy(at(r, c + columns - 1).slice({1, n}, {n + 1, n + 1}),
                 to.slice({1, 0}, {n + 1, 1}));
      halos.copy(at(r, c + 1).slice({1, 1}, {n + 1, 2}), to.slice({1, n + 1}, {n + 1, n + 2}));
    }
  });
  return halos;
}

// Two fields that take turns in a loop, each block getting the borders of its eight neighbours.
Halos turns(Graph &graph) {
  constexpr unsigned n = 8;
  Tensor fields[2];
  for (auto &field : fields) {
    field = graph.addVariable(FLOAT, {rows * n, columns * n}, "field");
    for (unsigned i = 0; i < blocks; ++i)
      graph.setTileMapping(field.slice({i / columns * n, i % columns * n},
                                       {i / columns * n + n, i % columns * n + n}),
                           i);
  }
  const Tensor borders = oneBlockATile(graph, {8, n});
  graph.createHostWrite("field", fields[0]);
  graph.createHostRead("field", fields[0]);
  Halos halos;
  for (unsigned turn = 0; turn < 2; ++turn)
    for (unsigned i = 0; i < blocks; ++i) {
      const unsigned r = i / columns, c = i % columns;
      const auto border = [&](unsigned k, unsigned dy, unsigned dx) { // 0: before, 2: after
        const unsigned y = (r + dy + rows - 1) % rows * n, x = (c + dx + columns - 1) % columns * n;
        const unsigned top = dy == 0 ? y + n - 1 : y, left = dx == 0 ? x + n - 1 : x;
        const Tensor from =
            fields[turn]
                .slice({top, left}, {dy == 1 ? y + n : top + 1, dx == 1 ? x + n : left + 1})
                .flatten();
        halos.copy(from, borders[i][k].slice(0, from.numElements()));
      };
      for (unsigned k = 0; k < 8; ++k)
        border(k, (k + k / 4) / 3, (k + k / 4) % 3);
      halos.copy(borders[i][1],
                 fields[1 - turn].slice({r * n, c * n}, {r * n + 1, c * n + n}).flatten());
    }
  halos.program = Sequence{Repeat(10, halos.program)};
  return halos;
}

// Three dimensions: the six faces of blocks with a margin, from one variable into another and
// back.
Halos faces(Graph &graph) {
  constexpr std::size_t n = 6;
  const unsigned extent[3] = {8, 8, 23};
  const Tensor cells[2] = {oneBlockATile(graph, {n + 2, n + 2, n + 2}),
                           oneBlockATile(graph, {n + 2, n + 2, n + 2})};
  Halos halos;
  const auto face = [&](unsigned turn, unsigned block, unsigned d, bool after) {
    unsigned place[3] = {block / (8 * 23), block / 23 % 8, block % 23};
    place[d] = (place[d] + (after ? 1 : extent[d] - 1)) % extent[d];
    std::vector<std::size_t> from(3, 1), fromEnd(3, n + 1), to(3, 1), toEnd(3, n + 1);
    from[d] = after ? 1 : n;
    to[d] = after ? n + 1 : 0;
    fromEnd[d] = from[d] + 1;
    toEnd[d] = to[d] + 1;
    const unsigned neighbour = (place[0] * 8 + place[1]) * 23 + place[2];
    halos.copy(cells[turn % 2][neighbour].slice(from, fromEnd),
               cells[1 - turn % 2][block].slice(to, toEnd));
  };
  streamed(graph, halos, cells[0], cells[0], [&] {
    halos.program.add(Copy(cells[0], cells[1]));
    for (unsigned i = 0; i < 4 * blocks * 6; ++i)
      face(i / (blocks * 6), i / 6 % blocks, i % 6 / 2, i % 2);
  });
  return halos;
}

Row row(const std::string &what, Halos (*build)(Graph &), const Target &target) {
  Graph graph(target);
  const Halos halos = build(graph);
  const OptionFlags options{{"debug.allowOutOfMemory", "true"}}; // only the compiler is measured
  const double time = medianSeconds(3, [&] { compileGraph(graph, {halos.program}, options); });
  return {base::str("compile ", what, ", ", base::thousands(halos.copies), " copies"),
          duration(time),
          "",
          0,
          "< 2 s",
          met(time < 2)};
}

} // namespace

std::vector<Row> copies() {
  const Target target = Target::createIPUTarget(1, "ipu2");
  return {row("sides of blocks", sides, target), row("fields in turn", turns, target),
          row("faces in 3-D", faces, target)};
}

} // namespace bench
