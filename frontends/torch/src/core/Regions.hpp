// SPDX-License-Identifier: MIT
// Which part of its base a view is, where that is simple: what a write to the view changes.
#pragma once
#include "core/Call.hpp"

namespace poptorch {

struct Region {
  enum Kind { Reshaped, Permuted, Range, Other } kind = Other;
  Integers permutation; // Permuted: the view's dimension i is the base's permutation[i]
  std::int64_t axis = 0, begin = 0, end = 0; // Range: of one dimension of the base
};

// Of one output of a view operator whose base has this shape.
Region regionOf(const Call &view, std::size_t output, const Shape &base);

} // namespace poptorch
