// SPDX-License-Identifier: MIT
// gc-gwlinkstraffictest: every IPU sends to the one at the same place of the next IPU-Link domain
// and that one back, all at once; the time is the model's, and what arrives is compared.
#include "base/Text.hpp"
#include "Bench.hpp"
#include "machine/Discovery.hpp"
#include "machine/Error.hpp"
#include <algorithm>
#include <poplar/exceptions.hpp>

namespace {

using namespace poplar;
using base::str;
using gctest::Bench;
using gctest::number;

constexpr std::size_t words = 1024; // of a tile, each way

struct Options {
  std::optional<unsigned> single;
  unsigned tiles = 32, iterations = 1000;
  bool json = false, verbose = false;
};

struct Pair {
  unsigned from = 0, to = 0;
};

struct Result {
  double seconds = 0, bytes = 0;
  std::uint64_t errors = 0;
};

// Device 0 is all that a process has of a fixed partition.
unsigned domainSize(const machine::Domain &domain, const Options &options) {
  const auto &partition = domain.partition;
  const unsigned size = machine::chipOf(partition.chip).links.ipusPerDomain;
  const auto refuse = [&](const std::string &why) {
    throw machine::Error(str("partition ", partition.name, " ", why));
  };
  if (partition.reconfigurable)
    refuse("is reconfigurable: GW-Links join domains of fixed partitions only. Create one with "
           "vipu create partition NAME --size N.");
  if (partition.gcds > 1)
    refuse(str("has ", partition.gcds,
               " GCDs. Data do not cross between the processes of several "
               "GCDs yet: create it with --num-gcds 1."));
  if (domain.ipus.size() <= size)
    refuse(str("lies in one IPU-Link domain: it has ", domain.ipus.size(), " IPUs, and a domain ",
               size, ". Create one with at least ", 2 * size, "."));
  if (options.single && *options.single >= domain.ipus.size())
    refuse(str("has no IPU ", *options.single, ": they are 0 to ", domain.ipus.size() - 1, "."));
  return size;
}

std::vector<Pair> pairsOf(const machine::Domain &domain, const Options &options) {
  const unsigned size = domainSize(domain, options), ipus = unsigned(domain.ipus.size());
  if (options.single)
    return {{*options.single, (*options.single + size) % ipus}};
  std::vector<Pair> pairs;
  for (unsigned ipu = 0; ipu < (ipus == 2 * size ? size : ipus); ++ipu)
    pairs.push_back({ipu, (ipu + size) % ipus});
  return pairs;
}

std::vector<std::uint32_t> pattern(std::size_t size, std::uint32_t seed) {
  std::vector<std::uint32_t> data(size);
  for (std::size_t i = 0; i < size; ++i)
    data[i] = seed + std::uint32_t(i) * 2654435761u;
  return data;
}

class Test {
public:
  Test(Bench &bench, std::vector<Pair> pairs, const Options &options)
      : bench_(bench), options_(options), pairs_(std::move(pairs)),
        tiles_(std::min(options.tiles, bench.tilesPerIpu())) {
    std::vector<Tensor> from, to;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      addWay(pairs_[i].from, pairs_[i].to, from, to);
      addWay(pairs_[i].to, pairs_[i].from, from, to);
    }
    const auto sent = concat(from), arrived = concat(to);
    bench.graph().createHostWrite("sent", sent);
    bench.graph().createHostRead("arrived", arrived);
    total_ = sent.numElements();
    program_ = bench.addProgram(
        program::Sequence(program::Repeat(options.iterations, program::Copy(sent, arrived))));
  }

  Result run() {
    auto &engine = bench_.load();
    auto data = pattern(total_, 12345), got = std::vector<std::uint32_t>(total_);
    engine.writeTensor("sent", data.data(), data.data() + data.size());
    Result result;
    result.seconds = bench_.run(program_);
    result.bytes = 4.0 * double(total_) * options_.iterations;
    engine.readTensor("arrived", got.data(), got.data() + got.size());
    for (std::size_t i = 0; i < total_; ++i)
      result.errors += got[i] != data[i];
    return result;
  }
  std::size_t pairs() const { return pairs_.size(); }

private:
  void addWay(unsigned from, unsigned to, std::vector<Tensor> &sent, std::vector<Tensor> &arrived) {
    const unsigned tiles = bench_.tilesPerIpu();
    sent.push_back(bench_.rows(UNSIGNED_INT, tiles_, words, from * tiles, "sent"));
    arrived.push_back(bench_.rows(UNSIGNED_INT, tiles_, words, to * tiles, "arrived"));
  }
  Bench &bench_;
  const Options &options_;
  std::vector<Pair> pairs_;
  unsigned tiles_, program_ = 0;
  std::size_t total_ = 0;
};

gctool::Outcome report(const Options &options, gctool::Json json, const Result &result) {
  const double gbps = result.bytes * 8 / 1e9 / result.seconds;
  json["duration_sec"] = number(result.seconds, 6);
  json["kbytes_transferred"] = number(result.bytes / 1024, 0);
  json["gbytes_transferred"] = number(result.bytes / (1u << 30), 3);
  json["gbps"] = number(gbps);
  json["errors"] = std::to_string(result.errors);
  json["result"] = result.errors ? "fail" : "pass";
  if (options.json)
    return {gctool::textOf({{"gw_links", json}}), result.errors == 0};
  auto text = str("o ", json["ipu_pairs"].get<std::string>(), " pairs of IPUs in ",
                  json["num_ilds"].get<std::string>(), " IPU-Link domains: ", number(gbps),
                  " Gbps in both directions together (simulated)\n");
  if (options.verbose)
    text += str("  - ", number(result.bytes / (1u << 30), 3), " GB in ", number(result.seconds, 6),
                " s of device time\n");
  return {
      text + str("o Errors: ", result.errors, "\no Result - ", result.errors ? "Fail\n" : "Pass\n"),
      result.errors == 0};
}

gctool::Outcome work(const Options &options) {
  const auto domain = machine::activeDomain();
  auto pairs = pairsOf(domain, options);
  const unsigned domains = unsigned(domain.ipus.size()) / domainSize(domain, options);
  Bench bench(0);
  Test test(bench, std::move(pairs), options);
  const gctool::Json json = {{"partition", domain.partition.name},
                             {"num_ilds", std::to_string(domains)},
                             {"ipu_pairs", std::to_string(test.pairs())}};
  try {
    return report(options, json, test.run());
  } catch (const runtime_error &e) {
    return gctest::failure(options.json, json, e.what());
  }
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  gctool::Tool tool("gc-gwlinkstraffictest",
                    "Measures the bandwidth between IPU-Link domains of a fixed partition.",
                    "--version");
  tool.json(options.json);
  tool.number("--single-ipu", options.single, 0, machine::mostIpus - 1,
              {"only this IPU and its partner in the next domain"});
  tool.number("--tiles", options.tiles, 1, 10000, {"tiles of each IPU that take part"});
  tool.number("-i,--iterations", options.iterations, 1, 1000000, {"transfers of 4 KB of a tile"});
  tool.flag("-v,--verbose", options.verbose, {"also amounts and times"});
  return tool.run(argc, argv, [&] { return work(options); });
}
