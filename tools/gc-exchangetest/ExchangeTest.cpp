// SPDX-License-Identifier: MIT
#include "ExchangeTest.hpp"
#include "base/Text.hpp"
#include <poplar/exceptions.hpp>
#include <set>

namespace exchangetest {
namespace {

using namespace poplar;
using base::str;
using gctest::Bench;

constexpr std::size_t words = 16; // that one tile sends to another
constexpr unsigned senders = 32;  // of each IPU, in the broadcast test

struct Step {
  unsigned argument; // distance, or sender
  unsigned program;
  std::string handle;
};

std::uint32_t word(unsigned tile, std::size_t i) {
  return (tile * 65537u + unsigned(i)) * 2654435761u;
}

// Which tile, of its IPU, a tile receives from.
unsigned senderTo(unsigned tile, const Step &step, Pattern pattern, unsigned tiles) {
  return pattern == Pattern::Pairs ? (tile + step.argument) % tiles : step.argument;
}

std::vector<unsigned> argumentsOf(Pattern pattern, unsigned tiles) {
  std::vector<unsigned> all;
  if (pattern == Pattern::Pairs)
    for (unsigned distance = 1; distance < tiles; distance *= 2)
      all.push_back(distance);
  else
    for (unsigned i = 0; i < std::min(senders, tiles); ++i)
      all.push_back(unsigned(std::uint64_t(i) * tiles / std::min(senders, tiles)));
  return all;
}

Tensor sentTo(const Tensor &source, unsigned argument, Pattern pattern, unsigned ipus) {
  const auto tiles = unsigned(source.dim(0)) / ipus;
  std::vector<Tensor> parts;
  for (unsigned ipu = 0; ipu < ipus; ++ipu) {
    const auto own = source.slice(ipu * tiles, (ipu + 1) * tiles);
    if (pattern == Pattern::Pairs) {
      parts.push_back(own.slice(argument, tiles));
      parts.push_back(own.slice(0, argument));
    } else {
      parts.push_back(own.slice(argument, argument + 1).broadcast(tiles, 0));
    }
  }
  return concat(parts);
}

std::vector<Step> build(Bench &bench, Pattern pattern) {
  auto &graph = bench.graph();
  const unsigned tiles = bench.ipus() * bench.tilesPerIpu();
  const auto source = bench.rows(UNSIGNED_INT, tiles, words, 0, "sent");
  graph.createHostWrite("sent", source);
  std::vector<Step> steps;
  for (const auto argument : argumentsOf(pattern, bench.tilesPerIpu())) {
    const auto arrived = bench.rows(UNSIGNED_INT, tiles, words, 0, "arrived");
    Step step{argument, 0, str("arrived", argument)};
    graph.createHostRead(step.handle, arrived);
    step.program = bench.addProgram(
        program::Sequence(program::Copy(sentTo(source, argument, pattern, bench.ipus()), arrived)));
    steps.push_back(std::move(step));
  }
  return steps;
}

struct Result {
  std::set<unsigned> failing; // tiles, over all IPUs
  double seconds = 0;
};

void compare(Result &result, const std::vector<std::uint32_t> &arrived, const Step &step,
             Pattern pattern, unsigned tilesPerIpu) {
  for (std::size_t i = 0; i < arrived.size(); ++i) {
    const auto tile = unsigned(i / words), first = tile / tilesPerIpu * tilesPerIpu;
    const unsigned from = first + senderTo(tile - first, step, pattern, tilesPerIpu);
    if (arrived[i] != word(from, i % words))
      result.failing.insert(tile);
  }
}

Result measure(Bench &bench, Engine &engine, const std::vector<Step> &steps, Pattern pattern) {
  std::vector<std::uint32_t> data(std::size_t(bench.ipus()) * bench.tilesPerIpu() * words);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = word(unsigned(i / words), i % words);
  engine.writeTensor("sent", data.data(), data.data() + data.size());
  Result result;
  for (const auto &step : steps) {
    result.seconds += bench.run(step.program);
    engine.readTensor(step.handle, data.data(), data.data() + data.size());
    compare(result, data, step, pattern, bench.tilesPerIpu());
  }
  return result;
}

gctool::Outcome report(const Options &options, gctool::Json json, const Result &result) {
  const bool good = result.failing.empty();
  json["device_seconds"] = gctest::number(result.seconds, 9);
  json["failing_tiles"] = gctool::Json::array();
  for (const auto tile : result.failing)
    json["failing_tiles"].push_back(std::to_string(tile));
  json["result"] = good ? "pass" : "fail";
  if (options.json)
    return {gctool::textOf(json), good};
  const auto failed = good ? std::string("o No tile failed\n")
                           : str("o Tiles that failed: ", base::list(result.failing, ", "), "\n");
  return {failed + (good ? "o Result - Pass\n" : "o Result - Fail\n"), good};
}

} // namespace

gctool::Outcome run(const Options &options, Pattern pattern) {
  Bench bench(options.device);
  const auto steps = build(bench, pattern);
  const unsigned tiles = bench.ipus() * bench.tilesPerIpu();
  const gctool::Json json = {{"device", std::to_string(options.device)},
                             {"tiles", std::to_string(tiles)},
                             {"steps", std::to_string(steps.size())},
                             {"bytes_per_tile_and_step", std::to_string(4 * words)}};
  auto &engine = bench.load();
  gctool::Outcome outcome("");
  try {
    outcome = report(options, json, measure(bench, engine, steps, pattern));
  } catch (const runtime_error &e) {
    outcome = gctest::failure(options.json, json, e.what());
  }
  if (!options.json)
    outcome.text = str("o Sending between ", tiles, " tiles of device ", options.device, " in ",
                       steps.size(), " steps\n") +
                   outcome.text;
  return outcome;
}

int main(int argc, char **argv, const char *name, const char *description, Pattern pattern) {
  Options options;
  gctool::Tool tool(name, description);
  tool.device(options.device);
  tool.json(options.json);
  return tool.run(argc, argv, [&] { return run(options, pattern); });
}

} // namespace exchangetest
