// SPDX-License-Identifier: MIT
// gc-hostsynclatencytest: a word for the host again and again, each followed by idle cycles. The
// model has one way to sync with the host, so the modes and proxies give the same time. With
// --split-increment the delays are on the first IPUs of the device only: n of them, 2 n, ... all.
#include "base/Text.hpp"
#include "Bench.hpp"
#include "machine/Discovery.hpp"
#include <algorithm>
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
  unsigned device = 0, iterations = 1, delay = 5, delays = 32, marks = 4095, split = 0;
  std::string proxy = "hsp1", mode = "polling";
  bool json = false;
};

// The marks of a group of IPUs: a word of each of them, then the delay on each.
unsigned addMarks(Bench &bench, const Tensor &words, const DataStream &out, unsigned ipus,
                  const Options &options) {
  auto &graph = bench.graph();
  const auto set = graph.addComputeSet("delay");
  for (unsigned ipu = 0; ipu < ipus; ++ipu) {
    const auto vertex = graph.addVertex(set, "Delay");
    graph.setTileMapping(vertex, ipu * bench.tilesPerIpu());
    graph.setPerfEstimate(vertex, std::uint64_t(options.delay) * options.delays);
  }
  const program::Sequence mark(program::Copy(words.slice(0, ipus), out), program::Execute(set));
  return bench.addProgram(program::Sequence(program::Repeat(options.marks, mark)));
}

struct Group {
  unsigned ipus, program;
  std::string stream;
  double seconds = 0;
};

std::vector<Group> build(Bench &bench, const Options &options) {
  auto &graph = bench.graph();
  std::stringstream source(codelet);
  graph.addCodelets(source);
  const auto words = graph.addVariable(UNSIGNED_INT, {bench.ipus()}, "words");
  for (unsigned ipu = 0; ipu < bench.ipus(); ++ipu)
    graph.setTileMapping(words[ipu], ipu * bench.tilesPerIpu());
  std::vector<Group> groups;
  const unsigned step = options.split ? options.split : bench.ipus();
  for (unsigned ipus = std::min(step, bench.ipus());; ipus = std::min(ipus + step, bench.ipus())) {
    Group group{ipus, 0, str("mark", ipus)};
    auto out = graph.addDeviceToHostFIFO(group.stream, UNSIGNED_INT, ipus);
    group.program = addMarks(bench, words, out, ipus, options);
    groups.push_back(group);
    if (ipus == bench.ipus())
      return groups;
  }
}

gctool::Json settings(const Options &options) {
  return {{"ipu_id", std::to_string(options.device)},
          {"sync_mode", options.mode},
          {"hsp", options.proxy},
          {"delay_cycles", std::to_string(options.delay)},
          {"num_delays", std::to_string(options.delays)},
          {"iterations", std::to_string(options.iterations)},
          {"mark_count", std::to_string(options.marks)},
          {"split_increments", std::to_string(options.split)}};
}

void run(Bench &bench, std::vector<Group> &groups, const Options &options) {
  auto &engine = bench.load();
  std::vector<std::uint32_t> marks(bench.ipus());
  for (auto &group : groups)
    engine.connectStream(group.stream, marks.data(), marks.data() + group.ipus);
  for (auto &group : groups)
    for (unsigned i = 0; i < options.iterations; ++i)
      group.seconds += bench.run(group.program) / options.iterations / options.marks;
}

std::string textOf(const std::vector<Group> &groups, const Options &options) {
  auto mode = options.mode;
  mode[0] = char(std::toupper(mode[0]));
  auto text = str("o Using device Id - ", options.device, "\no Using sync mode: ", mode,
                  ", HSP: ", options.proxy, "\n  - Issuing ", options.marks,
                  " syncs, each followed by ", options.delays, " delay instructions of ",
                  options.delay, " cycles\no Loading binary on all tiles... done\n");
  if (options.split)
    for (const auto &group : groups)
      text += str("  - A group of ", group.ipus,
                  group.ipus == 1 ? " IPU: " : " IPUs: ", number(1e6 * group.seconds, 3), " us\n");
  return text + str("o Syncs took on average ", number(1e6 * groups.back().seconds, 3),
                    " us\no Result - Pass\n");
}

gctool::Outcome work(const Options &options) {
  Bench bench(options.device);
  auto groups = build(bench, options);
  auto json = settings(options);
  try {
    run(bench, groups, options);
  } catch (const runtime_error &e) {
    return gctest::failure(options.json, json, e.what());
  }
  if (!options.json)
    return textOf(groups, options);
  json["time_to_sync_us"] = number(1e6 * groups.back().seconds, 3);
  if (options.split)
    for (const auto &group : groups)
      json["splits"][std::to_string(group.ipus)] = number(1e6 * group.seconds, 3);
  json["result"] = "pass";
  return gctool::textOf(json);
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
  tool.number("--split-increment", options.split, 1, machine::mostIpus,
              {"IPUs that a sync group has more than the one before"});
  return tool.run(argc, argv, [&] { return work(options); });
}
