// SPDX-License-Identifier: MIT
// Stochastic rounding: a value goes to one of its two neighbours, to the nearer with the larger
// probability, so that the mean of many results is the value. Random bits follow from a key and the
// number of the element, never from the order of the work.
#pragma once
#include "base/Half.hpp"
#include "base/Mix.hpp"

namespace base {

inline std::uint32_t randomBits(std::uint64_t key, std::uint64_t index) {
  return std::uint32_t(mix(key + index * 0xd1342543de82ef95ull) >> 32);
}

// A whole number at or beside x >= 0.
inline float stochasticFloor(float x, std::uint32_t random) {
  const float below = float(std::uint64_t(x)); // callers' values are small
  return below + (x - below > float(random >> 8) * 0x1p-24f ? 1.0f : 0.0f);
}

// As base::floatToHalf, but finite values above the largest half that do not reach 65536 stay it.
inline std::uint16_t stochasticHalf(float value, std::uint32_t random) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude >= 0x477fe000) // 65504 and more, and NaN
    return magnitude < 0x47800000 ? std::uint16_t(sign | 0x7bff) : floatToHalf(value);
  if (magnitude < 0x38800000) // steps of 2^-24
    return std::uint16_t(
        sign | std::uint32_t(stochasticFloor(std::bit_cast<float>(magnitude) * 0x1p24f, random)));
  return std::uint16_t(sign | ((magnitude - ((127 - 15) << 23) + (random & 0x1fff)) >> 13));
}

// n halves, `stride` apart, from floats side by side; the first is element `index`.
void stochasticHalves(const float *from, std::uint16_t *to, std::int64_t stride, std::size_t n,
                      std::uint64_t key, std::uint64_t index);
// n floats in place, to values that are halves; the first is element 0.
void roundToHalfStochastically(float *values, std::size_t n, std::uint64_t key);

} // namespace base
