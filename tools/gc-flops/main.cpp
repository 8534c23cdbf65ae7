// SPDX-License-Identifier: MIT
// gc-flops: a large matrix product on every IPU of a device, planned and timed as for any program.
#include "base/Text.hpp"
#include "Bench.hpp"
#include "machine/Error.hpp"
#include <cmath>
#include <poplar/exceptions.hpp>
#include <poplar/MetadataCreation.hpp>
#include <poplin/codelets.hpp>
#include <poplin/MatMul.hpp>
#include <popops/Cast.hpp>
#include <popops/codelets.hpp>

namespace {

using namespace poplar;
using base::str;
using gctest::Bench;
using gctest::number;

struct Options {
  unsigned device = 0, size = 2048, repeats = 1;
  std::string precision = "FP16";
  bool json = false, lowClock = false;
};

// What the matrices hold does not matter to the time.
unsigned build(Bench &bench, const Options &options) {
  auto &graph = bench.graph();
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  const auto type = options.precision == "FP32" ? FLOAT : HALF;
  program::Sequence before, body;
  const std::size_t n = options.size;
  auto left = poplin::createMatMulInputLHS(graph, type, {n, n}, {n, n}, "left");
  auto right = poplin::createMatMulInputRHS(graph, type, {n, n}, {n, n}, "right");
  if (options.precision == "FP8") {
    const auto metadata =
        createConstantMetadataTensor(graph, QuarterMetadata::Format::F143, /*scale=*/0);
    graph.setTileMapping(metadata, 0);
    for (auto *side : {&left, &right})
      *side = popops::cast(graph, *side, QUARTER, metadata, before);
  }
  poplin::matMul(graph, left, right, body, type, "product");
  bench.addProgram(before);
  return bench.addProgram(program::Sequence(program::Repeat(options.repeats, body)));
}

gctool::Outcome work(const Options &options) {
  if (options.lowClock)
    throw machine::Error("-l: a simulated IPU has one clock, which gc-info shows.");
  Bench bench(options.device);
  if (bench.ipus() != 1)
    throw machine::Error(
        str("device ", options.device, " has ", bench.ipus(), " IPUs; give the id of one IPU."));
  const auto program = build(bench, options);
  bench.load();
  const double megahertz = bench.target().getTileClockFrequency() / 1e6;
  gctool::Json json = {{"device", std::to_string(options.device)},
                       {"precision", options.precision}};
  try {
    const double seconds = bench.run(program);
    const double flops = 2.0 * std::pow(options.size, 3) * options.repeats / seconds;
    json["size"] = std::to_string(options.size);
    json["teraflops"] = number(flops / 1e12, 4);
    json["duration_seconds"] = number(seconds, 6);
    json["clock_mhz"] = number(megahertz, 0);
    json["result"] = "pass";
    if (options.json)
      return gctool::textOf(json);
    return str("Loading binary into IPU(s)\nStarting ", options.precision,
               " FLOPS calculation...\nFlops per IPU (", options.precision,
               "): ", number(flops / 1e12, 4), " teraFLOPS (took: ", number(seconds, 6),
               " seconds of simulated time)\nIPU clock speed: ", number(megahertz, 0), " MHz\n");
  } catch (const runtime_error &e) {
    return gctest::failure(options.json, json, e.what());
  }
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  gctool::Tool tool("gc-flops", "Measures what a simulated IPU reaches in a matrix product.");
  tool.device(options.device);
  tool.json(options.json);
  tool.choice("-p,--fp", options.precision, {"FP16", "FP32", "FP8"}, {"FP16, FP32 or FP8"});
  tool.flag("-l,--low-clock-rate", options.lowClock, {"refused: there is one clock"});
  tool.number("--size", options.size, 16, 16384, {"rows and columns of the matrices"});
  tool.number("--repeats", options.repeats, 1, 1000, {"products, one after the other"});
  return tool.run(argc, argv, [&] { return work(options); });
}
