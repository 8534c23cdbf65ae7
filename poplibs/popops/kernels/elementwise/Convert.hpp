// SPDX-License-Identifier: MIT
// One value from one type to another, as casts do it: floats are truncated, and what does not fit
// an 8-bit integer (or does not fit any integer, coming from a float) becomes the nearest value
// that does; NaN becomes zero. Wider integers wrap around.
#pragma once
#include "base/Simd.hpp"
#include <cstdint>
#include <limits>
#include <type_traits>

namespace popops::arithmetic {

// The largest float that is not above the largest value of To.
template <class To> OPENIPU_INLINE constexpr float largestBelow() {
  constexpr int bits = std::numeric_limits<To>::digits;
  return bits <= 24
             ? float(std::numeric_limits<To>::max())
             : float(std::uint64_t(std::numeric_limits<To>::max()) >> (bits - 24) << (bits - 24));
}

template <class To, class From> OPENIPU_INLINE To convert(From x) {
  if constexpr (std::is_same_v<To, bool>)
    return x != From(0);
  else if constexpr (std::is_same_v<From, bool> || std::is_floating_point_v<To>)
    return To(x);
  else if constexpr (std::is_floating_point_v<From>) {
    const From low = From(std::numeric_limits<To>::min()), high = largestBelow<To>();
    const From known = x == x ? x : From(0);
    const From above = known < low ? low : known;
    return To(above > high ? high : above);
  } else if constexpr (sizeof(To) == 1) {
    using Wide = std::conditional_t<std::is_signed_v<From>, std::int64_t, std::uint64_t>;
    const Wide value = Wide(x), high = Wide(std::numeric_limits<To>::max());
    if constexpr (std::is_signed_v<From>) {
      const Wide low = Wide(std::numeric_limits<To>::min());
      return To(value < low ? low : value > high ? high : value);
    } else
      return To(value > high ? high : value);
  } else
    return To(x);
}

} // namespace popops::arithmetic
