// SPDX-License-Identifier: MIT
// gc-links: neighbours send to each other over every link between them, and what arrives is
// compared. A channel has a tile of its own on both sides.
#include "base/Text.hpp"
#include "Bench.hpp"
#include "Links.hpp"
#include "machine/Discovery.hpp"
#include "machine/Error.hpp"
#include <algorithm>
#include <cmath>
#include <poplar/exceptions.hpp>

namespace {

using namespace poplar;
using base::str;
using gclinks::Report;
using gctest::Bench;

constexpr std::size_t words = 1024;                       // through each channel, each way
constexpr double laneBytesPerSecond = 2.0 * (1ull << 30); // of the fourth generation

struct Options {
  std::optional<unsigned> device;
  bool json = false, arrays = false;
};

std::uint32_t sentBy(unsigned ipu, std::size_t word) {
  return std::uint32_t((ipu + 1) * 2654435761u + word * 40503u);
}

class Test {
public:
  Test(Bench &bench, Report &report) : bench_(bench), report_(report), channels_(mostChannels()) {
    for (unsigned ipu = 0; ipu < bench.ipus(); ++ipu) {
      sent_.push_back(rowsOf(ipu, "sent"));
      arrived_.push_back(rowsOf(ipu, "arrived"));
      bench.graph().createHostWrite(str("sent", ipu), sent_.back());
      bench.graph().createHostRead(str("arrived", ipu), arrived_.back());
    }
    for (const auto &pair : report.pairs)
      bench.addProgram(program::Sequence(
          program::Copy(concat(part(sent_[pair.from], pair), part(sent_[pair.to], pair)),
                        concat(part(arrived_[pair.to], pair), part(arrived_[pair.from], pair)))));
  }

  void run() {
    auto &engine = bench_.load();
    std::vector<std::uint32_t> data(channels_ * words);
    for (unsigned ipu = 0; ipu < bench_.ipus(); ++ipu) {
      for (std::size_t i = 0; i < data.size(); ++i)
        data[i] = sentBy(ipu, i);
      engine.writeTensor(str("sent", ipu), data.data(), data.data() + data.size());
    }
    for (unsigned i = 0; i < report_.pairs.size(); ++i) {
      bench_.run(i);
      auto &pair = report_.pairs[i];
      for (auto &channel : pair.channels)
        channel.passed = true;
      compare(engine, pair, pair.from, pair.to);
      compare(engine, pair, pair.to, pair.from);
    }
  }

private:
  std::size_t mostChannels() const {
    std::size_t most = 1;
    for (const auto &pair : report_.pairs)
      most = std::max(most, pair.channels.size());
    return most;
  }
  // A row for each channel, on a tile of its own if the chip has so many.
  Tensor rowsOf(unsigned ipu, const char *name) {
    const unsigned tiles = bench_.tilesPerIpu();
    const auto rows = bench_.graph().addVariable(UNSIGNED_INT, {channels_, words}, name);
    for (unsigned i = 0; i < channels_; ++i)
      bench_.graph().setTileMapping(rows[i], ipu * tiles + i % tiles);
    return rows;
  }
  static Tensor part(const Tensor &rows, const gclinks::Pair &pair) {
    return rows.slice(0, pair.channels.size());
  }
  void compare(Engine &engine, gclinks::Pair &pair, unsigned from, unsigned to) {
    std::vector<std::uint32_t> data(channels_ * words);
    engine.readTensor(str("arrived", to), data.data(), data.data() + data.size());
    for (std::size_t i = 0; i < pair.channels.size() * words; ++i)
      if (data[i] != sentBy(from, i))
        pair.channels[i / words].passed = false;
  }

  Bench &bench_;
  Report &report_;
  std::size_t channels_;
  std::vector<Tensor> sent_, arrived_;
};

// What stands in the way of a test is an error; what a test finds is in the report.
Report reportOn(const machine::Domain &domain, unsigned device) {
  const auto group = gctool::groupOf(domain, device);
  if (group.size == 1)
    throw machine::Error(str("device ", device,
                             " is one IPU and has no links to another. Give the "
                             "id of a device with several; gc-info -l lists them."));
  const auto chip = machine::chipOf(domain.partition.chip);
  Report report;
  report.device = device;
  report.ipus = group.size;
  report.lanes = unsigned(std::lround(chip.links.bytesPerSecond / laneBytesPerSecond));
  report.pairs = gclinks::pairsOf(arch::systemOf(chip, group.size));
  for (unsigned i = 0; i < group.size; ++i) {
    const auto &ipu = domain.ipus[group.first + i];
    report.names.push_back(ipu.pciId.empty() ? std::to_string(group.first + i) : ipu.pciId);
  }
  return report;
}

gctool::Outcome work(const Options &options) {
  const auto domain = machine::activeDomain();
  const unsigned all = unsigned(domain.groups().size()) - 1;
  auto report = reportOn(domain, options.device.value_or(all));
  Bench bench(report.device);
  Test test(bench, report);
  try {
    test.run();
  } catch (const runtime_error &e) {
    report.error = e.what();
  }
  return {options.json ? gclinks::jsonOf(report, options.arrays) : gclinks::textOf(report),
          report.good()};
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  gctool::Tool tool("gc-links", "Sends data over every IPU-Link of a simulated device.");
  tool.number("-d,--device-id", options.device, 0, 2 * machine::mostIpus,
              {"id of a device with several IPUs; the whole partition if it is left out"});
  tool.json(options.json);
  tool.flag("--arrays", options.arrays,
            {"in JSON, arrays for pairs and channels instead of repeated keys"});
  return tool.run(argc, argv, [&] { return work(options); });
}
