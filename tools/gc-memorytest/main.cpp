// SPDX-License-Identifier: MIT
// gc-memorytest: every worker of every tile fills its part of the tile's memory with numbers that
// depend on the address, and another program reads them back; then the same with every bit turned.
#include "base/Text.hpp"
#include "Bench.hpp"
#include <poplar/exceptions.hpp>
#include <sstream>

namespace {

using namespace poplar;
using base::str;
using gctest::Bench;

const char *codelets = R"(
#include <poplar/Vertex.hpp>
static unsigned expected(unsigned address, unsigned turn) { return address * 2654435761u ^ turn; }
class WriteMemory : public poplar::Vertex {
public:
  poplar::Output<poplar::Vector<unsigned>> memory;
  poplar::Input<unsigned> turn;
  unsigned first;
  void compute() {
    const unsigned bits = *turn;
    for (unsigned i = 0; i < memory.size(); ++i)
      memory[i] = expected(first + i, bits);
  }
};
class ReadMemory : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<unsigned>> memory;
  poplar::Input<unsigned> turn;
  poplar::Output<unsigned> errors;
  unsigned first;
  void compute() {
    const unsigned bits = *turn;
    unsigned wrong = 0;
    for (unsigned i = 0; i < memory.size(); ++i)
      wrong += memory[i] != expected(first + i, bits);
    *errors = wrong;
  }
};
)";

struct Options {
  unsigned device = 0, kilobytes = 0;
  bool json = false;
};

struct Layout {
  unsigned tiles, workers;
  std::size_t words; // of a tile
};

// Code, stacks and the words by which tiles talk need room beside what is tested.
constexpr std::size_t reservedBytes = 24 * 1024;

Layout layoutOf(const Bench &bench, const Options &options) {
  const auto &target = bench.target();
  const unsigned workers = target.getNumWorkerContexts();
  std::size_t bytes = target.getBytesPerTile() - reservedBytes;
  if (options.kilobytes)
    bytes = std::min<std::size_t>(bytes, options.kilobytes * 1024ull);
  return {target.getNumTiles(), workers, bytes / 4 / workers * workers};
}

void addVertices(Graph &graph, ComputeSet set, const char *name, const Layout &layout,
                 const Tensor &memory, const Tensor &turn, const Tensor *errors) {
  const std::size_t share = layout.words / layout.workers;
  for (unsigned tile = 0; tile < layout.tiles; ++tile)
    for (unsigned worker = 0; worker < layout.workers; ++worker) {
      const auto v = graph.addVertex(set, name);
      graph.connect(v["memory"], memory[tile].slice(worker * share, (worker + 1) * share));
      graph.connect(v["turn"], turn);
      graph.setInitialValue(v["first"], unsigned(worker * share));
      if (errors)
        graph.connect(v["errors"], (*errors)[tile][worker]);
      graph.setTileMapping(v, tile);
    }
}

void build(Bench &bench, const Layout &layout) {
  auto &graph = bench.graph();
  std::stringstream source(codelets);
  graph.addCodelets(source);
  const auto memory = bench.rows(UNSIGNED_INT, layout.tiles, layout.words, 0, "memory");
  const auto errors = bench.rows(UNSIGNED_INT, layout.tiles, layout.workers, 0, "errors");
  const auto turn = graph.addVariable(UNSIGNED_INT, {}, "turn");
  graph.setTileMapping(turn, 0);
  const auto write = graph.addComputeSet("write"), read = graph.addComputeSet("read");
  addVertices(graph, write, "WriteMemory", layout, memory, turn, nullptr);
  addVertices(graph, read, "ReadMemory", layout, memory, turn, &errors);
  graph.createHostWrite("turn", turn);
  graph.createHostRead("errors", errors);
  bench.addProgram(program::Sequence(program::Execute(write), program::Execute(read)));
}

// Tiles with at least one word that was not what had been written.
std::vector<unsigned> failingTiles(Bench &bench, Engine &engine, const Layout &layout) {
  std::vector<std::uint32_t> wrong(std::size_t(layout.tiles) * layout.workers);
  std::vector<unsigned> tiles;
  std::vector<bool> failed(layout.tiles);
  for (const std::uint32_t turn : {0u, 0xffffffffu}) {
    engine.writeTensor("turn", &turn, &turn + 1);
    bench.run(0);
    engine.readTensor("errors", wrong.data(), wrong.data() + wrong.size());
    for (std::size_t i = 0; i < wrong.size(); ++i)
      if (wrong[i])
        failed[i / layout.workers] = true;
  }
  for (unsigned tile = 0; tile < layout.tiles; ++tile)
    if (failed[tile])
      tiles.push_back(tile);
  return tiles;
}

gctool::Outcome report(const Options &options, gctool::Json json,
                       const std::vector<unsigned> &failing) {
  json["failing_tiles"] = gctool::Json::array();
  for (const auto tile : failing)
    json["failing_tiles"].push_back(std::to_string(tile));
  json["result"] = failing.empty() ? "pass" : "fail";
  if (options.json)
    return {gctool::textOf(json), failing.empty()};
  return {failing.empty()
              ? "o No tile failed\no Result - Pass\n"
              : str("o Tiles that failed: ", base::list(failing, ", "), "\no Result - Fail\n"),
          failing.empty()};
}

gctool::Outcome work(const Options &options) {
  Bench bench(options.device);
  const auto layout = layoutOf(bench, options);
  const gctool::Json json = {{"device", std::to_string(options.device)},
                             {"tiles", std::to_string(layout.tiles)},
                             {"bytes_per_tile", std::to_string(4 * layout.words)},
                             {"patterns", "2"}};
  const auto head = options.json ? ""
                                 : str("o Testing ", 4 * layout.words, " bytes of each of ",
                                       layout.tiles, " tiles of device ", options.device, "\n");
  build(bench, layout);
  auto &engine = bench.load();
  gctool::Outcome outcome("");
  try {
    outcome = report(options, json, failingTiles(bench, engine, layout));
  } catch (const runtime_error &e) {
    outcome = gctest::failure(options.json, json, e.what());
  }
  outcome.text = head + outcome.text;
  return outcome;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  gctool::Tool tool("gc-memorytest", "Writes and reads the memory of every tile of a device.");
  tool.device(options.device);
  tool.json(options.json);
  tool.number("--kilobytes", options.kilobytes, 0, 1 << 20,
              {"of each tile; 0: all but what the test itself needs"});
  return tool.run(argc, argv, [&] { return work(options); });
}
