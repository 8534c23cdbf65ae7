// SPDX-License-Identifier: MIT
// What leaves the chip: links, host streams; and power.
#include "arch/Energy.hpp"
#include "arch/Host.hpp"
#include "arch/Links.hpp"
#include "Rows.hpp"

namespace arch::calibration {
namespace {

double gigabits(double bytes, double seconds) { return bytes * 8 / seconds / 1e9; }

// Both directions summed; long enough that latency does not count.
double pairRate(const System &system) {
  const std::uint64_t bytes = 1ull << 30;
  const std::vector<Flow> flows = {{0, 1, bytes}, {1, 0, bytes}};
  return gigabits(2.0 * double(bytes), linkExchange(system, flows).seconds);
}

double tileRate(const System &system, HostDirection direction) {
  HostTransfer t;
  t.direction = direction;
  t.busiestTileBytes = 1 << 20;
  t.bytesPerIpu = 32 * t.busiestTileBytes;
  t.wait = HostWait::Prefetched;
  t.packetBytes = 256;
  return gigabits(double(t.bytesPerIpu), system.chip.seconds(streamCopy(system, t).transfer));
}

} // namespace

void addOutsideRows(Rows &rows) {
  const auto one = systemOf(chipByName("ipu2")), machine = systemOf(chipByName("ipu2"), 4);
  rows.push_back({"E15", "links", "IPU to IPU, both ways, M2000", 423.3, pairRate(machine),
                  "Gbit/s", "two links"});

  HostTransfer matrix;
  matrix.bytesPerIpu = 40 * 1000 * 1000;
  const auto stream = streamCopy(one, matrix);
  HostTransfer word;
  word.bytesPerIpu = word.busiestTileBytes = 4;
  const auto wordCopy = streamCopy(one, word);
  const auto host = [&](const char *id, const char *what, double published, double modelled,
                        const char *unit, const char *note) {
    rows.push_back({id, "host", what, published, modelled, unit, note});
  };
  host("E2", "host exchange of a 40 MB matrix, GC200", 2641488, double(stream.transfer), "cycles",
       "");
  host("E4", "sync of the same program", 135850, 2.0 * double(wordCopy.sync), "cycles",
       "two waits for the host: operands in, result out");
  host("E16 out", "32 tiles to gateway buffer, 256-byte packets", 30.0,
       tileRate(one, HostDirection::FromDevice), "Gbit/s", "");
  host("E16 in", "gateway buffer to 32 tiles", 26.4, tileRate(one, HostDirection::ToDevice),
       "Gbit/s", "");
  host("E17 begin", "StreamCopyBegin, one word", 82500, double(wordCopy.sync), "cycles",
       "middle of 77 to 88 thousand");
  host("E17 mid", "StreamCopyMid, one word", 1630, double(wordCopy.transfer + wordCopy.exchange),
       "cycles", "middle of 1.49 to 1.77 thousand");

  const auto &chip = one.chip;
  const auto power = [&](const char *id, const char *what, double published, double modelled,
                         const char *note) {
    rows.push_back({id, "power", what, published, modelled, "W", note});
  };
  power("W1 busy", "gc-powertest, GC200", 124,
        watts(chip, {.amp = 1, .vector = 0, .memory = 1, .exchange = 1}), "its split is assumed");
  power("W1 idle", "idle neighbour, GC200", 48, watts(chip, {}), "");
  const auto bow = systemOf(chipByName("bow"), 4);
  power("Bow-2000", "average of a machine under load", 1250,
        bow.watts(watts(bow.chip, {.amp = 1, .vector = 0, .memory = 1, .exchange = 1})), "EEN");
  power("GC2", "busy", 150,
        watts(chipByName("ipu1"), {.amp = 1, .vector = 0, .memory = 1, .exchange = 1}), "LOUW");
}

} // namespace arch::calibration
