// SPDX-License-Identifier: MIT
// gc-hosttraffictest: streams (host and device) and remote buffers (the gateway's memory and
// device) as programs use them, timed by the model. A PCIe card has no buffer on the way: there the
// host's figures are the tiles' too.
#include "base/Text.hpp"
#include "Bench.hpp"
#include <poplar/exceptions.hpp>

namespace {

using namespace poplar;
using base::str;
using gctest::Bench;
using gctest::number;

struct Options {
  unsigned device = 0, tiles = 32, blocks = 4, iterations = 1000;
  bool json = false;
};

struct Way { // one direction of one way
  unsigned program = 0;
  double seconds = 0;
};

class Test {
public:
  Test(const Options &options)
      : options_(options), bench_(options.device),
        tiles_(std::min(options.tiles, bench_.tilesPerIpu())), words_(options.blocks * 16ull) {
    auto &graph = bench_.graph();
    for (unsigned ipu = 0; ipu < bench_.ipus(); ++ipu)
      parts_.push_back(
          bench_.rows(UNSIGNED_INT, tiles_, words_, ipu * bench_.tilesPerIpu(), "data"));
    const auto data = concat(parts_).flatten();
    auto in = graph.addHostToDeviceFIFO("in", UNSIGNED_INT, data.numElements());
    auto out = graph.addDeviceToHostFIFO("out", UNSIGNED_INT, data.numElements());
    toTile_.program = repeat(program::Copy(in, data));
    fromTile_.program = repeat(program::Copy(data, out));
    if (hasBuffer()) {
      auto buffer = graph.addRemoteBuffer("buffer", UNSIGNED_INT, data.numElements());
      bufferToTile_.program = repeat(program::Copy(buffer, data));
      tileToBuffer_.program = repeat(program::Copy(data, buffer));
    }
    host_.resize(data.numElements());
  }

  void run() {
    auto &engine = bench_.load();
    engine.connectStream("in", host_.data(), host_.data() + host_.size());
    engine.connectStream("out", host_.data(), host_.data() + host_.size());
    for (auto *way : {&toTile_, &fromTile_})
      way->seconds = bench_.run(way->program);
    if (hasBuffer())
      for (auto *way : {&bufferToTile_, &tileToBuffer_})
        way->seconds = bench_.run(way->program);
    else
      bufferToTile_ = toTile_, tileToBuffer_ = fromTile_;
  }

  gctool::Json configuration() const {
    return {{"number_of_ipus", std::to_string(bench_.ipus())},
            {"tile_transfers_enabled", "yes"},
            {"tiles_per_ipu", std::to_string(tiles_)},
            {"transfer_size_64byte_blocks", std::to_string(options_.blocks)},
            {"iterations", std::to_string(options_.iterations)},
            {"host_transfers_enabled", "yes"}};
  }
  // In the order in which they are printed.
  gctool::Json patterns() const {
    gctool::Json all;
    all["host_from_buffer_from_tile"] = pattern("host <- buffer <- tile", fromTile_, tileToBuffer_);
    all["host_to_buffer_to_tile"] = pattern("host -> buffer -> tile", toTile_, bufferToTile_);
    all["host_to_buffer_from_tile"] = pattern("host -> buffer <- tile", toTile_, tileToBuffer_);
    all["host_from_buffer_to_tile"] = pattern("host <- buffer -> tile", fromTile_, bufferToTile_);
    return all;
  }

private:
  bool hasBuffer() const { return bench_.target().getGatewayMode(); }
  unsigned repeat(const program::Program &body) {
    return bench_.addProgram(program::Sequence(program::Repeat(options_.iterations, body)));
  }
  gctool::Json pattern(const char *description, const Way &host, const Way &tile) const {
    const double bytes = 4.0 * double(host_.size()) * options_.iterations;
    return {{"description", description},
            {"duration_seconds", number(std::max(host.seconds, tile.seconds), 6)},
            {"host_data_transferred_bytes", number(bytes, 0)},
            {"tile_data_transferred_bytes", number(bytes, 0)},
            {"host_transfer_speed_gbps", number(bytes * 8 / 1e9 / host.seconds)},
            {"tile_transfer_speed_gbps", number(bytes * 8 / 1e9 / tile.seconds)}};
  }
  const Options &options_;
  Bench bench_;
  unsigned tiles_;
  std::size_t words_;
  std::vector<Tensor> parts_;
  std::vector<std::uint32_t> host_;
  Way toTile_, fromTile_, bufferToTile_, tileToBuffer_;
};

gctool::Outcome work(const Options &options) {
  Test test(options);
  try {
    test.run();
  } catch (const runtime_error &e) {
    return gctest::failure(options.json, {{"configuration", test.configuration()}}, e.what());
  }
  const auto patterns = test.patterns();
  if (options.json)
    return gctool::textOf({{"configuration", test.configuration()}, {"repeat_0", patterns}});
  std::string text = str("o Using device Id - ", options.device, "\n");
  for (const auto &one : patterns)
    text += str("  - ", one["description"].get<std::string>(), ": host ",
                one["host_transfer_speed_gbps"].get<std::string>(), " Gbps, tile ",
                one["tile_transfer_speed_gbps"].get<std::string>(), " Gbps (simulated)\n");
  return text + "o Result - Pass\n";
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  gctool::Tool tool("gc-hosttraffictest",
                    "Measures the bandwidth between the host and a simulated device.");
  tool.device(options.device);
  tool.json(options.json);
  tool.number("--tiles", options.tiles, 1, 10000, {"tiles of each IPU that take part"});
  tool.number("--blocks", options.blocks, 1, 1024, {"blocks of 64 bytes in a transfer of a tile"});
  tool.number("-i,--iterations", options.iterations, 1, 10000000, {"transfers"});
  return tool.run(argc, argv, [&] { return work(options); });
}
