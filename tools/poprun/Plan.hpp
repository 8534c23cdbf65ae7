// SPDX-License-Identifier: MIT
// Which instance has which replicas, and where it runs.
#pragma once
#include "Options.hpp"

namespace poprun {

struct Instance {
  unsigned index = 0, local = 0; // local: on its host
  unsigned host = 0, ild = 0;    // numbers, from 0
  unsigned firstReplica = 0;
};

struct Plan {
  std::vector<std::string> hosts;
  bool isRemote = false; // hosts were named
  unsigned ilds = 1, replicasPerInstance = 1;
  std::vector<Instance> instances;
};

// "a,b[0-2,4]" -> a b0 b1 b2 b4. Error.
std::vector<std::string> expandHosts(const std::string &text);
// Error if replicas, instances, hosts and domains do not divide each other.
Plan planOf(const Options &options, unsigned ilds);

std::string topologyOf(const Plan &plan);

} // namespace poprun
