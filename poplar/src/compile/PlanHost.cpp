// SPDX-License-Identifier: MIT
#include "compile/PlanHost.hpp"
#include "arch/Host.hpp"
#include "arch/Links.hpp"
#include "arch/Sync.hpp"
#include "compile/PriceExchange.hpp"

namespace poplar::compile {

using namespace executable;

bool PlanHost::plan(Step &step) {
  switch (step.kind) {
  case StepKind::HostToDevice:
    stream(step, Side::To, partnerOf(step));
    return true;
  case StepKind::DeviceToHost:
    stream(step, Side::From, Partner::Host);
    return true;
  case StepKind::RemoteToDevice:
    stream(step, Side::To, Partner::RemoteBuffer);
    return true;
  case StepKind::DeviceToRemote:
    stream(step, Side::From, Partner::RemoteBuffer);
    return true;
  case StepKind::HostCall:
    views(step, 0, step.count, Side::From);
    views(step, step.count, step.operands.size(), Side::To);
    return true;
  case StepKind::Print:
    views(step, 0, step.operands.size(), Side::From);
    return true;
  case StepKind::CrossReplicaCopy:
    betweenReplicas(step);
    return true;
  default:
    return false;
  }
}

// The host has the data ready when a stream is buffered ahead, or when buffers do not overlap and
// prefetch is on.
PlanHost::Partner PlanHost::partnerOf(const Step &step) const {
  auto option = [&](const char *key, const char *fallback) {
    auto at = image_.options.find(key);
    return at == image_.options.end() ? std::string(fallback) : at->second;
  };
  bool ahead = image_.streams[step.index].bufferingDepth > 1 ||
               (option("exchange.enablePrefetch", "true") == "true" &&
                option("exchange.streamBufferOverlap", "any") != "any");
  return ahead ? Partner::PrefetchedHost : Partner::Host;
}

void PlanHost::stream(Step &step, Side side, Partner partner) {
  for (const auto &move : step.moves)
    addSide(placement_, move, side, shares_);
  transfer(step, side, partner);
}

void PlanHost::views(Step &step, std::size_t first, std::size_t last, Side side) {
  for (auto i = first; i < last; ++i)
    tensor::forEachRun(step.operands[i], [&](const tensor::Run &run) {
      Move move{run.var.value,
                run.var.value,
                run.offset,
                run.offset,
                std::uint8_t(sizeOf(step.operands[i].type)),
                {{run.count, run.stride, run.stride}}};
      addSide(placement_, move, side, shares_);
    });
  transfer(step, side, Partner::Host);
}

void PlanHost::transfer(Step &step, Side side, Partner partner) {
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
    auto packets = std::max(share.spans, arch::ceilDiv(share.bytes, packet));
    host.messages += packets;
    host.tiles.push_back({tile, 0, 0, in ? share.bytes : 0, in ? 0 : share.bytes});
    arch::TileTraffic traffic;
    (in ? traffic.bytesIn : traffic.bytesOut) = share.bytes;
    (in ? traffic.messagesIn : traffic.messagesOut) = packets;
    image_.memory.tiles[tile].category[unsigned(MemoryCategory::HostExchangeCode)] +=
        arch::exchangeCodeBytes(chip, traffic);
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
    inside.tiles.edit().back().cycles =
        arch::ceilDiv(share.bytesIn + share.bytesOut, chip.exchange.bytesPerCycle);
  }
  step.cost.phases.push_back(syncPhase(cost.sync));
  step.cost.phases.push_back(std::move(host));
  step.cost.phases.push_back(std::move(inside));
}

// Every pair {from, to} of replicas carries the same bytes. Within a replica of several IPUs
// sources and destinations are taken as evenly matched.
void PlanHost::betweenReplicas(Step &step) {
  std::map<unsigned, std::uint64_t> sent, received;
  std::uint64_t all = 0;
  TrafficResult traffic;
  ByTile<TileLoad> loads(replica_.tiles());
  for (auto side : {Side::From, Side::To}) {
    for (const auto &move : step.moves)
      addSide(placement_, move, side, shares_);
    for (const auto &[tile, share] : shares_.take()) {
      auto &volume = side == Side::From ? loads[tile].linkOut : loads[tile].linkIn;
      volume.payload += share.bytes;
      volume.spans += share.spans;
      volume.messages += share.spans;
      volume.partners = 1;
      volume.spanWords = volume.packedWords += arch::ceilDiv(share.bytes, 4);
      (side == Side::From ? sent : received)[replica_.ipuOf(tile)] += share.bytes;
      all += side == Side::From ? share.bytes : 0;
    }
  }
  if (!all)
    return;
  for (std::size_t i = 0; i + 1 < step.cases.size(); i += 2)
    for (auto [a, bytes] : sent)
      for (auto [b, wanted] : received)
        if (step.cases[i] != step.cases[i + 1])
          traffic.flows.push_back({unsigned(step.cases[i]) * replica_.ipus + a,
                                   unsigned(step.cases[i + 1]) * replica_.ipus + b,
                                   std::uint64_t(double(bytes) * double(wanted) / double(all))});
  traffic.loads = loads.take();
  if (!traffic.flows.empty())
    step.cost.phases = priceExchange(image_, device_, traffic, "").phases;
}

} // namespace poplar::compile
