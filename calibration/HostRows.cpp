// SPDX-License-Identifier: MIT
// Streams between tiles and the host.
#include "arch/Host.hpp"
#include "Program.hpp"
#include "Row.hpp"

namespace calibration {
namespace {

using namespace poplar;
using namespace poplar::program;
using Type = pva::Program::Type;

Profile oneWord() {
  const auto device = deviceOf("ipu2");
  Graph graph(device.getTarget());
  const auto word = graph.addVariable(FLOAT, {1}, "word");
  graph.setTileMapping(word, 0);
  const auto in = graph.addHostToDeviceFIFO("in", FLOAT, 1);
  return run(device, graph, Copy(in, word), {{"in", 4}});
}

// 32 tiles write to the host.
double outRate() {
  const std::size_t words = 1 << 16;
  const auto device = deviceOf("ipu2");
  Graph graph(device.getTarget());
  const auto data = graph.addVariable(FLOAT, {32, words}, "data");
  for (unsigned tile = 0; tile < 32; ++tile)
    graph.setTileMapping(data[tile], tile);
  const auto out = graph.addDeviceToHostFIFO("out", FLOAT, data.numElements());
  const auto p = run(device, graph, Copy(data, out), {{"out", 4 * data.numElements()}});
  return double(data.numElements()) * 32 / p.seconds(p.cycles(Type::StreamCopyMid)) / 1e9;
}

// The same into the device in packets of 256 bytes; the product's are larger.
Figure inRate() {
  const auto system = arch::systemOf(arch::chipByName("ipu2"));
  arch::HostTransfer t;
  t.busiestTileBytes = 1 << 20;
  t.bytesPerIpu = 32 * t.busiestTileBytes;
  t.wait = arch::HostWait::Prefetched;
  t.packetBytes = 256;
  return {double(t.bytesPerIpu) * 8 / system.chip.seconds(arch::streamCopy(system, t).transfer) /
              1e9,
          ""};
}

} // namespace

void addHostRows(Rows &rows) {
  const auto word = lazily(oneWord);
  const char *packets = "packets of a tile";
  rows.push_back({"E16 out", "host", "32 tiles to gateway buffer, 256-byte packets", 30,
                  Unit::GigabitsPerSecond, "CLI", [] {
                    return Figure{outRate(), ""};
                  }});
  rows.back().setting(packets);
  rows.push_back({"E16 in", "host", "gateway buffer to 32 tiles, 256-byte packets", 26.4,
                  Unit::GigabitsPerSecond, "CLI", inRate});
  rows.back().formula("streams come in larger packets");
  rows.push_back(
      {"E17 begin", "host", "StreamCopyBegin, one word", 82500, Unit::Cycles, "EX", [word] {
         return Figure{word().cycles(Type::StreamCopyBegin), "middle of 77 to 88 thousand"};
       }});
  rows.back().setting("callback");
  rows.push_back(
      {"E17 mid", "host", "StreamCopyMid, one word", 1630, Unit::Cycles, "EX", [word] {
         return Figure{word().cycles(Type::StreamCopyMid), "middle of 1.49 to 1.77 thousand"};
       }});
  rows.back().setting("first data");
}

} // namespace calibration
