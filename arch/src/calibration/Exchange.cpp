// SPDX-License-Identifier: MIT
// Exchange phases on one IPU, and a copy inside a tile.
#include "arch/Exchange.hpp"
#include "arch/Compute.hpp"
#include "arch/Sync.hpp"
#include "Rows.hpp"

namespace arch::calibration {
namespace {

// Every tile does the same, so a pair of tiles stands for all.
double phase(const Chip &chip, const TileTraffic &traffic) {
  const std::vector<ActiveTile> pair = {{0, traffic}, {1, traffic}};
  return double(exchangeCycles(chip, pair).cycles);
}

double receives(const Chip &chip, std::uint64_t messages, std::uint64_t words) {
  TileTraffic traffic;
  for (std::uint64_t i = 0; i < messages; ++i)
    traffic.receive(chip, 4 * words);
  return phase(chip, traffic);
}

// The matrix arrives row by row (seven rows on most tiles), then every tile takes the whole vector.
double matrixVector() {
  const auto &chip = chipByName("ipu2");
  return receives(chip, 7, 1000) + receives(chip, 1, 1000);
}

} // namespace

void addExchangeRows(Rows &rows) {
  const auto &c600 = chipByName("ipu21");
  const auto boundary = double(syncCycles(systemOf(c600), SyncScope::Ipu));
  const auto add = [&](const char *id, const char *section, const char *what, double published,
                       double modelled, const char *note) {
    rows.push_back({id, section, what, published, modelled, "cycles", note});
  };
  add("E1", "exchange", "10000x1000 matrix-vector, GC200", 8743, matrixVector(),
      "rows arrive, the vector is broadcast");
  add("E5", "sync", "measured less scheduled, 62342 messages, C600", 33780 - 33542, boundary,
      "message sizes are not published");
  add("E6", "sync", "measured less scheduled, 60816 messages, C600", 37224 - 36987, boundary,
      "message sizes are not published");
  add("E7", "exchange", "two receives of 3072 words, C600", 6381, receives(c600, 2, 3072), "");
  add("E8", "exchange", "55116 multicast receives, median 320 words, C600", 29240,
      receives(c600, 38, 320), "taken as evenly spread and all of median size");
  add("E9", "exchange", "155880 pieces of 64 words, C600", 25866, receives(c600, 106, 64),
      "taken as evenly spread");
  add("E11", "tile copies", "8 KiB, six workers, C600", 1308,
      double(rearrangeCycles(c600, {1, 8192, 8})), "one piece");
  const auto &gc200 = chipByName("ipu2");
  rows.push_back({"E14", "exchange", "neighbour access per tile, GC200", 5.5,
                  gc200.exchange.bytesPerCycle * gc200.clockHz / 1e9, "GB/s", "one lane"});
}

} // namespace arch::calibration
