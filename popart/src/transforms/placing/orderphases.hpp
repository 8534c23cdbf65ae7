// SPDX-License-Identifier: MIT
// Puts nodes in the order of their phases; one that has none, or reads what a later phase makes,
// goes to the earliest phase it can.
#pragma once
#include "ir/graph.hpp"

namespace popart::transforms {

void orderPhases(ir::Graph &graph);

} // namespace popart::transforms
