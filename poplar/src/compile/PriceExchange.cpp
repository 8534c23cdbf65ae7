// SPDX-License-Identifier: MIT
#include "compile/PriceExchange.hpp"
#include "arch/Compute.hpp"
#include "arch/Exchange.hpp"
#include "arch/Sync.hpp"

namespace poplar::compile {

using namespace executable;

namespace {

enum class Style { Spans, Packed };

struct Variant {
  std::vector<arch::ActiveTile> active;
  arch::ExchangeCost cost;
};

arch::TileTraffic trafficOf(const Volume &in, const Volume &out, Style style) {
  arch::TileTraffic t;
  bool spans = style == Style::Spans;
  t.bytesIn = 4 * (spans ? in.spanWords : in.packedWords);
  t.bytesOut = 4 * (spans ? out.spanWords : out.packedWords);
  t.messagesIn = spans ? in.spans : in.messages;
  t.messagesOut = spans ? out.spans : out.messages;
  t.sendersIn = std::min(in.partners, t.messagesIn);
  return t;
}

// Both tiles of a pair have neighbouring entries.
void markSharedInputs(const arch::Chip &chip, const TileLoads &loads,
                      std::vector<arch::ActiveTile> &active) {
  for (std::size_t i = 0; i + 1 < active.size(); ++i) {
    auto tile = active[i].tile % chip.tiles;
    if (active[i + 1].tile == active[i].tile + 1 && chip.partnerOf(tile) == tile + 1 &&
        loads[i].second.inputs == loads[i + 1].second.inputs && loads[i].second.in.payload)
      active[i].traffic.pairSharesInput = active[i + 1].traffic.pairSharesInput = true;
  }
}

Variant inside(const arch::System &replica, const TrafficResult &traffic, Style style) {
  Variant v;
  const auto &loads = traffic.loads;
  for (const auto &[tile, load] : loads)
    v.active.push_back({tile, trafficOf(load.in, load.out, style)});
  markSharedInputs(replica.chip, loads, v.active);
  v.cost = arch::exchangeCycles(replica.chip, v.active, traffic.route);
  return v;
}

CopyLoads packing(const TileLoads &loads, bool receiving) {
  CopyLoads out;
  for (const auto &[tile, load] : loads) {
    CopyLoad copy;
    for (const auto *v :
         receiving ? std::array{&load.in, &load.linkIn} : std::array{&load.out, &load.linkOut})
      if (v->packing.pieces) {
        copy.pieces.add(v->packing);
        copy.descriptors += v->partners;
      }
    if (copy.bytes())
      out.push_back({tile, copy});
  }
  return out;
}

// Tiles that copy anyway do the packing on the way.
arch::Cycles slowest(const arch::Chip &chip, const CopyLoads &loads, const CopyLoads &anyway) {
  arch::Cycles most = 0;
  auto at = anyway.begin();
  for (const auto &[tile, load] : loads) {
    while (at != anyway.end() && at->first < tile)
      ++at;
    if (at == anyway.end() || at->first != tile)
      most = std::max(most, load.cycles(chip));
  }
  return most;
}

// Code is where the phase is.
void addCode(Image &image, const Phase &phase, MemoryCategory category) {
  for (const auto &share : phase.tiles)
    image.memory.tiles[share.tile].category[unsigned(category)] += share.codeBytes;
}

Phase phaseOf(PhaseKind kind, const std::string &name, const arch::Chip &chip, const Variant &v) {
  Phase phase{kind, name, v.cost.cycles, 0, 0, {}};
  for (std::size_t i = 0; i != v.active.size(); ++i) {
    const auto &t = v.active[i].traffic;
    if (!t.bytesIn && !t.bytesOut)
      continue;
    phase.tiles.push_back({v.active[i].tile, v.cost.perTile[i], 0, t.bytesIn, t.bytesOut, 1, 0,
                           std::uint32_t(arch::exchangeCodeBytes(chip, t))});
    phase.bytes += t.bytesIn;
    phase.messages += t.messagesIn;
  }
  return phase;
}

// Links carry what the flows say, but not faster than tiles take it.
Variant overLinks(const arch::System &replica, const TrafficResult &traffic, Style style) {
  Variant v;
  for (const auto &[tile, load] : traffic.loads)
    if (load.linkIn.payload || load.linkOut.payload)
      v.active.push_back({tile, trafficOf(load.linkIn, load.linkOut, style)});
  v.cost = arch::exchangeCycles(replica.chip, v.active);
  v.cost.cycles = std::max(v.cost.cycles, arch::linkExchange(replica, traffic.flows).cycles);
  return v;
}

} // namespace

// Code of the exchange on the tile that has most of it.
static std::uint64_t mostCode(const arch::Chip &chip, const Variant &v) {
  std::uint64_t most = 0;
  for (const auto &tile : v.active)
    most = std::max(most, arch::exchangeCodeBytes(chip, tile.traffic));
  return most;
}

// Spans are packed where that is faster, or where their messages would fill the tile with code
// (A25).
static bool packs(const arch::Chip &chip, const Variant &spans, const Variant &packed,
                  arch::Cycles copies) {
  constexpr unsigned mostOfATile = 32; // assumption A25 of docs/timing.md: one part in so many
  const auto code = mostCode(chip, spans);
  return packed.cost.cycles + copies < spans.cost.cycles ||
         (code > chip.bytesPerTile / mostOfATile && mostCode(chip, packed) < code / 2);
}

Phase syncPhase(std::uint64_t cycles) { return {PhaseKind::Sync, "sync", cycles, 0, 0, {}}; }

PricedExchange priceExchange(Image &image, const arch::System &replica,
                             const TrafficResult &traffic, const std::string &suffix,
                             const AnywayCopies &anyway) {
  PricedExchange out;
  if (traffic.loads.empty())
    return out;
  bool links = !traffic.flows.empty();
  auto chosen = inside(replica, traffic, Style::Spans);
  auto pack = packing(traffic.loads, false), unpack = packing(traffic.loads, true);
  auto style = Style::Spans;
  if (!pack.empty() || !unpack.empty()) {
    auto packed = inside(replica, traffic, Style::Packed);
    if (packs(replica.chip, chosen, packed,
              slowest(replica.chip, pack, anyway.senders) +
                  slowest(replica.chip, unpack, anyway.receivers))) {
      style = Style::Packed;
      chosen = std::move(packed);
      out.pack = std::move(pack);
      out.unpack = std::move(unpack);
    }
  }
  if (chosen.cost.cycles) {
    out.phases.push_back(syncPhase(arch::syncCycles(replica, arch::SyncScope::Ipu)));
    out.phases.push_back(phaseOf(PhaseKind::Exchange, "exchange" + suffix, replica.chip, chosen));
    addCode(image, out.phases.back(), MemoryCategory::InternalExchangeCode);
  }
  if (links) {
    out.phases.push_back(syncPhase(arch::syncCycles(replica, arch::SyncScope::AllIpus)));
    auto global = overLinks(replica, traffic, style);
    out.phases.push_back(
        phaseOf(PhaseKind::GlobalExchange, "global-exchange" + suffix, replica.chip, global));
    addCode(image, out.phases.back(), MemoryCategory::GlobalExchangeCode);
  }
  return out;
}

void addCopyPhase(Image &image, const arch::System &replica, const std::string &name,
                  const CopyLoads &loads, std::vector<Phase> &phases) {
  if (loads.empty())
    return;
  constexpr std::uint64_t descriptorBytes = 12; // from, to, length: one word each
  Phase phase{PhaseKind::Compute, name, 0, 0, 0, {}};
  for (const auto &[tile, load] : loads) {
    auto cycles = load.cycles(replica.chip);
    phase.cycles = std::max(phase.cycles, cycles);
    phase.tiles.push_back(
        {tile, cycles, cycles * replica.chip.workers, load.bytes(), load.bytes()});
    image.memory.tiles[tile].category[unsigned(MemoryCategory::CopyDescriptor)] +=
        descriptorBytes * load.descriptors;
  }
  phases.push_back(std::move(phase));
}

} // namespace poplar::compile
