// SPDX-License-Identifier: MIT
// What the engine adds to one step of a tight loop: a compute set with one tiny vertex, and a copy
// of four bytes; and to a run of a program that has no more than that vertex. The peer is the same
// arithmetic behind a call that the compiler cannot see through.
#include "Subjects.hpp"
#include <cstring>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <sstream>

namespace bench {

using namespace poplar;
using namespace poplar::program;

static const unsigned count = 200000;

static double secondsPerStep(Graph &graph, const Device &device, const Program &body) {
  Engine engine(graph, Repeat(count, body));
  engine.load(device);
  return medianSeconds(7, [&] { engine.run(); }) / count;
}

static double secondsPerRun(Graph &graph, const Device &device, const Program &program) {
  Engine engine(graph, program);
  engine.load(device);
  engine.run();
  return medianSeconds(7,
                       [&] {
                         for (unsigned i = 0; i < count; ++i)
                           engine.run();
                       }) /
         count;
}

static ComputeSet tinyVertex(Graph &graph) {
  std::stringstream source("#include <poplar/Vertex.hpp>\n"
                           "struct Tiny : public poplar::Vertex {\n"
                           "  poplar::InOut<float> x;\n"
                           "  bool compute() { *x = *x * 0.5f + 1.0f; return true; }\n"
                           "};\n");
  graph.addCodelets(source);
  Tensor x = graph.addVariable(FLOAT, {}, "x");
  graph.setTileMapping(x, 0);
  graph.setInitialValue(x, 1.0f);
  ComputeSet cs = graph.addComputeSet("tiny");
  VertexRef v = graph.addVertex(cs, "Tiny", {{"x", x}});
  graph.setTileMapping(v, 0);
  graph.setPerfEstimate(v, 20);
  return cs;
}

static double executeStep(const Device &device) {
  Graph graph(device.getTarget());
  return secondsPerStep(graph, device, Execute(tinyVertex(graph)));
}

static double executeRun(const Device &device) {
  Graph graph(device.getTarget());
  return secondsPerRun(graph, device, Execute(tinyVertex(graph)));
}

// From one tile to another, in a body that also copies back, so that neither copy can be dropped.
static double copyStep(const Device &device) {
  Graph graph(device.getTarget());
  Tensor a = graph.addVariable(FLOAT, {1}, "a"), b = graph.addVariable(FLOAT, {1}, "b");
  graph.setTileMapping(a, 0);
  graph.setTileMapping(b, 1);
  graph.createHostRead("a", a);
  return secondsPerStep(graph, device, Sequence({Copy(a, b), Copy(b, a)})) / 2;
}

static void tiny(float *x) { *x = *x * 0.5f + 1.0f; }
static void copy(float *x) { std::memcpy(x, x + 1, sizeof *x); }

static double callStep(void (*function)(float *)) {
  void (*volatile hidden)(float *) = function;
  float data[2] = {1, 2};
  return medianSeconds(7,
                       [&] {
                         for (unsigned i = 0; i < count; ++i)
                           hidden(data);
                       }) /
         count;
}

static Row row(const char *what, double ours, double peer, double goal) {
  return {what,        duration(ours),        duration(peer),
          peer / ours, "< " + duration(goal), met(ours < goal)};
}

std::vector<Row> steps() {
  const Device device = attachIpu();
  return {row("step of a Repeat: one tiny vertex", executeStep(device), callStep(tiny), 1e-6),
          row("step of a Repeat: Copy of 4 bytes", copyStep(device), callStep(copy), 200e-9),
          row("run of a program: one tiny vertex", executeRun(device), callStep(tiny), 3e-6)};
}

} // namespace bench
