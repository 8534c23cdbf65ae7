// SPDX-License-Identifier: MIT
// Exchange inside an IPU: the busiest tile's words, spans and senders, and one route. Pairs of
// tiles share a bus and go twice as fast when they want the same thing or only one of them wants
// anything.
#include "arch/Exchange.hpp"
#include "base/Arithmetic.hpp"
#include "base/Error.hpp"
#include "base/Text.hpp"
#include <algorithm>

namespace arch {

constexpr unsigned wordBytes = 4; // granularity of the exchange (PL, STK)

void TileTraffic::receive(std::uint64_t bytes) {
  bytesIn += base::roundUp(bytes, wordBytes);
  ++messagesIn;
  ++sendersIn;
}
void TileTraffic::send(std::uint64_t bytes) {
  bytesOut += base::roundUp(bytes, wordBytes);
  ++messagesOut;
}

Cycles routeCycles(const Chip &chip, unsigned columnsCrossed, unsigned rowsCrossed) {
  const auto &x = chip.exchange;
  return x.routeBaseCycles + Cycles(x.routePerColumn) * columnsCrossed +
         Cycles(x.routePerRow) * rowsCrossed;
}

static unsigned distance(unsigned a, unsigned b) { return a > b ? a - b : b - a; }

Cycles routeBetweenTiles(const Chip &chip, unsigned fromTile, unsigned toTile) {
  return routeCycles(chip, distance(chip.columnOf(fromTile), chip.columnOf(toTile)),
                     distance(chip.rowOf(fromTile), chip.rowOf(toTile)));
}

namespace {

struct Extent {
  unsigned least = ~0u, most = 0;
  void add(unsigned at) {
    least = std::min(least, at);
    most = std::max(most, at);
  }
  // Between the farthest two points of this and the other.
  unsigned reach(const Extent &other) const {
    return std::max(most > other.least ? most - other.least : 0,
                    other.most > least ? other.most - least : 0);
  }
};

struct Area {
  Extent columns, rows;
  Area(const Chip &chip, std::span<const unsigned> tiles) {
    for (auto tile : tiles) {
      columns.add(chip.columnOf(tile % chip.tiles));
      rows.add(chip.rowOf(tile % chip.tiles));
    }
  }
};

// Partners have neighbouring ids, so a tile's partner stands beside it in the list or does nothing.
const TileTraffic *partnerTraffic(const Chip &chip, std::span<const ActiveTile> active,
                                  std::size_t at) {
  const unsigned tile = active[at].tile, onIpu = tile % chip.tiles;
  const unsigned partner = tile - onIpu + chip.partnerOf(onIpu);
  if (partner < tile && at > 0 && active[at - 1].tile == partner)
    return &active[at - 1].traffic;
  if (partner > tile && at + 1 < active.size() && active[at + 1].tile == partner)
    return &active[at + 1].traffic;
  return nullptr;
}

// A receiver waits where the sender changes; spans of one tile follow each other closely.
Cycles laneCycles(const Chip &chip, std::uint64_t bytes, std::uint64_t spans, std::uint64_t tiles,
                  bool wide) {
  if (bytes == 0)
    return 0;
  const auto &x = chip.exchange;
  const auto rate = wide ? x.pairBytesPerCycle : x.bytesPerCycle;
  const auto changes = tiles > 0 ? tiles - 1 : 0, close = spans > tiles ? spans - tiles : 0;
  return base::ceilDiv(bytes, rate) + changes * x.senderGapCycles +
         roundUp(double(close) * x.spanCycles);
}

Cycles tileCycles(const Chip &chip, const TileTraffic &own, const TileTraffic *partner) {
  const bool wideIn = own.pairSharesInput || !partner || partner->bytesIn == 0;
  const bool wideOut = own.pairSharesOutput || !partner || partner->bytesOut == 0;
  const auto in = laneCycles(chip, own.bytesIn, own.messagesIn, own.sendersIn, wideIn);
  const auto out = laneCycles(chip, own.bytesOut, own.messagesOut, 1, wideOut);
  // A memory element serves the send or the receive in one cycle; at worst they take turns
  // throughout (A18).
  const auto conflicts = base::ceilDiv(own.sameElementBytes, chip.exchange.bytesPerCycle);
  return std::min(std::max(in, out) + conflicts, in + out);
}

} // namespace

Cycles longestRoute(const Chip &chip, std::span<const unsigned> senders,
                    std::span<const unsigned> receivers) {
  if (senders.empty() || receivers.empty())
    return 0;
  const Area from(chip, senders), to(chip, receivers);
  return routeCycles(chip, from.columns.reach(to.columns), from.rows.reach(to.rows));
}

ExchangeCost exchangeCycles(const Chip &chip, std::span<const ActiveTile> active,
                            std::optional<Cycles> route) {
  ExchangeCost cost;
  cost.perTile.reserve(active.size());
  Cycles busiest = 0;
  for (std::size_t i = 0; i < active.size(); ++i) {
    OPENIPU_CHECK(i == 0 || active[i - 1].tile < active[i].tile,
                  base::str("tile ", active[i].tile, " follows tile ", i ? active[i - 1].tile : 0));
    cost.perTile.push_back(tileCycles(chip, active[i].traffic, partnerTraffic(chip, active, i)));
    busiest = std::max(busiest, cost.perTile.back());
  }
  if (busiest > 0) {
    cost.route = route.value_or(chip.exchange.routeUnknownCycles);
    cost.cycles = cost.route + busiest;
  }
  return cost;
}

std::uint64_t exchangeCodeBytes(const Chip &chip, const TileTraffic &traffic) {
  const auto &code = chip.code;
  const auto sends =
      std::max(traffic.messagesOut,
               base::ceilDiv(traffic.bytesOut, std::uint64_t(code.wordsPerSend) * wordBytes));
  return sends * code.sendBytes + traffic.messagesOut * code.waitBytes +
         traffic.messagesIn * code.receiveBytes;
}

} // namespace arch
