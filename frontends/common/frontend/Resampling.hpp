// SPDX-License-Identifier: MIT
// Pictures at another resolution, one axis after the other: every output is the weighted sum of its
// neighbours. Places are computed in FLOAT, as the frameworks do, so that the neighbours are the
// same.
#pragma once
#include "frontend/Writing.hpp"

namespace frontend {

enum class Neighbours { Nearest = 1, Linear = 2, Cubic = 4 };

// An axis of `in` elements seen from `out` places: place i lies at scale * (i + shift) + start.
struct Line {
  std::int64_t in, out;
  float scale, shift = 0, start = 0;
};

// Input elements per output element. A scale that was given (outputs per input; else 0) counts more
// than the sizes, unless the corners are to fall together.
float scaleOf(std::int64_t in, std::int64_t out, bool corners, double given);

Value resampled(const Writing &w, Value x, std::int64_t axis, Neighbours neighbours,
                const Line &line);

} // namespace frontend
