// SPDX-License-Identifier: MIT
// Running means and variances, which BatchNormalization changes for every micro-batch.
#pragma once
#include "ir/graph.hpp"
#include <set>

namespace popart::optimizer {

// Training keeps running statistics: what BatchNormalization makes of the variables it reads
// becomes their value. addUpdates does it.
void keepRunningStatistics(ir::Graph &graph);
// The variables that are such statistics and change. They have no gradient of their own. Other
// weights that a model changes itself are trained on from the value that it gave them.
std::set<ir::Value> runningStatistics(const ir::Graph &graph);

} // namespace popart::optimizer
