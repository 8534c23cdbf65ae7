// SPDX-License-Identifier: MIT
// Backward pass: appends the nodes that compute the gradient of one scalar by everything it depends
// on, using each operator's own `grad`. Several uses of a value give a Sum of their gradients.
// Bodies of If and Call have no loss of their own: there, the gradients of some values are given.
#pragma once
#include "ir/graph.hpp"
#include <set>

namespace popart::autodiff {

struct Request {
  ir::Value loss;             // one element; `none` if gradients are given instead
  ir::Value lossGradient;     // what the chain starts from: 1, or the loss scale
  std::set<ir::Value> wanted; // values whose gradients are needed (weights, anchored gradients)
  std::vector<std::pair<ir::Value, ir::Value>> given = {}; // value, its gradient
  // A number (FLOAT) that the gradients are yet to be multiplied by, as soon as they are more than
  // one FLOAT16 number; or none. `spread`: also if it is spread over a tensor.
  ir::Value late = ir::none;
  bool spread = false;
  bool apart = false; // the backward pass has pipeline stages of its own, also behind the loss
};

// The gradient of every value on a way from a wanted one to the loss, and zeros for wanted ones
// whose ways end where they were replaced (OpDef::computesFrom). Nodes that turn out unneeded are
// left for the pruning pass.
using Gradients = std::map<ir::Value, ir::Value>;
Gradients differentiate(ir::Graph &graph, const Request &request);

} // namespace popart::autodiff
