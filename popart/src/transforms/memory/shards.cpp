// SPDX-License-Identifier: MIT
#include "transforms/memory/shards.hpp"

namespace popart::transforms {

using ir::Graph;
using ir::Value;

Value addShard(Graph &graph, Value whole, const analysis::Location &location,
               std::int64_t replicas) {
  const auto members = analysis::membersOf(location.domain, replicas);
  const auto info = graph[whole].info;
  const Shape part{(info.nelms() + members - 1) / members};
  const Value shard = graph.add(
      {"Shard___" + graph[whole].name, TensorInfo(info.dataType(), part), ir::Kind::Variable, {}});
  graph[shard].shardOf = whole;
  graph[shard].role = graph[whole].role;
  return shard;
}

ir::Attributes shardAttributes(const CommGroup &domain, std::int64_t replicas) {
  ir::Attributes out;
  out.set("replicas", replicas);
  out.set("collectiveCommGroup", ir::Integers{static_cast<std::int64_t>(domain.type),
                                              static_cast<std::int64_t>(domain.replicaGroupSize)});
  return out;
}

} // namespace popart::transforms
