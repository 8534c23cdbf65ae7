// SPDX-License-Identifier: MIT
// g where a == b, else 0, and the reverse: without a branch, for which elements are maxima nobody
// can predict.
#pragma once
#include "base/Simd.hpp"
#include <bit>
#include <cstdint>

namespace popnn {

OPENIPU_INLINE float ifEqual(float a, float b, float g) {
  const std::uint32_t all = 0u - std::uint32_t(a == b);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(g) & all);
}
OPENIPU_INLINE float ifUnequal(float a, float b, float g) {
  const std::uint32_t all = std::uint32_t(a == b) - 1u;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(g) & all);
}

} // namespace popnn
