// SPDX-License-Identifier: MIT
// Ring collectives: in every step each replica passes one share to the next, all at once, over the
// links of Links.cpp. Replicas in several racks reduce within the rack, then over gateways, then
// gather within the rack.
#include "arch/Links.hpp"
#include "base/Arithmetic.hpp"
#include <algorithm>

namespace arch {
namespace {

struct Members {
  unsigned count; // replicas in the ring
  unsigned first; // first IPU of the first replica
  unsigned ipusPerReplica;
};

// Up one rail and down the other, so that no step is long. A closed rail needs no way back.
std::vector<unsigned> ringOrder(const System &system, const Members &members) {
  std::vector<unsigned> order;
  const bool closed = system.links == LinkLayout::Torus && members.ipusPerReplica > 1;
  const unsigned stride = closed ? 1 : 2;
  for (unsigned r = 0; r < members.count; r += stride)
    order.push_back(r);
  if (!closed)
    for (unsigned r = members.count / 2; r-- > 0;)
      order.push_back(2 * r + 1);
  return order;
}

// The flows of one step of a ring; every IPU of a replica talks to its like in the next replica.
void addRingStep(const System &system, const Members &members, std::uint64_t bytesPerIpu,
                 std::vector<Flow> &flows) {
  const auto order = ringOrder(system, members);
  for (std::size_t i = 0; i < order.size(); ++i)
    for (unsigned k = 0; k < members.ipusPerReplica; ++k)
      flows.push_back({members.first + order[i] * members.ipusPerReplica + k,
                       members.first + order[(i + 1) % order.size()] * members.ipusPerReplica + k,
                       bytesPerIpu});
}

// Reduce-scatter and all-gather are one round of a ring, all-reduce is two.
Cycles ring(const System &system, std::uint64_t rounds, unsigned members,
            const std::vector<Flow> &step) {
  return members < 2 ? 0 : rounds * (members - 1) * linkExchange(system, step).cycles;
}

// Between racks, IPU i of each rack with IPU i of the others; the tensor is already spread over the
// rack.
std::vector<Flow> gatewayStep(const System &system, unsigned racks, unsigned ipusPerRack,
                              std::uint64_t bytesPerIpu) {
  const unsigned domain = system.chip.links.ipusPerDomain;
  std::vector<Flow> flows;
  for (unsigned rack = 0; rack < racks; ++rack)
    for (unsigned i = 0; i < ipusPerRack; ++i) {
      const unsigned from = rack * domain + i, to = (rack + 1) % racks * domain + i;
      if (from < system.ipus && to < system.ipus)
        flows.push_back({from, to, bytesPerIpu});
    }
  return flows;
}

} // namespace

Cycles collectiveCycles(const System &system, Collective kind, std::uint64_t bytes,
                        unsigned replicas, unsigned ipusPerReplica) {
  if (replicas < 2 || bytes == 0)
    return 0;
  const unsigned perRack =
      std::clamp(system.chip.links.ipusPerDomain / ipusPerReplica, 1u, replicas);
  const unsigned racks = unsigned(base::ceilDiv(replicas, perRack));
  const std::uint64_t rounds = kind == Collective::AllReduce ? 2 : 1;

  std::vector<Flow> inRack;
  for (unsigned rack = 0; rack < racks; ++rack) {
    const unsigned members = std::min(perRack, replicas - rack * perRack);
    const Members group{members, rack * system.chip.links.ipusPerDomain, ipusPerReplica};
    addRingStep(system, group, base::ceilDiv(bytes, std::uint64_t(perRack) * ipusPerReplica),
                inRack);
  }
  const auto between =
      gatewayStep(system, racks, perRack * ipusPerReplica,
                  base::ceilDiv(bytes, std::uint64_t(perRack) * ipusPerReplica * racks));
  return ring(system, rounds, perRack, inRack) + ring(system, rounds, racks, between);
}

} // namespace arch
