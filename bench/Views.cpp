// SPDX-License-Identifier: MIT
// Views of a [4096, 4096] tensor that are transposed, sliced and concatenated: how fast they are
// copied, beside memcpy of as many bytes on as many threads, and how long they take to make.
#include "base/Text.hpp"
#include "Subjects.hpp"
#include <cstring>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace bench {

using namespace poplar;
using namespace poplar::program;

static const std::size_t side = 4096;

// The columns in groups of `run` floats, groups by rows turned into rows by groups, the middle half
// of the groups put in front of the rest. Contiguous runs have `run` elements.
static Tensor view(const Tensor &t, std::size_t run) {
  const std::size_t groups = side / run;
  Tensor turned = t.reshape({side, groups, run}).dimShuffle({1, 0, 2});
  return concat({turned.slice(groups / 4, groups * 3 / 4), turned.slice(0, groups / 4),
                 turned.slice(groups * 3 / 4, groups)});
}

static Engine copyEngine(const Device &device, std::size_t run) {
  Graph graph(device.getTarget());
  Tensor from = graph.addVariable(FLOAT, {side, side}, VariableMappingMethod::LINEAR, "from");
  Tensor to = graph.addVariable(FLOAT, {side * side}, VariableMappingMethod::LINEAR, "to");
  graph.setInitialValue(from, 1.0f);
  graph.createHostRead("to", to);
  Engine engine(graph, Copy(view(from, run).flatten(), to));
  engine.load(device);
  return engine;
}

static void plainCopy(float *to, const float *from) {
  onThreads(side * side, [&](std::size_t begin, std::size_t end) {
    std::memcpy(to + begin, from + begin, (end - begin) * sizeof(float));
  });
}

static Row copyRow(const Device &device, std::size_t run) {
  const double bytes = 2.0 * sizeof(float) * side * side; // read and written
  Engine engine = copyEngine(device, run);
  std::vector<float> from(side * side, 1.0f), to(side * side);
  float *volatile target = to.data();
  const Pair time = medianPair(
      15, [&] { engine.run(); }, [&] { plainCopy(target, from.data()); });
  const double ratio = time.peer / time.ours;
  const bool counts = run * sizeof(float) >= 64;
  return {base::str("view of [4096,4096] copied, runs of ", run * sizeof(float), " B"),
          rate(bytes, time.ours),
          rate(bytes, time.peer),
          ratio,
          counts ? "ratio >= 0.5" : "",
          counts ? met(ratio >= 0.5) : Row::Met::NoGoal};
}

static Row makingRow(const Device &device) {
  Graph graph(device.getTarget());
  Tensor t = graph.addVariable(FLOAT, {side, side}, VariableMappingMethod::LINEAR, "t");
  const unsigned many = 100;
  const double each = medianSeconds(7,
                                    [&] {
                                      for (unsigned i = 0; i < many; ++i)
                                        view(t, 16);
                                    }) /
                      many;
  return {"making such a view", duration(each), "", 0, "< 100 us", met(each < 100e-6)};
}

std::vector<Row> views() {
  const Device device = attachIpu();
  std::vector<Row> rows;
  for (std::size_t run : {1, 16, 64, 1024})
    rows.push_back(copyRow(device, run));
  rows.push_back(makingRow(device));
  return rows;
}

} // namespace bench
