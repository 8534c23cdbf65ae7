// SPDX-License-Identifier: MIT
// Blocks of IEEE half (16-bit patterns) to float and back, to nearest even. Uses the machine's
// instructions if it has them (found at run time), with the same results everywhere.
#pragma once
#include <cstddef>
#include <cstdint>

namespace popops {

void halfToFloat(const std::uint16_t *from, float *to, std::size_t n);
void floatToHalf(const float *from, std::uint16_t *to, std::size_t n);
// Each value becomes the nearest half, kept as float.
void roundToHalf(float *values, std::size_t n);

inline float halfToFloat(std::uint16_t half) {
  float value;
  halfToFloat(&half, &value, 1);
  return value;
}
inline std::uint16_t floatToHalf(float value) {
  std::uint16_t half;
  floatToHalf(&value, &half, 1);
  return half;
}

} // namespace popops
