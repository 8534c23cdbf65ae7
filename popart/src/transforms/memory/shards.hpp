// SPDX-License-Identifier: MIT
// Variables that replicas share out: one holds this replica's part of another.
#pragma once
#include "analysis/locations.hpp"

namespace popart::transforms {

// The variable for that part, new and without users.
ir::Value addShard(ir::Graph &graph, ir::Value whole, const analysis::Location &location,
                   std::int64_t replicas);
// What all collectives on parts have to know.
ir::Attributes shardAttributes(const CommGroup &domain, std::int64_t replicas);

} // namespace popart::transforms
