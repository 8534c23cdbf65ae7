// SPDX-License-Identifier: MIT
// The functions that the expressions of Operators.def use beside <cmath>. All of them are defined
// for every value: integers wrap around, shifts of the whole width or more leave nothing, division
// by zero gives zero.
#pragma once
#include "base/Simd.hpp"
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

extern "C" float erfcf(float) noexcept OPENIPU_VECTOR_MATH;

namespace popops::arithmetic {

template <class T> constexpr bool isFloat = std::is_floating_point_v<T>;

// Integers as unsigned, whose overflow is defined.
template <class T> OPENIPU_INLINE auto wrap(T x) {
  if constexpr (isFloat<T>)
    return x;
  else
    return std::make_unsigned_t<T>(x);
}
template <class T> OPENIPU_INLINE T absolute(T x) {
  if constexpr (isFloat<T>)
    return std::fabs(x);
  else
    return x < 0 ? T(-wrap(x)) : x;
}
template <class T> OPENIPU_INLINE T negate(T x) {
  if constexpr (isFloat<T>)
    return -x;
  else
    return T(-wrap(x));
}
template <class T> OPENIPU_INLINE T signum(T x) { return T(x > 0) - T(x < 0); }
template <class T> OPENIPU_INLINE T leadingZeros(T x) { return T(std::countl_zero(wrap(x))); }
template <class T> OPENIPU_INLINE T bitsSet(T x) { return T(std::popcount(wrap(x))); }

OPENIPU_INLINE bool isFinite(float x) {
  return (std::bit_cast<std::uint32_t>(x) & 0x7f800000u) != 0x7f800000u;
}
OPENIPU_INLINE bool isInf(float x) {
  return (std::bit_cast<std::uint32_t>(x) & 0x7fffffffu) == 0x7f800000u;
}
// Halves away from zero. x + 0.5 would round the largest value below one half up.
OPENIPU_INLINE float roundAway(float x) {
  const float whole = std::trunc(x), rest = std::fabs(x - whole);
  return std::copysign(std::fabs(whole) + (rest >= 0.5f ? 1.0f : 0.0f), x);
}
OPENIPU_INLINE float squareRoot(float x) { return std::sqrt(x); }
OPENIPU_INLINE std::int32_t squareRoot(std::int32_t x) {
  return x < 0 ? 0 : std::int32_t(std::sqrt(double(x)));
}
// erfc keeps the small values of the left tail.
OPENIPU_INLINE float geluErf(float x) { return 0.5f * x * erfcf(-0.70710678118654752f * x); }

template <class T> OPENIPU_INLINE T divide(T a, T b) {
  if constexpr (isFloat<T>)
    return a / b;
  else if (b == 0)
    return 0;
  else if constexpr (std::is_signed_v<T>)
    return b == -1 ? negate(a) : T(a / b);
  else
    return a / b;
}
template <class T> OPENIPU_INLINE T remainder(T a, T b) {
  if constexpr (isFloat<T>)
    return std::fmod(a, b);
  else if (b == 0)
    return 0;
  else if constexpr (std::is_signed_v<T>)
    return b == -1 ? T(0) : T(a % b);
  else
    return a % b;
}
OPENIPU_INLINE float power(float a, float b) { return powf(a, b); }
OPENIPU_INLINE std::int32_t power(std::int32_t a, std::int32_t b) {
  if (b < 0)
    return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
  std::uint32_t result = 1, base = std::uint32_t(a);
  for (std::uint32_t n = std::uint32_t(b); n; n >>= 1, base *= base)
    result *= n & 1 ? base : 1;
  return std::int32_t(result);
}

template <class T> constexpr unsigned width = 8 * sizeof(T);
template <class T> OPENIPU_INLINE T shiftLeft(T a, T b) {
  return wrap(b) < width<T> ? T(wrap(a) << wrap(b)) : T(0);
}
template <class T> OPENIPU_INLINE T shiftRight(T a, T b) {
  return wrap(b) < width<T> ? T(wrap(a) >> wrap(b)) : T(0);
}
template <class T> OPENIPU_INLINE T shiftRightSigned(T a, T b) {
  return a >> (wrap(b) < width<T> ? b : T(width<T> - 1));
}

} // namespace popops::arithmetic
