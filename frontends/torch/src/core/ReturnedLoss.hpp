// SPDX-License-Identifier: MIT
// Whether what a model returns is what it minimises: an output that is computed from the loss, but
// is not the loss, looks as if it were.
#pragma once
#include "core/Recording.hpp"

namespace poptorch {

struct Derived {
  std::size_t output = 0;               // its place among the recording's outputs
  const Operation *operation = nullptr; // that made another value of the loss
};

// Outputs whose values, with their gradients, are computed from the loss. One that is the loss
// itself, in another shape or type, is not among them.
std::vector<Derived> derivedFromLoss(const Recording &recording, const Operation &loss);

} // namespace poptorch
