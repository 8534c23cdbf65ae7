// SPDX-License-Identifier: MIT
// Float to IEEE half and back, on the host, as bit patterns.
#pragma once
#include <cstdint>

namespace popfloat {
namespace experimental {

// To nearest, ties to even. Values too large for half become the largest half of their sign, or a
// NaN if enNanoo ("NaN on overflow") is set; infinities count as too large. NaNs stay NaNs.
std::uint16_t singleToHalf(float value, bool enNanoo = false);

float halfToSingle(std::uint16_t value); // The value of a half, exactly.

} // namespace experimental
} // namespace popfloat
