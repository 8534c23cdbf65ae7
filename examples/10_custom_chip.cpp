// SPDX-License-Identifier: MIT
// The same program on chips that were never made: more tiles, a faster clock, or four tiles in all.
// Results stay the same, the modelled time does not. OPENIPU_CHIP=chips/wide.chip would put any
// program on such a chip without changing a line of it.
#include "Example.hpp"
#include <iomanip>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <pva/Cycles.hpp>
#include <pva/pva.hpp>

using namespace poplar;
using namespace poplar::program;

struct Outcome {
  bool right;
  double microseconds;
};

static Program scale(Graph &graph, const Tensor &data) {
  ComputeSet cs = graph.addComputeSet("scale");
  const std::size_t workers = graph.getTarget().getNumWorkerContexts();
  const auto mapping = graph.getTileMapping(data);
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    for (const Interval &region : mapping[tile]) {
      const std::size_t share = (region.size() + workers - 1) / workers;
      for (std::size_t from = region.begin(); from < region.end(); from += share) {
        const Interval part(from, std::min(from + share, region.end()));
        VertexRef v = graph.addVertex(cs, "Scale<float>", {{"data", data.slice(part)}});
        graph.setInitialValue(v["factor"], 3.0f);
        graph.setTileMapping(v, tile);
      }
    }
  return Execute(cs);
}

static Outcome tryOn(const IPUModel &chip) {
  Device device = chip.createDevice();
  Graph graph(device.getTarget());
  graph.addCodelets("codelets/element_wise.cpp");
  Tensor data = graph.addVariable(FLOAT, {400000}, VariableMappingMethod::LINEAR, "data");
  graph.setInitialValue(data, 2.0f);
  graph.createHostRead("data", data);

  Engine engine(graph, Repeat(2, scale(graph, data)), {{"debug.instrument", "true"}});
  engine.load(device);
  engine.run();
  std::vector<float> got(400000);
  engine.readTensor("data", got.data(), got.data() + got.size());
  const pva::Report report = engine.getReport();
  const double cycles = static_cast<double>(pva::cyclesByKind(report.execution().steps()).total());
  return {got == std::vector<float>(400000, 18.0f),
          cycles / graph.getTarget().getTileClockFrequency() * 1e6};
}

static Outcome show(const std::string &name, const IPUModel &chip) {
  const Outcome outcome = tryOn(chip);
  std::cout << std::setw(24) << std::left << name << std::fixed << std::setprecision(2)
            << outcome.microseconds << " us\n";
  return outcome;
}

int main() {
  const IPUModel gc200("ipu2");
  const IPUModel wide("chips/wide.chip"); // a chip may also be described in a file
  IPUModel quick = gc200;
  quick.tileClockFrequency = 2 * gc200.tileClockFrequency;
  IPUModel tiny = gc200;
  tiny.tilesPerIPU = 4;
  tiny.memoryBytesPerTile = 2 * 1024 * 1024;

  const Outcome a = show("GC200", gc200), b = show("4,000 tiles", wide);
  const Outcome c = show("twice the clock", quick), d = show("4 tiles of 2 MiB", tiny);
  return verdict(a.right && b.right && c.right && d.right && b.microseconds < a.microseconds &&
                     c.microseconds < a.microseconds && a.microseconds < d.microseconds,
                 "same results, other times");
}
