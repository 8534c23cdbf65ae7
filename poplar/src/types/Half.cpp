// SPDX-License-Identifier: MIT
#include "types/Half.hpp"
#include "base/Half.hpp"
#include <bit>
#include <cmath>

namespace poplar::types {

// double to float, rounded to odd: rounding the result once more gives what rounding the double at
// once would give.
static float roundToOdd(double value) {
  const float nearest = static_cast<float>(value);
  if (nearest == value || std::isnan(value))
    return nearest;
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value))
    --bits; // the neighbour nearer to zero; below infinity it is the largest float
  return std::bit_cast<float>(bits | 1);
}

std::uint16_t doubleToHalf(double value) { return base::floatToHalf(roundToOdd(value)); }

} // namespace poplar::types
