// SPDX-License-Identifier: MIT
#include "vipu/Changes.hpp"
#include "base/Text.hpp"
#include "machine/Error.hpp"
#include "machine/Lease.hpp"
#include <algorithm>
#include <bit>
#include <cctype>
#include <functional>

namespace vipu {
namespace {

using base::str;
using machine::Error;
using machine::State;

std::string joined(const std::vector<std::string> &parts) {
  std::string out;
  for (const auto &part : parts)
    out += (out.empty() ? "" : ", ") + part;
  return out;
}

bool sameWord(const std::string &a, const std::string &b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

bool isHost(const std::string &text) {
  return text.size() <= 253 && std::ranges::all_of(text, [](unsigned char c) {
           return std::isalnum(c) || c == '.' || c == '-' || c == ':' || c == '_';
         });
}

[[noreturn]] void fail(const std::string &text) { throw Error(text); }

std::string oneOfKind(const char *what) { return str(what[0] == 'a' ? "an " : "a ", what); }

void checkName(const char *what, const std::string &name) {
  if (!machine::isName(name))
    fail(str("\"", base::brief(name), "\" is no name for ", oneOfKind(what), ": it takes ",
             machine::nameRule, "."));
}

template <class List, class Name> auto *findIn(List &list, const std::string &name, Name nameOf) {
  const auto found = std::ranges::find(list, name, nameOf);
  return found == list.end() ? nullptr : &*found;
}
template <class List, class Name> std::vector<std::string> namesOf(const List &list, Name nameOf) {
  std::vector<std::string> names;
  for (const auto &item : list)
    names.push_back(std::invoke(nameOf, item));
  return names;
}

template <class List, class Name>
auto &require(const char *what, List &list, const std::string &name, Name nameOf) {
  if (auto *found = findIn(list, name, nameOf))
    return *found;
  fail(str("There is no ", what, " ", base::brief(name), ".",
           base::didYouMean(base::brief(name), namesOf(list, nameOf))));
}
template <class List, class Name>
void requireNew(const char *what, List &list, const std::string &name, Name nameOf) {
  checkName(what, name);
  if (findIn(list, name, nameOf))
    fail(str("There is ", oneOfKind(what), " ", name,
             " already. Remove it first, or take another name."));
}

constexpr auto agentName = &machine::Box::agent;
constexpr auto clusterName = &machine::Cluster::name;
constexpr auto allocationName = &machine::Allocation::name;
std::string partitionName(const machine::StoredPartition &stored) { return stored.partition.name; }

bool contains(const std::vector<std::string> &names, const std::string &name) {
  return std::ranges::find(names, name) != names.end();
}

struct Range {
  unsigned first, size;
};
bool overlaps(const Range &range, const machine::StoredPartition &stored) {
  return range.first < stored.firstIpu + stored.ipus && stored.firstIpu < range.first + range.size;
}

void checkAgents(const State &state, const std::vector<std::string> &agents) {
  if (agents.empty())
    fail("No agents are given.");
  for (const auto &name : agents) {
    require("agent", state.boxes, name, agentName);
    if (std::ranges::count(agents, name) > 1)
      fail(str("Agent ", name, " is given twice."));
  }
}

// The IPUs of a partition lie one after the other; with a cluster or allocation in its boxes.
bool allowed(const State &state, const Range &range, const std::vector<std::string> &agents) {
  for (unsigned ipu = range.first; ipu < range.first + range.size; ++ipu) {
    const auto box = std::ranges::find_if(
        state.boxes, [&](const auto &b) { return ipu >= b.firstIpu && ipu < b.firstIpu + b.ipus; });
    if (box == state.boxes.end() || (!agents.empty() && !contains(agents, box->agent)))
      return false;
    if (box->kind.chip != std::ranges::find_if(state.boxes, [&](const auto &b) {
                            return range.first >= b.firstIpu && range.first < b.firstIpu + b.ipus;
                          })->kind.chip)
      return false;
  }
  return true;
}

std::vector<std::string> agentsFor(const State &state, const PartitionRequest &request) {
  if (!request.allocation.empty() && !request.cluster.empty())
    fail(
        "A partition is in a cluster or in an allocation: give one of --cluster and --allocation.");
  if (!request.allocation.empty())
    return require("allocation", state.allocations, request.allocation, allocationName).agents;
  if (!request.cluster.empty())
    return require("cluster", state.clusters, request.cluster, clusterName).agents;
  return {};
}

unsigned linkDomains(const State &state, const PartitionRequest &request) {
  const auto cluster =
      request.allocation.empty()
          ? request.cluster
          : require("allocation", state.allocations, request.allocation, allocationName).cluster;
  const auto *found = findIn(state.clusters, cluster, clusterName);
  return found ? found->linkDomains : 1;
}

void checkSize(const PartitionRequest &request) {
  if (request.size == 0 || !std::has_single_bit(request.size) || request.size > machine::mostIpus)
    fail(str("A partition has a power of two of IPUs, at most ", machine::mostIpus, ": --size ",
             request.size, " is none. Try ",
             std::bit_ceil(std::clamp(request.size, 1u, machine::mostIpus)), "."));
  if (request.gcds == 0 || request.size % request.gcds)
    fail(str("--num-gcds ", request.gcds, " does not divide the ", request.size, " IPUs."));
  if (request.gcdSyncReplicas && request.gcdSyncReplicas % request.gcds)
    fail(str("--gcd-sync-replicas ", request.gcdSyncReplicas, " is not a multiple of the ",
             request.gcds, " GCDs."));
}

void checkKind(const State &state, const PartitionRequest &request) {
  if (!request.reconfigurable)
    return;
  if (request.gcds > 1)
    fail("A reconfigurable partition has one GCD: leave --reconfigurable or --num-gcds out.");
  if (!request.syncType.empty() && request.syncType != "c2-compatible" && !request.index)
    fail(str("A reconfigurable partition has the sync type c2-compatible, not ", request.syncType,
             "."));
  if (!request.gatewayRouting.empty() || linkDomains(state, request) > 1)
    fail("A reconfigurable partition has no GW-Links: leave --gw-routing and clusters of several "
         "IPU-Link domains to fixed ones.");
}

std::string oneOf(const char *flag, const std::string &given, const std::string &usual,
                  const std::vector<std::string> &all) {
  if (given.empty())
    return usual;
  for (const auto &one : all)
    if (sameWord(one, given))
      return one;
  fail(str(flag, " ", base::brief(given), " is unknown; there are ", joined(all), "."));
}

Range findPlace(const State &state, const PartitionRequest &request) {
  const auto agents = agentsFor(state, request);
  unsigned free = 0;
  for (unsigned first = 0; first + request.size <= state.ipus(); first += request.size) {
    const Range range{first, request.size};
    const auto taken =
        std::ranges::find_if(state.partitions, [&](const auto &p) { return overlaps(range, p); });
    const bool fits = allowed(state, range, agents);
    if (request.index && first / request.size == *request.index) {
      if (taken != state.partitions.end())
        fail(str("--index ", *request.index, " is IPUs ", first, " to ", first + request.size - 1,
                 ", which partition ", taken->partition.name, " has."));
      if (!fits)
        fail(str("--index ", *request.index, " is not in that cluster or allocation."));
    }
    if (!fits || taken != state.partitions.end())
      continue;
    if (!request.index || first / request.size == *request.index)
      return range;
    ++free;
  }
  if (request.index)
    fail(str("There is no place ", *request.index, " for ", request.size, " IPUs on a machine of ",
             state.ipus(), "."));
  unsigned held = 0;
  for (const auto &p : state.partitions)
    held += p.ipus;
  fail(str("There are no ", request.size, " free IPUs next to each other: the machine has ",
           state.ipus(), ", and partitions (", joined(namesOf(state.partitions, partitionName)),
           ") have ", held, ". Remove one, or ask for fewer."));
}

void refuseInUse(const machine::StoredPartition &stored, const char *what) {
  for (unsigned ipu = stored.firstIpu; ipu < stored.firstIpu + stored.ipus; ++ipu)
    if (const auto holder = machine::holderOf(ipu))
      fail(str("Partition ", stored.partition.name, " is in use: process ", holder->processId, " (",
               holder->command.empty() ? holder->executable : holder->command, ", user ",
               holder->user, ") has attached IPU ", ipu - stored.firstIpu, " of it. End it, then ",
               what, " the partition."));
}

// Numbers of IPUs follow the order of boxes.
void renumber(State &state) {
  unsigned first = 0;
  for (std::size_t i = 0; i < state.boxes.size(); ++i) {
    state.boxes[i].firstIpu = first;
    first += state.boxes[i].ipus;
  }
}

} // namespace

void createAgent(State &state, const AgentRequest &request) {
  requireNew("agent", state.boxes, request.name, agentName);
  const auto *kind = machine::findBoxKind(request.kind);
  if (!kind)
    fail(str("There is no kind of machine ", base::brief(request.kind), "; there are ",
             joined(namesOf(machine::boxKinds(), &machine::BoxKind::name)), "."));
  if (kind->fabric && request.host.empty())
    fail(str("Agent ", request.name, " needs --host: its IPU-Machine's address."));
  if (kind->fabric && !isHost(request.host))
    fail(str("\"", base::brief(request.host), "\" is no host's name or address."));
  if (state.ipus() + kind->ipus > machine::mostIpus)
    fail(str("The machine would have more than ", machine::mostIpus, " IPUs."));
  unsigned number = 0;
  for (const auto &box : state.boxes)
    number = std::max(number, box.number + 1);
  machine::Box box;
  box.agent = request.name;
  box.kind = *kind;
  box.host = kind->fabric ? request.host : "";
  box.number = number;
  box.ipus = kind->ipus;
  state.boxes.push_back(box);
  renumber(state);
}

void removeAgent(State &state, const std::string &name) {
  const auto &box = require("agent", state.boxes, name, agentName);
  for (const auto &cluster : state.clusters)
    if (contains(cluster.agents, name))
      fail(str("Agent ", name, " is in cluster ", cluster.name, ". Remove that first."));
  for (const auto &stored : state.partitions)
    if (stored.firstIpu + stored.ipus > box.firstIpu)
      fail(str("Partition ", stored.partition.name, " has IPUs of agent ", name,
               " or of one after it. Remove it first."));
  std::erase_if(state.boxes, [&](const auto &b) { return b.agent == name; });
  renumber(state);
}

void createCluster(State &state, const ClusterRequest &request) {
  requireNew("cluster", state.clusters, request.name, clusterName);
  checkAgents(state, request.agents);
  if (request.linkDomains == 0 || request.agents.size() % request.linkDomains)
    fail(str("--num-ipulinkdomains ", request.linkDomains, " does not divide the ",
             request.agents.size(), " agents."));
  const auto topology =
      oneOf("--cluster-topology", request.topology, "mesh", {"mesh", "looped", "torus"});
  state.clusters.push_back({request.name, request.agents, topology != "mesh", request.linkDomains});
}

void removeCluster(State &state, const std::string &name) {
  require("cluster", state.clusters, name, clusterName);
  for (const auto &allocation : state.allocations)
    if (allocation.cluster == name)
      fail(str("Cluster ", name, " has the allocation ", allocation.name, ". Remove that first."));
  for (const auto &stored : state.partitions)
    if (stored.partition.cluster == name)
      fail(str("Cluster ", name, " has the partition ", stored.partition.name,
               ". Remove that first."));
  std::erase_if(state.clusters, [&](const auto &c) { return c.name == name; });
}

void createAllocation(State &state, const AllocationRequest &request) {
  requireNew("allocation", state.allocations, request.name, allocationName);
  const auto &cluster = require("cluster", state.clusters, request.cluster, clusterName);
  const auto &agents = request.agents.empty() ? cluster.agents : request.agents;
  checkAgents(state, agents);
  for (const auto &agent : agents) {
    if (!contains(cluster.agents, agent))
      fail(str("Agent ", agent, " is not in cluster ", cluster.name, "."));
    for (const auto &other : state.allocations)
      if (contains(other.agents, agent))
        fail(str("Agent ", agent, " is in the allocation ", other.name, " already."));
  }
  state.allocations.push_back({request.name, request.cluster, agents});
}

void removeAllocation(State &state, const std::string &name) {
  require("allocation", state.allocations, name, allocationName);
  for (const auto &stored : state.partitions)
    if (stored.partition.allocation == name)
      fail(str("Allocation ", name, " has the partition ", stored.partition.name,
               ". Remove that first."));
  std::erase_if(state.allocations, [&](const auto &a) { return a.name == name; });
}

void createPartition(State &state, const PartitionRequest &request) {
  requireNew("partition", state.partitions, request.name, partitionName);
  checkSize(request);
  checkKind(state, request);
  machine::Partition made;
  made.name = request.name;
  made.reconfigurable = request.reconfigurable;
  made.gcds = request.gcds;
  made.gcdSyncReplicas = request.gcdSyncReplicas ? request.gcdSyncReplicas : request.gcds;
  made.routing = request.reconfigurable ? "DNC" : request.size > 1 ? "RINGSWNC" : "SWNC";
  made.gatewayRouting =
      oneOf("--gw-routing", request.gatewayRouting, "DEFAULT", machine::gatewayRoutings());
  const auto sync =
      oneOf("--sync-type", request.syncType,
            request.reconfigurable ? "c2-compatible" : "pod-native-default", machine::syncTypes());
  made.syncType = request.reconfigurable ? "c2-compatible" : sync;
  made.cluster = request.cluster;
  made.allocation = request.allocation;
  const auto range = findPlace(state, request);
  for (const auto &box : state.boxes)
    if (range.first >= box.firstIpu && range.first < box.firstIpu + box.ipus)
      made.chip = box.kind.chip;
  state.partitions.push_back({made, range.first, range.size});
}

const machine::Box &agent(const State &state, const std::string &name) {
  return require("agent", state.boxes, name, agentName);
}

const machine::StoredPartition &partition(const State &state, const std::string &name) {
  return require("partition", state.partitions, name, partitionName);
}

void resetPartition(State &state, const std::string &name) {
  auto &stored = require("partition", state.partitions, name, partitionName);
  refuseInUse(stored, "reset");
  stored.partition.state = "ACTIVE";
}

void removePartition(State &state, const std::string &name, bool force) {
  const auto &stored = require("partition", state.partitions, name, partitionName);
  if (!force)
    refuseInUse(stored, "remove");
  std::erase_if(state.partitions, [&](const auto &p) { return p.partition.name == name; });
}

} // namespace vipu
