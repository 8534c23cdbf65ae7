// SPDX-License-Identifier: MIT
// Half numbers by their definition, in double precision: the reference of tests.
#pragma once
#include <cmath>
#include <cstdint>

namespace base::testing {

// Value of a half by its definition.
inline double defined(std::uint16_t h) {
  const int exponent = (h >> 10) & 0x1f, mantissa = h & 0x3ff;
  const double sign = h & 0x8000 ? -1 : 1;
  if (exponent == 31)
    return mantissa ? std::nan("") : sign * INFINITY;
  return sign * (exponent ? std::ldexp(1024 + mantissa, exponent - 25) : std::ldexp(mantissa, -24));
}

// The half nearest to x, ties to even, by comparing with both neighbours.
inline std::uint16_t nearest(double x) {
  std::uint16_t low = 0, high = 0x7c00;
  const double magnitude = std::fabs(x);
  while (high - low > 1) {
    const auto middle = std::uint16_t((low + high) / 2);
    (defined(middle) <= magnitude ? low : high) = middle;
  }
  const double above = high == 0x7c00 ? 65536.0 : defined(high);
  const double toLow = magnitude - defined(low), toHigh = above - magnitude;
  const auto code = magnitude >= 65536                                    ? 0x7c00
                    : toLow < toHigh || (toLow == toHigh && low % 2 == 0) ? low
                                                                          : high;
  return std::uint16_t(code | (std::signbit(x) ? 0x8000 : 0));
}

} // namespace base::testing
