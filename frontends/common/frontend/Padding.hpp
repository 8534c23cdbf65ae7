// SPDX-License-Identifier: MIT
// Elements put around a tensor, or cut off where an amount is negative.
#pragma once
#include "frontend/Writing.hpp"

namespace frontend {

// Amounts of every dimension. Modes: constant (`value`), reflect, replicate, circular.
Value padded(const Writing &w, Value x, const Integers &begins, const Integers &ends,
             const std::string &mode, double value = 0);

} // namespace frontend
