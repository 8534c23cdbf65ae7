// SPDX-License-Identifier: MIT
// What moving data between IPUs costs: every flow is routed over links as packets, the fullest link
// decides, and the farthest flow adds its hops. Beyond one rack traffic takes the gateway links of
// the machines.
#pragma once
#include "arch/System.hpp"
#include <span>

namespace arch {

struct Flow {
  unsigned fromIpu = 0, toIpu = 0;
  std::uint64_t bytes = 0;
  std::uint64_t packets = 1; // pieces that are sent by themselves; more when they are long
};

// A directed bundle of links (or a machine's gateway) that flows share.
struct LinkResource {
  enum class Kind { Rung, RungThrough, Rail, GatewayOut, GatewayIn } kind = Kind::Rail;
  unsigned from = 0, to = 0; // IPUs; for gateways the machine, twice
  auto operator<=>(const LinkResource &) const = default;
};

std::string toString(const LinkResource &resource);
double bytesPerSecond(const System &system, const LinkResource &resource);
// What a flow takes of a link: packets have an overhead and a least size.
std::uint64_t bytesOnLink(const Links &links, const Flow &flow);

// The resources a flow passes, in order. Empty when both ends are one IPU.
std::vector<LinkResource> routeBetween(const System &system, unsigned fromIpu, unsigned toIpu);

struct LinkCost {
  double seconds = 0; // transfer and hops, without sync
  double transferSeconds = 0;
  unsigned hops = 0;    // of the farthest flow
  LinkResource busiest; // meaningful when transferSeconds > 0
  Cycles cycles = 0;    // seconds, rounded up
};

LinkCost linkExchange(const System &system, std::span<const Flow> flows);

enum class Collective { AllReduce, ReduceScatter, AllGather };

// A ring over `replicas` groups of `ipusPerReplica` IPUs, each holding `bytes` (the whole tensor
// for all three); inside racks first and over gateways between them when the replicas span several.
// Excludes the sync.
Cycles collectiveCycles(const System &system, Collective kind, std::uint64_t bytes,
                        unsigned replicas, unsigned ipusPerReplica = 1);

} // namespace arch
