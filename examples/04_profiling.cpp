// SPDX-License-Identifier: MIT
// What a run cost: the printed summary, and the same facts read from profile.pop with libpva.
// Usage: 04_profiling [FOLDER]   the profile is written there (default: the current folder)
#include "Example.hpp"
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <pva/Cycles.hpp>
#include <pva/pva.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

static const std::size_t size = 200000;

// Ten times: data on one tile is spread over all tiles, scaled there, and collected again.
static Program scaleEverywhere(Graph &graph) {
  Tensor home = graph.addVariable(FLOAT, {size / 4}, "home");
  graph.setTileMapping(home, 0);
  Tensor away = graph.addVariable(FLOAT, {size / 4}, VariableMappingMethod::LINEAR, "away");
  graph.setInitialValue(home, 1.0f);
  graph.createHostRead("home", home);

  ComputeSet cs = graph.addComputeSet("scale");
  const auto mapping = graph.getTileMapping(away);
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    for (const Interval &part : mapping[tile]) {
      VertexRef v = graph.addVertex(cs, "Scale<float>", {{"data", away.slice(part)}});
      graph.setInitialValue(v["factor"], 2.0f);
      graph.setTileMapping(v, tile);
    }
  return Repeat(10, Sequence({Copy(home, away), Execute(cs), Copy(away, home)}), "ten times");
}

int main(int argc, char **argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  Device device = attachIpu();
  std::ostringstream summary;
  float first = 0;
  {
    Graph graph(device.getTarget());
    graph.addCodelets("codelets/element_wise.cpp");
    Program program = scaleEverywhere(graph);
    Engine engine(graph, program, {{"autoReport.all", "true"}, {"autoReport.directory", folder}});
    engine.load(device);
    engine.run(0, "ten scalings");
    engine.printProfileSummary(summary, {{"showExecutionSteps", "true"}});
    engine.printProfileSummary(std::cout, {{"short", "true"}}); // one screen of the same
    std::vector<float> home(size / 4);
    engine.readTensor("home", home.data(), home.data() + home.size());
    first = home[0];
  } // profile.pop has its name once the engine is gone
  std::cout << "\n" << summary.str();

  const pva::Report report = pva::openReport(folder + "/profile.pop");
  const pva::CyclesByKind cycles = pva::cyclesByKind(report.execution().steps());
  const std::uint64_t compute = cycles[pva::CycleKind::Compute];
  const std::uint64_t exchange = cycles[pva::CycleKind::Exchange];
  std::uint64_t memory = 0;
  for (const auto &tile : report.compilation().tiles())
    memory += tile.memory().total().excludingGaps();
  const auto &graph = report.compilation().graph();
  std::cout << "vertices " << graph.numVertices() << ", memory " << memory << " bytes\n"
            << "cycles: compute " << compute << ", exchange " << exchange << ", sync "
            << cycles[pva::CycleKind::Sync] << "\n";

  const bool printed = summary.str().find("Memory Usage:") != std::string::npos;
  return verdict(first == 1024 && printed && compute > 0 && exchange > 0 &&
                     memory >= 2 * sizeof(float) * (size / 4) &&
                     report.execution().runs().front().name() == "ten scalings",
                 "profile printed and read back");
}
