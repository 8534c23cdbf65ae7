// SPDX-License-Identifier: MIT
// Orders of equal keys that are not those of a stable sort: what the algorithms of the C++ library,
// which only look at keys, leave of the order they were given. Smaller keys are better.
#pragma once
#include "popops/kernels/Sort.hpp"
#include "sort/Select.hpp"

namespace popops::sorting {

// `chosen` are the best k in stable order; they are returned if no two keys are equal.
std::vector<Candidate> inTieOrder(const std::vector<std::uint32_t> &keys,
                                  std::vector<Candidate> chosen, kernels::TieOrder ties,
                                  bool sorted);

} // namespace popops::sorting
