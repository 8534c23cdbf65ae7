// SPDX-License-Identifier: MIT
// Turns traffic into phases: a sync, the exchange inside IPUs, the exchange over links, and the
// copies on tiles that packing needs. Takes the cheaper of sending every span by itself and packing
// spans between pairs of tiles.
#pragma once
#include "compile/Traffic.hpp"

namespace poplar::compile {

using CopyLoads = std::vector<ByTile<CopyLoad>::Entry>; // sorted by tile

struct PricedExchange {
  std::vector<executable::Phase> phases; // empty when nothing travels
  CopyLoads pack, unpack;                // before and after; empty unless packed
};

// Copies that tiles do whether or not spans are packed.
struct AnywayCopies {
  CopyLoads senders, receivers;
};

// `suffix` goes behind the names of the phases ("exchange-in"). Adds the code of the exchange to
// image.memory.tiles.
PricedExchange priceExchange(executable::Image &image, const arch::System &replica,
                             const TrafficResult &traffic, const std::string &suffix,
                             const AnywayCopies &anyway = {});

// Copies inside tiles as a compute phase, if there are any. Adds their descriptors to
// image.memory.tiles.
void addCopyPhase(executable::Image &image, const arch::System &replica, const std::string &name,
                  const CopyLoads &loads, std::vector<executable::Phase> &phases);

executable::Phase syncPhase(std::uint64_t cycles);

} // namespace poplar::compile
