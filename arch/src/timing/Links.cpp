// SPDX-License-Identifier: MIT
// Exchange between IPUs. On a ladder a flow crosses its rung first, when the rails differ, then
// runs along the rail; on a torus it takes the shorter way round. Each directed bundle of links is
// filled by all flows that use it.
#include "arch/Links.hpp"
#include "base/Arithmetic.hpp"
#include "base/Error.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <map>

namespace arch {
namespace {

using Kind = LinkResource::Kind;

// The part of the system inside one rack, with ids from 0.
class Rack {
public:
  Rack(const System &system, unsigned ipu)
      : system_(system), first_(ipu - ipu % system.chip.links.ipusPerDomain),
        size_(std::min(system.chip.links.ipusPerDomain, system.ipus - first_)) {}

  std::vector<LinkResource> route(unsigned from, unsigned to) {
    from -= first_;
    to -= first_;
    if (system_.links == LinkLayout::Line)
      walk(from, to, 1, 0);
    else
      ladder(from, to);
    return std::move(path_);
  }

private:
  void ladder(unsigned from, unsigned to) {
    if (from % 2 != to % 2 && (from ^ 1u) < size_)
      from = cross(from, (from ^ 1u) == to ? Kind::Rung : Kind::RungThrough);
    const unsigned turn = to - to % 2 + from % 2; // on the sender's rail, beside the receiver
    const unsigned railLength = (size_ + 1 - from % 2) / 2;
    walk(from, turn, 2, system_.links == LinkLayout::Torus ? railLength : 0);
    if (turn != to)
      cross(turn, Kind::RungThrough);
  }
  unsigned cross(unsigned at, Kind kind) {
    hop(kind, at, at ^ 1u);
    return at ^ 1u;
  }
  // Along a rail whose stations are `stride` ids apart; ring is its length when it is closed, else
  // 0.
  void walk(unsigned from, unsigned to, unsigned stride, unsigned ring) {
    const unsigned rail = from % stride;
    unsigned at = from / stride, end = to / stride;
    const bool wraps = ring > 2;
    const unsigned upwards = end >= at ? end - at : wraps ? ring - (at - end) : ~0u;
    const unsigned downwards = at >= end ? at - end : wraps ? ring - (end - at) : ~0u;
    while (at != end) {
      unsigned next = upwards <= downwards ? at + 1 : at + (wraps ? ring : 0) - 1;
      if (wraps)
        next %= ring;
      hop(Kind::Rail, at * stride + rail, next * stride + rail);
      at = next;
    }
  }
  void hop(Kind kind, unsigned from, unsigned to) {
    path_.push_back({kind, first_ + from, first_ + to});
  }

  const System &system_;
  unsigned first_, size_;
  std::vector<LinkResource> path_;
};

double latency(const System &system, const std::vector<LinkResource> &path) {
  const auto &links = system.chip.links;
  double seconds = 0;
  for (const auto &resource : path)
    seconds += resource.kind == Kind::GatewayOut  ? links.gatewayHopSeconds
               : resource.kind == Kind::GatewayIn ? 0 // the far end of the same hop
                                                  : links.hopSeconds;
  return seconds;
}

unsigned hopsOf(const std::vector<LinkResource> &path) {
  return unsigned(
      std::count_if(path.begin(), path.end(), [](auto &r) { return r.kind != Kind::GatewayIn; }));
}

} // namespace

std::string toString(const LinkResource &resource) {
  static const char *names[] = {"rung", "rung (through)", "rail", "gateway out", "gateway in"};
  const auto name = names[unsigned(resource.kind)];
  if (resource.kind == Kind::GatewayOut || resource.kind == Kind::GatewayIn)
    return base::str(name, " of machine ", resource.from);
  return base::str(name, " ", resource.from, "->", resource.to);
}

double bytesPerSecond(const System &system, const LinkResource &resource) {
  const auto &links = system.chip.links;
  const double one = links.bytesPerSecond;
  switch (resource.kind) {
  case Kind::Rung:
    return links.rungLinks * one;
  case Kind::RungThrough:
    return links.rungThroughLinks * one;
  case Kind::Rail:
    return links.railLinks * one;
  case Kind::GatewayOut:
  case Kind::GatewayIn:
    break;
  }
  return links.gatewayBytesPerSecond;
}

std::uint64_t bytesOnLink(const Links &links, const Flow &flow) {
  constexpr std::uint64_t wordBytes = 4;
  const auto packets = std::max(flow.packets, base::ceilDiv(flow.bytes, links.packetBytes));
  return std::max(flow.bytes + packets * links.packetOverheadWords * wordBytes,
                  packets * links.packetLeastWords * wordBytes);
}

std::vector<LinkResource> routeBetween(const System &system, unsigned fromIpu, unsigned toIpu) {
  OPENIPU_CHECK(
      fromIpu < system.ipus && toIpu < system.ipus,
      base::str("a flow from IPU ", fromIpu, " to IPU ", toIpu, " in a system of ", system.ipus));
  const auto &links = system.chip.links;
  if (fromIpu / links.ipusPerDomain == toIpu / links.ipusPerDomain)
    return Rack(system, fromIpu).route(fromIpu, toIpu);
  const unsigned out = fromIpu / links.ipusPerMachine, in = toIpu / links.ipusPerMachine;
  return {{Kind::GatewayOut, out, out}, {Kind::GatewayIn, in, in}};
}

LinkCost linkExchange(const System &system, std::span<const Flow> flows) {
  LinkCost cost;
  std::map<LinkResource, std::uint64_t> load;
  double farthest = 0;
  for (const auto &flow : flows) {
    const auto path = routeBetween(system, flow.fromIpu, flow.toIpu);
    if (flow.bytes == 0 || path.empty())
      continue;
    const auto onLink = bytesOnLink(system.chip.links, flow);
    for (const auto &resource : path)
      load[resource] += resource.kind == Kind::GatewayOut || resource.kind == Kind::GatewayIn
                            ? flow.bytes
                            : onLink;
    farthest = std::max(farthest, latency(system, path));
    cost.hops = std::max(cost.hops, hopsOf(path));
  }
  for (const auto &[resource, bytes] : load) {
    const double seconds = double(bytes) / bytesPerSecond(system, resource);
    if (seconds > cost.transferSeconds) {
      cost.transferSeconds = seconds;
      cost.busiest = resource;
    }
  }
  cost.seconds = cost.transferSeconds + farthest;
  cost.cycles = system.chip.cycles(cost.seconds);
  return cost;
}

} // namespace arch
