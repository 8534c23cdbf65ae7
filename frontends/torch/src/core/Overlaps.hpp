// SPDX-License-Identifier: MIT
// Transfers while the IPU computes: what poptorch.set_overlap_for_input and _for_output mark.
#pragma once
#include "core/Recording.hpp"
#include <map>
#include <popart/tensorlocation.hpp>

namespace poptorch {

constexpr const char *inputOverlap = "poptorch::set_overlap_for_input";
constexpr const char *outputOverlap = "poptorch::set_overlap_for_output";

// How inputs or outputs overlap, by the tensor that is one.
std::map<TensorNumber, popart::ExchangeStrategy> overlapsIn(const Recording &recording,
                                                            const std::string &marker);
// popart::error unless markers that overlap stand at inputs that nothing else uses, and at outputs
// that are returned once.
void checkOverlaps(const Recording &recording);

} // namespace poptorch
