// SPDX-License-Identifier: MIT
// The demo: heat flow on all tiles of a simulated GC200, checked against a plain loop. Shows what
// it would cost on the device, where the cycles go, how full the tiles are, and how long it took
// here.
#include "../Example.hpp"
#include "../Heat.hpp"
#include "../Spent.hpp"
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "Terminal.hpp"
#include <cstdio>
#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>

using namespace demo;
using namespace poplar;
using namespace poplar::program;

namespace {

constexpr HeatGrid grid{46, 32, 48, 0.2f}; // 46 x 32 tiles of 48 x 48 points
constexpr unsigned chunks = 25, stepsPerChunk = 20;
enum Programs { Start, Steps };

struct Built {
  Graph graph;
  std::vector<Program> programs;
};

Built build(const Device &device) {
  Built b{Graph(device.getTarget()), {}};
  b.graph.addCodelets(OPENIPU_EXAMPLES "/codelets/stencil.cpp");
  Tensor here = b.graph.addVariable(FLOAT, {grid.rows(), grid.columns()}, "here");
  mapGrid(b.graph, here, grid);
  Tensor next = b.graph.clone(here, "next");
  b.graph.createHostWrite("grid", here);
  b.graph.createHostRead("grid", here);
  Sequence twoSteps({heatStep(b.graph, grid, here, next, "there"),
                     heatStep(b.graph, grid, next, here, "and back")});
  b.programs = {Copy(here, next), Repeat(stepsPerChunk / 2, twoSteps)};
  return b;
}

Engine compile(const Built &built) {
  Progress progress("compile", "passes");
  Engine engine(built.graph, built.programs,
                {{"autoReport.outputGraphProfile", "true"},
                 {"autoReport.outputExecutionProfile", "true"},
                 {"autoReport.outputLoweredVars", "true"}},
                [&](int done, int total) { progress.at(done, total); });
  progress.finish("");
  return engine;
}

// Runs all steps and gives back the seconds they took.
double simulate(Engine &engine, std::vector<float> &points) {
  engine.writeTensor("grid", points.data(), points.data() + points.size());
  engine.run(Start, "start");
  Stopwatch time;
  Progress progress("simulate", "steps");
  for (unsigned c = 0; c < chunks; ++c) {
    engine.run(Steps, "steps");
    progress.at((c + 1) * stepsPerChunk, chunks * stepsPerChunk);
  }
  const double seconds = time.seconds();
  progress.finish("");
  engine.readTensor("grid", points.data(), points.data() + points.size());
  return seconds;
}

float largestDifference(const std::vector<float> &a, const std::vector<float> &b) {
  float largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

void showShare(const char *name, std::uint64_t cycles, std::uint64_t total) {
  const double share = double(cycles) / double(total);
  std::printf("    %-9s %s %5.1f %%  %8s cycles\n", name, bar(share, 30).c_str(), 100 * share,
              base::thousands(cycles / stepsPerChunk).c_str());
}

// The first recorded run of the steps tells what each of them costs.
void showCycles(const pva::Report &report, double clock) {
  for (const auto &run : report.execution().runs()) {
    if (run.name() != "steps")
      continue;
    const Spent cycles = spent(run.steps());
    const double perStep = double(cycles.total()) / stepsPerChunk;
    std::printf("\n  %s\n", bold("Modelled on the device, per step").c_str());
    showShare("compute", cycles.compute, cycles.total());
    showShare("exchange", cycles.exchange, cycles.total());
    showShare("sync", cycles.sync + cycles.host, cycles.total());
    std::printf("    %-9s %s cycles = %.2f us at %s MHz: %.0f G point updates/s\n", "total",
                base::thousands(std::llround(perStep)).c_str(), perStep / clock * 1e6,
                base::thousands(std::llround(clock / 1e6)).c_str(),
                double(grid.tileRows * grid.tileColumns * grid.block * grid.block) * clock /
                    perStep / 1e9);
    return;
  }
  throw std::runtime_error("The profile holds no run named \"steps\".");
}

void showMemory(const pva::Report &report) {
  std::uint64_t sum = 0, largest = 0;
  for (const auto &tile : report.compilation().tiles()) {
    const std::uint64_t bytes = tile.memory().total().excludingGaps();
    sum += bytes;
    largest = std::max(largest, bytes);
  }
  const double limit = double(report.compilation().target().bytesPerTile());
  std::printf("\n  %s\n    fullest   %s %5.1f %%  %.1f of %.0f KiB\n    all tiles %.1f MiB\n",
              bold("Tile memory").c_str(), bar(double(largest) / limit, 30).c_str(),
              100 * double(largest) / limit, double(largest) / 1024, limit / 1024,
              double(sum) / (1 << 20));
}

int run() {
  Device device = attachIpu();
  if (device.getTarget().getNumTiles() < grid.tileRows * grid.tileColumns)
    throw std::runtime_error("The demo needs a chip of 1,472 tiles; unset OPENIPU_CHIP.");
  const auto count = [](std::size_t n) { return base::thousands(n); };
  std::printf("\n%s\n  heat flow on %s x %s points, %s tiles, %u workers each\n\n",
              bold("OpenIPU: a simulated GC200").c_str(), count(grid.rows()).c_str(),
              count(grid.columns()).c_str(), count(device.getTarget().getNumTiles()).c_str(),
              device.getTarget().getNumWorkerContexts());

  Stopwatch building;
  const Built built = build(device);
  std::printf("  %-10s codelet compiled, graph built  %.2f s\n", "build", building.seconds());
  std::vector<float> points = grid.start(), expected = points;
  double seconds = 0, clock = device.getTarget().getTileClockFrequency();
  pva::Report report = [&] {
    Engine engine = compile(built);
    engine.load(device);
    seconds = simulate(engine, points);
    return engine.getReport();
  }(); // profile.pop is complete once the engine is gone

  Stopwatch plain;
  heatLoop(grid, expected, chunks * stepsPerChunk);
  const double plainSeconds = plain.seconds();
  const float difference = largestDifference(points, expected);
  const bool ok = difference <= 1e-3f;
  std::printf("  %-10s largest difference from a plain loop %.1e  %s\n", "check",
              double(difference), ok ? good("ok").c_str() : bad("WRONG").c_str());

  showCycles(report, clock);
  showMemory(report);
  std::printf("\n  %s\n    %.2f ms a step on %u threads; the plain loop takes %.2f ms on one\n",
              bold("Time on this machine").c_str(), seconds * 1e3 / (chunks * stepsPerChunk),
              base::numThreads(), plainSeconds * 1e3 / (chunks * stepsPerChunk));
  std::printf("\n  Profile written to %s\n\n", bold("profile.pop").c_str());
  return ok ? 0 : 1;
}

} // namespace

int main() {
  try {
    return run();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "\nopenipu-demo: %s\n", error.what());
    return 1;
  }
}
