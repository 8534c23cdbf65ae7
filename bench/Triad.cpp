// SPDX-License-Identifier: MIT
// 8,832 vertices, six per tile, stream 64 MiB: a[i] = b[i] + s * c[i]. The peer is the same loop in
// plain C++ on as many threads.
#include "Subjects.hpp"
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <sstream>

namespace bench {

using namespace poplar;
using namespace poplar::program;

static const std::size_t vertices = 8832;
static const std::size_t share = (std::size_t(64) << 20) / (3 * sizeof(float) * vertices);
static const std::size_t size = vertices * share;
static const double bytes = 3.0 * sizeof(float) * size;
static const unsigned repeats = 3;

static Engine triadEngine(const Device &device) {
  Graph graph(device.getTarget());
  std::stringstream source("#include <poplar/Vertex.hpp>\n"
                           "using namespace poplar;\n"
                           "struct Triad : public Vertex {\n"
                           "  Output<Vector<float>> a;\n"
                           "  Input<Vector<float>> b, c;\n"
                           "  float s;\n"
                           "  bool compute() {\n"
                           "    for (unsigned i = 0; i < a.size(); ++i)\n"
                           "      a[i] = b[i] + s * c[i];\n"
                           "    return true;\n"
                           "  }\n"
                           "};\n");
  graph.addCodelets(source);
  Tensor all = graph.addVariable(FLOAT, {3, size}, "abc");
  graph.setInitialValue(all, 1.0f);
  graph.createHostRead("a", all[0].slice(0, 16));
  ComputeSet cs = graph.addComputeSet("triad");
  const unsigned workers = graph.getTarget().getNumWorkerContexts();
  for (std::size_t i = 0; i < vertices; ++i) {
    Tensor part = all.slice(i * share, (i + 1) * share, 1);
    const unsigned tile = unsigned(i / workers) % graph.getTarget().getNumTiles();
    graph.setTileMapping(part, tile);
    VertexRef v = graph.addVertex(cs, "Triad", {{"a", part[0]}, {"b", part[1]}, {"c", part[2]}});
    graph.setInitialValue(v["s"], 3.0f);
    graph.setTileMapping(v, tile);
  }
  Engine engine(graph, Repeat(repeats, Execute(cs)));
  engine.load(device);
  return engine;
}

static void loop(float *__restrict a, const float *__restrict b, const float *__restrict c, float s,
                 std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    a[i] = b[i] + s * c[i];
}

static void plainPasses(float *data) {
  for (unsigned r = 0; r < repeats; ++r)
    onThreads(size, [&](std::size_t begin, std::size_t end) {
      loop(data + begin, data + size + begin, data + 2 * size + begin, 3.0f, end - begin);
    });
}

std::vector<Row> triad() {
  const Device device = attachIpu();
  Engine engine = triadEngine(device);
  std::vector<float> abc(3 * size, 1.0f);
  float *volatile data = abc.data();
  const Pair time = medianPair(
      21, [&] { engine.run(); }, [&] { plainPasses(data); });
  const double ratio = time.peer / time.ours;
  return {{"triad, 8,832 vertices over 64 MiB", rate(bytes * repeats, time.ours),
           rate(bytes * repeats, time.peer), ratio, "ratio >= 0.8", met(ratio >= 0.8)}};
}

} // namespace bench
