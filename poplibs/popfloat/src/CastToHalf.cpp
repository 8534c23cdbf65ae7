// SPDX-License-Identifier: MIT
// Conversions by bit patterns, so that they are the same on every host.
#include "popfloat/experimental/CastToHalf.hpp"
#include "popfloat/codelets.hpp"
#include <cmath>
#include <cstring>

namespace popfloat {

void addCodelets(poplar::Graph &) {}

namespace experimental {
namespace {

constexpr std::uint16_t largest = 0x7bff, quietNaN = 0x7e00;

// A magnitude below 65520 in units of 2^-24, the smallest half, or coarser for large ones.
std::uint16_t roundMagnitude(float magnitude) {
  int exponent = 0;
  std::frexp(magnitude, &exponent);                      // magnitude < 2^exponent
  const int unit = exponent < -13 ? -24 : exponent - 11; // weight of the last bit
  const auto steps = std::uint32_t(std::nearbyint(std::ldexp(magnitude, -unit)));
  // Rounding up to the next power of two carries into the exponent, as it should.
  return std::uint16_t(steps + (std::uint32_t(unit + 24) << 10));
}

} // namespace

std::uint16_t singleToHalf(float value, bool enNanoo) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const float magnitude = std::fabs(value);
  if (std::isnan(value))
    return sign | quietNaN;
  if (magnitude >= 65520.0f) // half way from the largest half to the next step
    return sign | (enNanoo ? quietNaN : largest);
  return sign | (magnitude == 0 ? 0 : roundMagnitude(magnitude));
}

float halfToSingle(std::uint16_t value) {
  const unsigned exponent = value >> 10 & 0x1f, fraction = value & 0x3ff;
  float magnitude;
  if (exponent == 0x1f) {
    const std::uint32_t bits = 0x7f800000u | fraction << 13; // infinity, or NaN with its payload
    std::memcpy(&magnitude, &bits, sizeof bits);
  } else {
    magnitude = exponent ? std::ldexp(float(fraction | 0x400), int(exponent) - 25)
                         : std::ldexp(float(fraction), -24);
  }
  return std::copysign(magnitude, value & 0x8000 ? -1.0f : 1.0f);
}

} // namespace experimental
} // namespace popfloat
