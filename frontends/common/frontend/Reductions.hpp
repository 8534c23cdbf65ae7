// SPDX-License-Identifier: MIT
// Axes, and norms along them.
#pragma once
#include "frontend/Writing.hpp"

namespace frontend {

Integers allAxes(std::size_t rank);
// Made positive and sorted, each once; a tensor without dimensions has none.
Integers axesOf(const Writing &w, Integers given, std::size_t rank);

// x ^ (1 / p), whose slope is infinite at 0: 0 there, with a gradient of 0.
Value rooted(const Writing &w, Value x, double p);

// Of equal extremes each has the whole gradient, or they share it.
enum class Ties { Share, Whole };
Value extreme(const Writing &w, const char *type, Value x, const Integers &axes, bool keepDims,
              Ties ties);
// (sum |x|^p)^(1/p), with the limits of p = 0 (how many are not zero), inf and -inf; in FLOAT. The
// gradient is 0 where x is.
Value norm(const Writing &w, Value x, double p, const Integers &axes, bool keepDims,
           Ties ties = Ties::Share);

} // namespace frontend
