// SPDX-License-Identifier: MIT
// gc-iputraffictest: every tile of each of two IPUs sends to its fellow on the other, in both
// directions at once; the time is the model's, and what arrives is compared. With --loopback the
// data come back to where they were sent from; with --single-ipu the two are halves of one IPU.
#include "base/Text.hpp"
#include "Bench.hpp"
#include "Links.hpp"
#include "machine/Discovery.hpp"
#include "machine/Error.hpp"
#include <csignal>
#include <iostream>
#include <poplar/exceptions.hpp>
#include <poplin/codelets.hpp>
#include <poplin/MatMul.hpp>
#include <popops/codelets.hpp>

namespace {

using namespace poplar;
using base::str;
using gctest::Bench;
using gctest::number;

constexpr std::size_t wordsPerTransfer = 64 * 1024 / 4;

struct Options {
  unsigned device0 = 0, device1 = 1, iterations = 1000;
  bool json = false, verbose = false, allLinks = false, forever = false;
  bool single = false, loopback = false, highPower = false;
};

volatile std::sig_atomic_t interrupted = 0;

struct Result {
  double seconds = 0, bytes = 0;
  std::uint64_t errors = 0;
};

std::vector<std::uint32_t> pattern(std::size_t size) {
  std::vector<std::uint32_t> data(size);
  for (std::size_t i = 0; i < size; ++i)
    data[i] = std::uint32_t(i) * 2654435761u;
  return data;
}

std::vector<unsigned> idsOf(const Options &options) {
  if (options.single)
    return {options.device0};
  return {options.device0, options.device1};
}

// Places of the two IPUs within the device that has both.
std::pair<unsigned, unsigned> placesIn(unsigned device, const Options &options) {
  const auto domain = machine::activeDomain();
  const auto group = gctool::groupOf(domain, device);
  if (options.single)
    return {0, 0};
  return {options.device0 - group.first, options.device1 - group.first};
}

// The tiles that send to each other: all of two IPUs, or the halves of one.
struct Sides {
  unsigned tiles, first[2];
};
Sides sidesOf(const Bench &bench, const std::pair<unsigned, unsigned> &places, bool single) {
  const unsigned tiles = bench.tilesPerIpu(), first = places.first * tiles;
  if (single)
    return {tiles / 2, {first, first + tiles / 2}};
  return {tiles, {first, places.second * tiles}};
}

// A product between transfers, on all tiles: what it holds does not matter.
program::Sequence product(Bench &bench) {
  auto &graph = bench.graph();
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  constexpr std::size_t n = 256;
  const auto left = poplin::createMatMulInputLHS(graph, HALF, {n, n}, {n, n}, "left");
  const auto right = poplin::createMatMulInputRHS(graph, HALF, {n, n}, {n, n}, "right");
  program::Sequence made;
  poplin::matMul(graph, left, right, made, HALF, "product");
  return made;
}

struct Built {
  std::size_t words; // of all tiles of one IPU
  unsigned program;
};

// As much as a tile holds twice, in so many turns that each tile sends 64 KB per iteration.
Built build(Bench &bench, const std::pair<unsigned, unsigned> &places, const Options &options) {
  auto &graph = bench.graph();
  const auto sides = sidesOf(bench, places, options.single);
  Tensor sent[2], arrived[2];
  for (const int side : {0, 1}) {
    const auto rows = [&](const char *name) {
      return bench.rows(UNSIGNED_INT, sides.tiles, wordsPerTransfer, sides.first[side], name);
    };
    sent[side] = rows("sent");
    arrived[side] = rows("arrived");
    graph.createHostWrite(str("sent", side), sent[side]);
    // What went there and back lies with its sender.
    graph.createHostRead(str("arrived", side), options.loopback ? sent[side] : arrived[side]);
  }
  program::Sequence turn(program::Copy(concat(sent[1], sent[0]), concat(arrived[0], arrived[1])));
  if (options.loopback)
    turn.add(program::Copy(concat(arrived[1], arrived[0]), concat(sent[0], sent[1])));
  if (options.highPower)
    turn.add(product(bench));
  const auto program =
      bench.addProgram(program::Sequence(program::Repeat(options.iterations, turn)));
  return {sides.tiles * wordsPerTransfer, program};
}

Result measure(Bench &bench, const Built &built, const Options &options) {
  auto &engine = bench.load();
  auto data = pattern(built.words);
  engine.writeTensor("sent0", data.data(), data.data() + data.size());
  engine.writeTensor("sent1", data.data(), data.data() + data.size());
  Result result;
  result.seconds = bench.run(built.program);
  result.bytes = 2.0 * 4 * double(built.words) * options.iterations * (options.loopback ? 2 : 1);
  std::vector<std::uint32_t> got(data.size());
  for (const char *handle : {"arrived0", "arrived1"}) {
    engine.readTensor(handle, got.data(), got.data() + got.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      result.errors += got[i] != data[i];
  }
  return result;
}

// The watts of a board stand for its one power sensor.
gctool::Json boards(const Options &options, double &watts) {
  const machine::AttributeReader reader(machine::activeDomain());
  gctool::Json all = gctool::Json::object();
  for (const unsigned id : idsOf(options)) {
    const auto &ipu = reader.domain().ipus[id];
    auto &board = all[ipu.serial];
    if (board.is_null()) {
      const double drawn = reader.boardWatts(id);
      watts += drawn;
      board["power_sensors"] = {{"XDPE132G5C:0", number(drawn, 1)}};
      board["device_ids"] = gctool::Json::array();
      board["type"] = ipu.board;
      board["board_power"] = number(drawn, 1);
    }
    board["device_ids"].push_back(std::to_string(id));
  }
  return all;
}

void check(const Options &options) {
  const auto domain = machine::activeDomain();
  for (const unsigned id : idsOf(options))
    if (id >= domain.ipus.size())
      throw machine::Error(str("there is no IPU ", id, ": partition ", domain.partition.name,
                               " has IPUs 0 to ", domain.ipus.size() - 1, "."));
  if (options.device0 == options.device1 && !options.single)
    throw machine::Error("--device0 and --device1 must be two IPUs. --single-ipu tests one.");
  if (options.single && options.allLinks)
    throw machine::Error("--single-ipu uses no link, so that there is nothing for --all-links.");
  if (options.forever && options.json)
    throw machine::Error("--forever prints no JSON: a test without an end has none.");
}

// Neighbours, or the two that were named.
std::vector<Options> pairsOf(const Options &options) {
  if (!options.allLinks)
    return {options};
  const auto domain = machine::activeDomain();
  const auto system =
      arch::systemOf(machine::chipOf(domain.partition.chip), unsigned(domain.ipus.size()));
  std::vector<Options> pairs;
  for (const auto &pair : gclinks::pairsOf(system)) {
    pairs.push_back(options);
    pairs.back().device0 = pair.from;
    pairs.back().device1 = pair.to;
  }
  if (pairs.empty())
    throw machine::Error(str("partition ", domain.partition.name, " has no links: it is one IPU."));
  return pairs;
}

gctool::Json jsonOf(const Options &options, const Result &result) {
  double watts = 0;
  gctool::Json json = {{"boards", boards(options, watts)},
                       {"device0", std::to_string(options.device0)},
                       {"device1", std::to_string(idsOf(options).back())}};
  json["duration_sec"] = number(result.seconds, 6);
  json["kbytes_transferred"] = number(result.bytes / 1024, 0);
  json["gbytes_transferred"] = number(result.bytes / (1u << 30), 3);
  json["gbps"] = number(result.bytes * 8 / 1e9 / result.seconds);
  json["errors"] = std::to_string(result.errors);
  json["power"] = number(watts, 1);
  return json;
}

std::string textOf(const Options &options, const Result &result) {
  const auto which = options.single ? str("o Halves of IPU ", options.device0)
                                    : str("o IPUs ", options.device0, " and ", options.device1);
  auto text = str(which, ": ", number(result.bytes * 8 / 1e9 / result.seconds),
                  " Gbps in both directions together (simulated)\n");
  if (options.verbose)
    text += str("  - ", number(result.bytes / (1u << 30), 3), " GB in ", number(result.seconds, 6),
                " s of device time\n");
  return text;
}

class Test {
public:
  explicit Test(const Options &options) : options_(options) {}

  void round() {
    for (const auto &pair : pairsOf(options_)) {
      const unsigned device = Bench::deviceWith(pair.device0, idsOf(pair).back());
      Bench bench(device);
      const auto result = measure(bench, build(bench, placesIn(device, pair), pair), pair);
      errors_ += result.errors;
      json_.push_back(jsonOf(pair, result));
      if (!options_.json)
        std::cout << textOf(pair, result) << std::flush;
      if (interrupted || !std::cout)
        return;
    }
  }
  gctool::Outcome outcome() const {
    const bool good = errors_ == 0;
    if (!options_.json)
      return {str("o Errors: ", errors_, "\no Result - ", good ? "Pass\n" : "Fail\n"), good};
    if (options_.allLinks)
      return {gctool::textOf({{"all_links", json_}}), good};
    return {gctool::textOf({{"tile_to_tile", json_[0]}}), good};
  }

private:
  const Options &options_;
  std::uint64_t errors_ = 0;
  gctool::Json json_ = gctool::Json::array();
};

gctool::Outcome work(const Options &options) {
  check(options);
  if (options.forever)
    for (const int signal : {SIGINT, SIGTERM})
      ::signal(signal, [](int) { interrupted = 1; });
  Test test(options);
  try {
    do
      test.round();
    while (options.forever && !interrupted && std::cout);
    return test.outcome();
  } catch (const runtime_error &e) {
    return gctest::failure(options.json,
                           {{"device0", std::to_string(options.device0)},
                            {"device1", std::to_string(options.device1)}},
                           e.what());
  }
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  gctool::Tool tool("gc-iputraffictest", "Measures the bandwidth between two simulated IPUs.",
                    "--version");
  tool.number("--device0", options.device0, 0, machine::mostIpus, {"one IPU"});
  tool.number("--device1", options.device1, 0, machine::mostIpus, {"the other"});
  tool.flag("--all-links", options.allLinks, {"all neighbours of the partition, in turn"});
  tool.flag("--single-ipu", options.single, {"between the halves of --device0"});
  tool.flag("--loopback", options.loopback, {"what was sent comes back to its sender"});
  tool.flag("--high-power", options.highPower, {"a matrix product after every transfer"});
  tool.flag("--forever", options.forever, {"again and again, until it is interrupted"});
  tool.json(options.json, "-j,--json-output,--json");
  tool.number("-i,--iterations", options.iterations, 1, 1000000,
              {"transfers of 64 KB of every tile"});
  tool.flag("-v,--verbose", options.verbose, {"also amounts and times"});
  return tool.run(argc, argv, [&] { return work(options); });
}
