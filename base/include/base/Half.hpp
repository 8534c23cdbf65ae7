// SPDX-License-Identifier: MIT
// IEEE half (16-bit patterns) to float and back: to nearest, ties to even, too large values become
// infinity, NaN stays NaN and quiet. Arrays use the machine's instructions if it has them
// (VectorUnit.hpp), with the same results everywhere.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

namespace base {

inline float halfToFloat(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t(half & 0x8000) << 16, magnitude = half & 0x7fff;
  if (magnitude < 0x400) // zero and subnormals: exact
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(float(magnitude) * 0x1p-24f));
  if (magnitude < 0x7c00)
    return std::bit_cast<float>(sign | ((magnitude << 13) + ((127 - 15) << 23)));
  return std::bit_cast<float>(sign | 0x7f800000u | (magnitude << 13) |
                              (magnitude > 0x7c00 ? 0x400000u : 0));
}

inline std::uint16_t floatToHalf(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return std::uint16_t(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  if (magnitude >= 0x47800000) // 65536 and more
    return std::uint16_t(sign | 0x7c00);
  if (magnitude < 0x38800000) { // below the smallest normal half: count steps of 2^-24
    // Adding 2^-1 leaves the steps, rounded to even, in the low bits.
    const auto steps = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f);
    return std::uint16_t(sign | (steps - 0x3f000000));
  }
  // Rounding may carry into the exponent, up to infinity: that is the right answer.
  const std::uint32_t odd = magnitude >> 13 & 1;
  return std::uint16_t(sign | ((magnitude - ((127 - 15) << 23) + 0xfff + odd) >> 13));
}

void halfToFloat(const std::uint16_t *from, float *to, std::size_t n);
void floatToHalf(const float *from, std::uint16_t *to, std::size_t n);
// Each value becomes the nearest half, kept as float.
void roundToHalf(float *values, std::size_t n);

// What becomes of finite values that are too large for a half: infinity (IEEE), the largest half,
// or NaN.
enum class HalfOverflow : std::uint8_t { Infinite, Largest, Nan };
// Whether any may be too large: so large, infinite or NaN.
bool mayOverflowHalf(const float *values, std::size_t n);
// Makes those that are too large what they become; the others stay, infinities too.
void limitToHalf(float *values, std::size_t n, HalfOverflow overflow);
bool hasInfinity(const std::uint16_t *halves, std::size_t n);
// Of halves that are infinite, because they were too large.
void limitInfinities(std::uint16_t *halves, std::size_t n, HalfOverflow overflow);

} // namespace base
