// SPDX-License-Identifier: MIT
// How an operator works on a part of a batch: which of its inputs are cut and along which axes its
// outputs are cut then.
#pragma once
#include "opdef/graphbuilder.hpp"
#include <optional>

namespace popart::analysis {

struct BatchRule {
  std::vector<std::int64_t> inputs, outputs; // axes; -1: whole
  bool adds = false;                         // output 0 is the sum over the parts
  std::map<std::string, Shape> shapes;       // attributes of a part that differ
};

// `axes`: along which its inputs are cut, -1 where they are not. None: it needs them whole.
std::optional<BatchRule> batchRule(const ops::OpView &op, const std::vector<std::int64_t> &axes,
                                   std::int64_t parts);

} // namespace popart::analysis
