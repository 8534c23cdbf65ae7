// SPDX-License-Identifier: MIT
// Scans written from code, and the gradients of loops: the same loop run backwards, as a Scan.
#pragma once
#include "opdef/graphbuilder.hpp"

namespace popart::ops {

// A Scan in its canonical form, in parts.
struct ScanParts {
  std::shared_ptr<const ir::Graph> body; // states, slices, outer values -> states, stacked values
  Values states, scanned, outer;
  Integers inputAxes, inputBackwards;   // one per scanned input; backwards: from the end
  Integers outputAxes, outputBackwards; // one per stacked output
  // So many of the last stacked outputs are for the gradient alone: made only where it uses them.
  std::int64_t kept = 0;
  // What a body that draws numbers draws by, and whether it takes a forward loop's iterations in
  // reverse.
  std::int64_t seedModifier = 0;
  bool fromTheEnd = false;
};

// What a value of a body is before it was renamed (Identity).
Value sourceOf(const ir::Graph &body, Value v);

// The node; gives the last states, then what is stacked.
Values appendScan(GraphBuilder &b, const ScanParts &scan);

// Gradients of states, scanned and outer values, in this order. `made` is what the forward loop
// gave; where that does not hold the states of all iterations, it runs once more to keep them.
Values scanGradients(GradBuilder &g, const ScanParts &scan, const Values &made);

} // namespace popart::ops
