// SPDX-License-Identifier: MIT
// exp of sixteen floats that are not positive, inlined where the compiler would call a function for
// every vector. Within 1e-7 of the true value, relatively; below e^-87 it is 0.
#pragma once
#include "base/Lanes.hpp"

namespace base {

// x = n ln 2 + r with |r| <= ln 2 / 2, and exp(x) = 2^n exp(r). Adding 1.5 * 2^23 rounds to an
// integer, which is then in the lowest bits.
OPENIPU_INLINE void exponential(Lanes &x) {
  typedef int Ints __attribute__((vector_size(4 * lanes), aligned(4), may_alias));
  const float least = -87.0f, magic = 12582912.0f;
  const Ints tiny = x < least;
  x = tiny ? least - Lanes{} : x;
  const Lanes shifted = x * 1.44269504f + magic;
  const Lanes n = shifted - magic;
  const Lanes r = (x - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f; // ln 2 in two parts
  // The polynomial of degree 6 with the least relative error.
  Lanes p = r * 0.00138367945f + 0.00837485772f;
  p = p * r + 0.0416682288f;
  p = p * r + 0.166664198f;
  p = p * r + 0.499999911f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const Ints power = (reinterpret_cast<const Ints &>(shifted) << 23) + 0x3f800000;
  p *= reinterpret_cast<const Lanes &>(power);
  x = tiny ? Lanes{} : p;
}

} // namespace base
