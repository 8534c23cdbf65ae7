// SPDX-License-Identifier: MIT
// What an inference computes of weights and constants alone: the same for every batch.
#pragma once
#include "ir/graph.hpp"

namespace popart::analysis {

// Whether a node of the forward pass does nothing but compute, the same from the same inputs.
bool isPure(const ir::Node &node);
// By value: whether it can be told from weights that nothing writes, and constants.
std::vector<bool> fixedValues(const ir::Graph &graph);

} // namespace popart::analysis
