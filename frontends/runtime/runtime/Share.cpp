// SPDX-License-Identifier: MIT
#include "runtime/Share.hpp"

namespace frontend {

void setReplicas(popart::SessionOptions &options, const Share &share) {
  options.enableReplicatedGraphs = share.here > 1;
  options.replicatedGraphCount = share.here;
  options.enableDistributedReplicatedGraphs = share.total > share.here;
  options.globalReplicaOffset = share.first;
  options.globalReplicationFactor = share.total;
}

} // namespace frontend
