// SPDX-License-Identifier: MIT
// A model's own rule of updates (ir::Graph::rule), in place of an optimizer: operators that run
// once per weight update. They read variables, constants, each other, and by WeightGradient the
// gradients of weights after accumulation and reduction.
#pragma once
#include "ir/graph.hpp"
#include <map>
#include <set>

namespace popart::optimizer {

bool hasRule(const ir::Graph &graph);
// The weights whose gradients it asks for.
std::set<ir::Value> weightsOfRule(const ir::Graph &graph);

struct RuleInput {
  ir::Value gradient;
  ir::Settings place; // of the weight
};
// Appends the rule to the nodes, every operator where its weight is. popart::error where it reads
// what a micro-batch computes, or the gradient of a weight that is not given.
void addRule(ir::Graph &graph, const std::map<ir::Value, RuleInput> &weights);

} // namespace popart::optimizer
