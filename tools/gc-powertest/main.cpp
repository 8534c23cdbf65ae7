// SPDX-License-Identifier: MIT
// gc-powertest: matrix products on every IPU of a device, again and again, and a line about its
// cards every so often. Unlike a real IPU, a simulated one cools down as soon as the test ends.
#include "base/Text.hpp"
#include "Bench.hpp"
#include "machine/Discovery.hpp"
#include "machine/Error.hpp"
#include "Samples.hpp"
#include <chrono>
#include <csignal>
#include <iostream>
#include <poplar/exceptions.hpp>
#include <poplin/codelets.hpp>
#include <poplin/MatMul.hpp>
#include <popops/codelets.hpp>

namespace {

using namespace poplar;
using gctest::Bench;
using Clock = std::chrono::steady_clock;

struct Options {
  unsigned device = 0, samples = 0, size = 1024;
  double interval = 1;
  bool json = false;
};

volatile std::sig_atomic_t interrupted = 0;

unsigned build(Bench &bench, const Options &options) {
  auto &graph = bench.graph();
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  const std::size_t n = options.size;
  program::Sequence body;
  for (unsigned ipu = 0; ipu < bench.ipus(); ++ipu) {
    auto one = graph.createVirtualGraph(ipu * bench.tilesPerIpu(), (ipu + 1) * bench.tilesPerIpu());
    const auto left = poplin::createMatMulInputLHS(one, HALF, {n, n}, {n, n}, "left");
    const auto right = poplin::createMatMulInputRHS(one, HALF, {n, n}, {n, n}, "right");
    poplin::matMul(one, left, right, body, HALF, "product");
  }
  return bench.addProgram(std::move(body));
}

class Test {
public:
  explicit Test(const Options &options)
      : options_(options), domain_(machine::activeDomain()),
        group_(gctool::groupOf(domain_, options.device)), bench_(options.device),
        program_(build(bench_, options)) {
    bench_.load();
  }

  void run() {
    if (!options_.json)
      std::cout << "o Loading device " << options_.device
                << "; power and temperatures are simulated [sim]\n";
    auto next = Clock::now() + interval();
    for (unsigned sample = 0; (!options_.samples || sample < options_.samples) && !interrupted;) {
      bench_.run(program_);
      if (Clock::now() < next)
        continue;
      next += interval();
      take(++sample);
    }
  }
  gctool::Json samples() const { return samples_; }

private:
  std::chrono::nanoseconds interval() const {
    return std::chrono::nanoseconds(std::int64_t(options_.interval * 1e9));
  }
  void take(unsigned sample) {
    gctool::Json json = {{"sample", std::to_string(sample)}, {"cards", gctool::Json::array()}};
    for (const auto &card : gcpower::sampleOf(domain_, group_)) {
      if (options_.json)
        json["cards"].push_back(gcpower::jsonOf(card));
      else
        std::cout << (sample == 1 ? gcpower::headerOf(card) : "") << gcpower::lineOf(card, sample);
    }
    samples_.push_back(std::move(json));
    if (!(std::cout << std::flush))
      throw machine::Error("the output could not be written");
  }

  const Options &options_;
  machine::Domain domain_;
  machine::Group group_;
  Bench bench_;
  unsigned program_;
  gctool::Json samples_ = gctool::Json::array();
};

gctool::Outcome work(const Options &options) {
  if (options.json && !options.samples)
    throw machine::Error("-j needs --samples: a test without an end prints no JSON.");
  for (const int signal : {SIGINT, SIGTERM}) // before anybody can see that the device is attached
    ::signal(signal, [](int) { interrupted = 1; });
  Test test(options);
  gctool::Json json = {{"device", std::to_string(options.device)}, {"simulated", "yes"}};
  try {
    test.run();
  } catch (const runtime_error &e) {
    return gctest::failure(options.json, json, e.what());
  }
  json["samples"] = test.samples();
  json["result"] = "pass";
  return options.json ? gctool::textOf(json) : "o Result - Pass\n";
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  gctool::Tool tool("gc-powertest", "Loads a simulated device and shows power and temperatures "
                                    "until it is interrupted. All figures are simulated.");
  tool.device(options.device);
  tool.json(options.json);
  tool.number("-n,--samples", options.samples, 0, 9999, {"end after this many; 0: never"});
  tool.number("--interval", options.interval, 0.01, 3600, 1, {"seconds between samples (1)"});
  tool.number("--size", options.size, 16, 16384, {"rows and columns of the matrices"});
  return tool.run(argc, argv, [&] { return work(options); });
}
