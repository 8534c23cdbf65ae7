// SPDX-License-Identifier: MIT
#include "popdist/context.hpp"
#include "base/Environment.hpp"
#include "base/Text.hpp"
#include "machine/Discovery.hpp"
#include "machine/Error.hpp"
#include <cstdlib>
#include <stdexcept>

namespace popdist {
namespace {

using base::str;

constexpr unsigned most = 1u << 20;

unsigned numberOf(const char *name, unsigned otherwise, unsigned least = 0) {
  try {
    return unsigned(base::numberFromEnvironment(name, otherwise, least, most));
  } catch (const std::invalid_argument &e) {
    throw std::runtime_error(str("popdist: ", e.what(), " poprun sets it."));
  }
}

} // namespace

bool isPopdistEnvSet() { return std::getenv("POPDIST_NUM_TOTAL_REPLICAS") != nullptr; }

unsigned getInstanceIndex() { return numberOf("OMPI_COMM_WORLD_RANK", 0); }
unsigned getNumInstances() { return numberOf("OMPI_COMM_WORLD_SIZE", 1, 1); }
unsigned getLocalInstanceIndex() { return numberOf("POPDIST_LOCAL_INSTANCE_INDEX", 0); }
unsigned getNumTotalReplicas() { return numberOf("POPDIST_NUM_TOTAL_REPLICAS", 1, 1); }
unsigned getNumLocalReplicas() { return numberOf("POPDIST_NUM_LOCAL_REPLICAS", 1, 1); }
unsigned getNumIpusPerReplica() { return numberOf("POPDIST_NUM_IPUS_PER_REPLICA", 1, 1); }
bool getUniformReplicasPerInstance() {
  return numberOf("POPDIST_UNIFORM_REPLICAS_PER_INSTANCE", 1) != 0;
}

unsigned getReplicaIndexOffset() {
  const unsigned offset = numberOf("POPDIST_REPLICA_INDEX_OFFSET", 0);
  if (offset + getNumLocalReplicas() > getNumTotalReplicas())
    throw std::runtime_error(
        str("popdist: replicas ", offset, " to ", offset + getNumLocalReplicas() - 1,
            " are not among the ", getNumTotalReplicas(),
            " of all: POPDIST_REPLICA_INDEX_OFFSET, POPDIST_NUM_LOCAL_REPLICAS "
            "and POPDIST_NUM_TOTAL_REPLICAS do not fit together."));
  return offset;
}

void checkNumIpusPerReplica(unsigned ipusPerReplica) {
  if (ipusPerReplica != getNumIpusPerReplica())
    throw std::runtime_error(str("popdist: the program uses ", ipusPerReplica,
                                 " IPUs per replica, but poprun was started with "
                                 "--ipus-per-replica ",
                                 getNumIpusPerReplica(), ". Make them equal."));
}

// A partition with several GCDs shows each instance its own; else the instances lie side by side.
unsigned getDeviceId(unsigned ipusPerReplica) {
  const unsigned perReplica = ipusPerReplica ? ipusPerReplica : getNumIpusPerReplica();
  const unsigned size = perReplica * getNumLocalReplicas();
  const auto domain = machine::activeDomain();
  const unsigned first = domain.partition.gcds > 1 ? 0 : perReplica * getReplicaIndexOffset();
  for (const auto &group : domain.groups())
    if (group.first == first && group.size == size)
      return group.id;
  throw std::runtime_error(
      str("popdist: partition ", domain.partition.name, " has no device with ", size,
          " IPUs from IPU ", first,
          " on. gc-info -l lists its devices; poprun checks the partition that "
          "--vipu-partition names."));
}

} // namespace popdist
