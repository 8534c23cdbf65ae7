// SPDX-License-Identifier: MIT
// Batch serialisation: what a model does with a batch is done with one part of it after the other,
// so that less is alive at a time. Operators whose results for one part need nothing of the others
// are cut; before all others the parts are put together. Sums over the batch become sums of parts.
#pragma once
#include "ir/graph.hpp"
#include <popart/sessionoptions.hpp>
#include <set>

namespace popart::transforms {

// `kept` stay whole under their names. popart::error if no input can be cut into `factor` parts.
void cutBatches(ir::Graph &graph, const BatchSerializationSettings &settings,
                const std::set<ir::Value> &kept);

} // namespace popart::transforms
