// SPDX-License-Identifier: MIT
#include "compile/PlanHost.hpp"
#include "arch/Host.hpp"
#include "arch/Links.hpp"
#include "arch/Sync.hpp"
#include "base/Arithmetic.hpp"
#include "compile/PriceExchange.hpp"

namespace poplar::compile {

using namespace analysis;
using namespace executable;

bool isFetchedAhead(const Image &image, const step::HostToDevice &step) {
  const auto option = [&](const char *key, const char *fallback) {
    const auto at = image.options.find(key);
    return at == image.options.end() ? std::string(fallback) : at->second;
  };
  return image.streams[step.stream].bufferingDepth > 1 ||
         (option("exchange.enablePrefetch", "true") == "true" &&
          option("exchange.streamBufferOverlap", "any") != "any");
}

void PlanHost::plan(Step &step) {
  auto &phases = step.cost.phases;
  match(
      step,
      [&](const step::HostToDevice &s) {
        stream(s.data, Side::To,
               isFetchedAhead(image_, s) ? Partner::PrefetchedHost : Partner::Host, phases);
      },
      [&](const step::DeviceToHost &s) { stream(s.data, Side::From, Partner::Host, phases); },
      [&](const step::RemoteToDevice &s) {
        stream(s.data, Side::To, Partner::RemoteBuffer, phases);
      },
      [&](const step::DeviceToRemote &s) {
        stream(s.data, Side::From, Partner::RemoteBuffer, phases);
      },
      [&](const step::HostCall &s) {
        views(s.inputs, Side::From, phases);
        views(s.outputs, Side::To, phases);
      },
      [&](const step::Print &s) { views({s.tensor}, Side::From, phases); },
      [&](const step::CrossReplicaCopy &s) { betweenReplicas(s, phases); }, [](const auto &) {});
}

void PlanHost::stream(const std::vector<Move> &moves, Side side, Partner partner,
                      std::vector<Phase> &phases) {
  for (const auto &move : moves)
    addSide(placement_, move, side, shares_);
  transfer(side, partner, phases);
}

void PlanHost::views(const std::vector<tensor::View> &views, Side side,
                     std::vector<Phase> &phases) {
  for (const auto &view : views)
    tensor::forEachRun(view, [&](const tensor::Run &run) {
      Move move{run.var.value,
                run.var.value,
                run.offset,
                run.offset,
                std::uint8_t(sizeOf(view.type)),
                {{run.count, run.stride, run.stride}}};
      addSide(placement_, move, side, shares_);
    });
  transfer(side, Partner::Host, phases);
}

void PlanHost::transfer(Side side, Partner partner, std::vector<Phase> &phases) {
  const auto &chip = device_.chip;
  bool in = side == Side::To;
  Phase host{PhaseKind::HostExchange, "host-exchange", 0, 0, 0, {}},
      inside{PhaseKind::Exchange, "exchange", 0, 0, 0, {}};
  arch::HostTransfer t;
  t.direction = in ? arch::HostDirection::ToDevice : arch::HostDirection::FromDevice;
  t.wait = partner == Partner::Host ? arch::HostWait::Synchronous : arch::HostWait::Prefetched;
  std::map<unsigned, std::uint64_t> perIpu;
  auto packet = in ? chip.host.packetBytesIn : chip.host.packetBytesOut;
  for (const auto &[tile, share] : shares_.take()) {
    t.busiestTileBytes = std::max(t.busiestTileBytes, share.bytes);
    t.bytesPerIpu = std::max(t.bytesPerIpu, perIpu[replica_.ipuOf(tile)] += share.bytes);
    host.bytes += share.bytes;
    // A packet fills one contiguous stretch.
    auto packets = std::max(share.spans, base::ceilDiv(share.bytes, packet));
    host.messages += packets;
    arch::TileTraffic traffic;
    (in ? traffic.bytesIn : traffic.bytesOut) = share.bytes;
    (in ? traffic.messagesIn : traffic.messagesOut) = packets;
    const auto code = arch::exchangeCodeBytes(chip, traffic);
    image_.memory.tiles[tile].category[unsigned(MemoryCategory::HostExchangeCode)] += code;
    host.tiles.push_back(
        {tile, 0, 0, traffic.bytesIn, traffic.bytesOut, 1, 0, std::uint32_t(code)});
  }
  t.bytesAllIpus = host.bytes * image_.replicationFactor;
  auto cost = partner == Partner::RemoteBuffer ? arch::remoteBufferCopy(device_, t)
                                               : arch::streamCopy(device_, t);
  host.cycles = cost.transfer;
  inside.cycles = cost.exchange;
  inside.bytes = host.bytes;
  for (auto &share : host.tiles.edit()) {
    share.cycles = cost.transfer;
    inside.tiles.push_back(share);
    auto &last = inside.tiles.edit().back();
    last.cycles = base::ceilDiv(share.bytesIn + share.bytesOut, chip.exchange.bytesPerCycle);
    last.codeBytes = 0; // one piece of code does both
  }
  phases.push_back(syncPhase(cost.sync));
  phases.push_back(std::move(host));
  phases.push_back(std::move(inside));
}

// Every pair {from, to} of replicas carries the same bytes. Within a replica of several IPUs
// sources and destinations are taken as evenly matched.
void PlanHost::betweenReplicas(const step::CrossReplicaCopy &step, std::vector<Phase> &phases) {
  std::map<unsigned, std::uint64_t> sent, received;
  std::uint64_t all = 0;
  TrafficResult traffic;
  ByTile<TileLoad> loads(replica_.tiles());
  for (auto side : {Side::From, Side::To}) {
    for (const auto &move : step.data)
      addSide(placement_, move, side, shares_);
    for (const auto &[tile, share] : shares_.take()) {
      auto &volume = side == Side::From ? loads[tile].linkOut : loads[tile].linkIn;
      volume.payload += share.bytes;
      volume.spans += share.spans;
      volume.messages += share.spans;
      volume.partners = 1;
      volume.spanWords = volume.packedWords += base::ceilDiv(share.bytes, 4);
      (side == Side::From ? sent : received)[replica_.ipuOf(tile)] += share.bytes;
      all += side == Side::From ? share.bytes : 0;
    }
  }
  if (!all)
    return;
  for (const auto &pair : step.pairs)
    for (auto [a, bytes] : sent)
      for (auto [b, wanted] : received)
        if (pair.from != pair.to)
          traffic.flows.push_back({pair.from * replica_.ipus + a, pair.to * replica_.ipus + b,
                                   std::uint64_t(double(bytes) * double(wanted) / double(all))});
  traffic.loads = loads.take();
  if (!traffic.flows.empty())
    phases = priceExchange(image_, device_, traffic, "").phases;
}

} // namespace poplar::compile
