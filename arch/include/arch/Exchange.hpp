// SPDX-License-Identifier: MIT
// What moving data between tiles of one IPU costs. Only tiles that take part are given, so the cost
// of asking grows with the traffic and not with the chip.
#pragma once
#include "arch/Chip.hpp"
#include <optional>
#include <span>
#include <vector>

namespace arch {

// What enters and leaves one tile in one exchange phase. A payload sent to many tiles leaves once.
struct TileTraffic {
  std::uint64_t bytesIn = 0, bytesOut = 0;
  std::uint64_t messagesIn = 0, messagesOut = 0; // contiguous spans
  std::uint64_t sendersIn = 0;                   // tiles they come from
  std::uint64_t sameElementBytes =
      0;                        // received into a memory element that is sent from at the same time
  bool pairSharesInput = false; // the partner takes the very same stream
  bool pairSharesOutput = false;

  // One contiguous span, rounded up to whole words; from a sender of its own.
  void receive(std::uint64_t bytes);
  void send(std::uint64_t bytes);
};

struct ActiveTile {
  unsigned tile = 0; // may be a tile of any IPU: ids run on from one IPU to the next
  TileTraffic traffic;
};

struct ExchangeCost {
  Cycles cycles = 0;           // the whole phase, without its sync
  Cycles route = 0;            // part of it: first word from sender to receiver
  std::vector<Cycles> perTile; // in the order given, without the route
};

// Cycles from a send to its arrival.
Cycles routeCycles(const Chip &chip, unsigned columnsCrossed, unsigned rowsCrossed);
Cycles routeBetweenTiles(const Chip &chip, unsigned fromTile, unsigned toTile); // of one IPU
// The longest way any message from these senders to these receivers can take; from their outermost
// columns and rows.
Cycles longestRoute(const Chip &chip, std::span<const unsigned> senders,
                    std::span<const unsigned> receivers);

// `active` is sorted by tile, without duplicates. route: nullopt when the placement is unknown.
ExchangeCost exchangeCycles(const Chip &chip, std::span<const ActiveTile> active,
                            std::optional<Cycles> route = std::nullopt);

// Exchange code on a tile, in bytes.
std::uint64_t exchangeCodeBytes(const Chip &chip, const TileTraffic &traffic);

} // namespace arch
