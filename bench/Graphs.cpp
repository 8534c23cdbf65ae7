// SPDX-License-Identifier: MIT
// Building and compiling graphs of many explicit vertices with three fields each. Every size runs
// in a process of its own, so that its peak memory is its own. The peer of a size is ten times
// less.
#include "base/Text.hpp"
#include "Subjects.hpp"
#include <cstdio>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <sstream>

namespace bench {

using namespace poplar;
using namespace poplar::program;

// out[i] = a[i] + b[i] over pieces of four elements, spread over all tiles.
static Executable buildAndCompile(const Target &target, std::size_t vertices) {
  const std::size_t piece = 4;
  Graph graph(target);
  std::stringstream source("#include <poplar/Vertex.hpp>\n"
                           "using namespace poplar;\n"
                           "struct Add3 : public Vertex {\n"
                           "  Input<Vector<float>> a, b;\n"
                           "  Output<Vector<float>> out;\n"
                           "  bool compute() {\n"
                           "    for (unsigned i = 0; i < out.size(); ++i)\n"
                           "      out[i] = a[i] + b[i];\n"
                           "    return true;\n"
                           "  }\n"
                           "};\n");
  graph.addCodelets(source);
  const auto linear = VariableMappingMethod::LINEAR;
  Tensor a = graph.addVariable(FLOAT, {vertices * piece}, linear, "a");
  Tensor b = graph.addVariable(FLOAT, {vertices * piece}, linear, "b");
  Tensor out = graph.addVariable(FLOAT, {vertices * piece}, linear, "out");
  graph.createHostRead("out", out);
  ComputeSet cs = graph.addComputeSet("add");
  const std::size_t tiles = target.getNumTiles();
  for (std::size_t i = 0; i < vertices; ++i) {
    VertexRef v = graph.addVertex(cs, "Add3");
    graph.connect(v["a"], a.slice(i * piece, (i + 1) * piece));
    graph.connect(v["b"], b.slice(i * piece, (i + 1) * piece));
    graph.connect(v["out"], out.slice(i * piece, (i + 1) * piece));
    graph.setTileMapping(v, unsigned(i * tiles / vertices));
  }
  return compileGraph(graph, {Execute(cs)});
}

void graphsChild(std::size_t vertices) {
  const Device device = attachIpu();
  buildAndCompile(device.getTarget(), 1); // the codelet is in the cache from here on
  std::printf("%.6f\n", seconds([&] { buildAndCompile(device.getTarget(), vertices); }));
}

static ChildResult medianChild(std::size_t vertices) {
  std::vector<ChildResult> runs;
  for (int i = 0; i < 3; ++i)
    runs.push_back(runChild({"graphs", std::to_string(vertices)}));
  std::sort(runs.begin(), runs.end(),
            [](const auto &x, const auto &y) { return x.numbers.at(0) < y.numbers.at(0); });
  return runs[1];
}

std::vector<Row> graphs() {
  std::vector<Row> rows;
  double smaller = 0;
  for (std::size_t vertices : {10000, 100000, 1000000}) {
    const ChildResult run = medianChild(vertices);
    const double time = run.numbers.at(0);
    Row row{base::str("build + compile, ", base::thousands(vertices), " vertices"),
            duration(time) + ", " + fixed(run.peakBytes / (1 << 20), 0) + " MiB",
            "",
            0,
            "",
            {}};
    if (smaller > 0) {
      row.peer = duration(10 * smaller) + " linear";
      row.ratio = 10 * smaller / time;
    }
    if (vertices == 100000) {
      row.goal = "< 3 s, < 1 GiB";
      row.met = met(time < 3 && run.peakBytes < (1 << 30));
    } else if (vertices == 1000000) {
      row.goal = "linear: >= 0.7";
      row.met = met(row.ratio >= 0.7);
    } else {
      row.met = Row::Met::NoGoal;
    }
    rows.push_back(row);
    smaller = time;
  }
  return rows;
}

} // namespace bench
