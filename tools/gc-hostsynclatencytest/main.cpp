// SPDX-License-Identifier: MIT
// gc-hostsynclatencytest: a word for the host again and again, each followed by idle cycles. The
// model has one way to sync with the host, so the modes and proxies give the same time.
#include "base/Text.hpp"
#include "Bench.hpp"
#include <poplar/exceptions.hpp>
#include <sstream>

namespace {

using namespace poplar;
using base::str;
using gctest::Bench;
using gctest::number;

// Its cycles are what the test asks for, since its estimate says so.
const char *codelet = R"(
#include <poplar/Vertex.hpp>
class Delay : public poplar::Vertex {
public:
  void compute() {}
};
)";

struct Options {
  unsigned device = 0, iterations = 1, delay = 5, delays = 32, marks = 4095;
  std::string proxy = "hsp1", mode = "polling";
  bool json = false;
};

unsigned build(Bench &bench, const Options &options) {
  auto &graph = bench.graph();
  std::stringstream source(codelet);
  graph.addCodelets(source);
  const auto word = graph.addVariable(UNSIGNED_INT, {1}, "word");
  graph.setTileMapping(word, 0);
  auto out = graph.addDeviceToHostFIFO("mark", UNSIGNED_INT, 1);
  const auto set = graph.addComputeSet("delay");
  const auto vertex = graph.addVertex(set, "Delay");
  graph.setTileMapping(vertex, 0);
  graph.setPerfEstimate(vertex, std::uint64_t(options.delay) * options.delays);
  const program::Sequence mark(program::Copy(word, out), program::Execute(set));
  return bench.addProgram(program::Sequence(program::Repeat(options.marks, mark)));
}

gctool::Json settings(const Options &options) {
  return {{"ipu_id", std::to_string(options.device)},
          {"sync_mode", options.mode},
          {"hsp", options.proxy},
          {"delay_cycles", std::to_string(options.delay)},
          {"num_delays", std::to_string(options.delays)},
          {"iterations", std::to_string(options.iterations)},
          {"mark_count", std::to_string(options.marks)}};
}

gctool::Outcome work(const Options &options) {
  Bench bench(options.device);
  const auto program = build(bench, options);
  auto &engine = bench.load();
  std::uint32_t mark = 0;
  engine.connectStream("mark", &mark, &mark + 1);
  auto json = settings(options);
  double seconds = 0;
  try {
    for (unsigned i = 0; i < options.iterations; ++i)
      seconds += bench.run(program);
  } catch (const runtime_error &e) {
    return gctest::failure(options.json, json, e.what());
  }
  const double each = seconds / options.iterations / options.marks;
  json["time_to_sync_us"] = number(1e6 * each, 3);
  json["result"] = "pass";
  if (options.json)
    return gctool::textOf(json);
  auto mode = options.mode;
  mode[0] = char(std::toupper(mode[0]));
  return str("o Using device Id - ", options.device, "\no Using sync mode: ", mode,
             ", HSP: ", options.proxy, "\n  - Issuing ", options.marks, " syncs, each followed by ",
             options.delays, " delay instructions of ", options.delay,
             " cycles\no Loading binary on all tiles... done\no Syncs took on average ",
             number(1e6 * each, 3), " us\no Result - Pass\n");
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  gctool::Tool tool("gc-hostsynclatencytest",
                    "Measures how long a simulated device waits for the host.");
  tool.device(options.device);
  tool.json(options.json);
  tool.choice("--which-hsp", options.proxy, {"hsp1", "hsp2", "both"}, {"host sync proxy"});
  tool.number("-i,--iterations", options.iterations, 1, 100000, {"how often"});
  tool.choice("-m,--sync-mode", options.mode, {"posted", "polling", "hybrid"}, {"sync mode"});
  tool.number("--delay-val", options.delay, 1, 20, {"cycles of a delay instruction"});
  tool.number("--num-delays", options.delays, 0, 100000, {"delay instructions after each sync"});
  tool.number("--mark-count", options.marks, 1, 1000000, {"syncs of a run"});
  return tool.run(argc, argv, [&] { return work(options); });
}
