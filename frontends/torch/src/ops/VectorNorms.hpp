// SPDX-License-Identifier: MIT
// The p-norm along axes, which several operators are made of.
#pragma once
#include "core/Call.hpp"

namespace poptorch {

// (sum |x|^p)^(1/p), with the limits of p = 0 (how many are not zero), inf and -inf. In float; the
// gradient is 0 where torch's is. Axes stay as 1 with keepDims.
Value normAlong(Call &c, Value x, double p, const Integers &axes, bool keepDims);

} // namespace poptorch
