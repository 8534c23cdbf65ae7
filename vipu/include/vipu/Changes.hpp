// SPDX-License-Identifier: MIT
// What operators and users do to a machine: agents (the boxes), clusters of them, allocations to
// users, partitions of IPUs. Each checks all it needs before it changes anything, and throws
// machine::Error with the thing's name and the remedy. The record itself is machine/State.hpp's.
#pragma once
#include "machine/State.hpp"

namespace vipu {

struct AgentRequest {
  std::string name, host;
  std::string kind = "M2000"; // of machine::boxKinds
};
void createAgent(machine::State &state, const AgentRequest &request);
void removeAgent(machine::State &state, const std::string &name);

struct ClusterRequest {
  std::string name;
  std::vector<std::string> agents;
  unsigned linkDomains = 1;
  std::string topology = "mesh"; // or looped
};
void createCluster(machine::State &state, const ClusterRequest &request);
void removeCluster(machine::State &state, const std::string &name);

struct AllocationRequest {
  std::string name, cluster;
  std::vector<std::string> agents; // none: all of the cluster
};
void createAllocation(machine::State &state, const AllocationRequest &request);
void removeAllocation(machine::State &state, const std::string &name);

struct PartitionRequest {
  std::string name;
  unsigned size = 0; // IPUs, a power of two
  bool reconfigurable = false;
  unsigned gcds = 1, gcdSyncReplicas = 0; // 0: as many as gcds
  std::string gatewayRouting, syncType;   // empty: the usual one
  std::string cluster, allocation;        // empty: anywhere
  std::optional<unsigned> index;          // the place among those of its size, from 0
};
void createPartition(machine::State &state, const PartitionRequest &request);
// These two refuse a partition whose IPUs are in use. `force` removes it all the same.
void resetPartition(machine::State &state, const std::string &name);
void removePartition(machine::State &state, const std::string &name, bool force = false);
const machine::Box &agent(const machine::State &state, const std::string &name);
const machine::StoredPartition &partition(const machine::State &state, const std::string &name);

} // namespace vipu
