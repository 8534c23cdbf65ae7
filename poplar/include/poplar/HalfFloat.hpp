// SPDX-License-Identifier: MIT
// half: IEEE binary16, two bytes, rounded to nearest even after every operation. The compiler's own
// 16-bit float where there is one, so it mixes with float and int like any arithmetic type; else
// poplar::IeeeHalf.
#ifndef POPLAR_HALF_FLOAT_HPP
#define POPLAR_HALF_FLOAT_HPP
#include <limits>

#ifdef __FLT16_MAX__
__extension__ typedef _Float16 half;
#define OPENIPU_HALF_CONSTEXPR constexpr
#else
#include "poplar/IeeeHalf.hpp"
typedef poplar::IeeeHalf half; // IEEE half precision: 5 bits of exponent, 10 of mantissa
#define OPENIPU_HALF_CONSTEXPR inline
#endif

namespace poplar {
using ::half;
} // namespace poplar

// 1.5_h: a half as a literal.
OPENIPU_HALF_CONSTEXPR half operator"" _h(long double value) { return half(float(value)); }
OPENIPU_HALF_CONSTEXPR half operator"" _h(unsigned long long value) { return half(float(value)); }

#if defined(__FLT16_MAX__) && !defined(__STDCPP_FLOAT16_T__)
namespace std {

template <> class numeric_limits<half> {
public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false,
                        is_exact = false;
  static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true;
  static constexpr bool is_iec559 = true, is_bounded = true, is_modulo = false, traps = false;
  static constexpr bool tinyness_before = false, has_denorm_loss = false;
  static constexpr float_denorm_style has_denorm = denorm_present;
  static constexpr float_round_style round_style = round_to_nearest;
  static constexpr int digits = 11, digits10 = 3, max_digits10 = 5, radix = 2;
  static constexpr int min_exponent = -13, min_exponent10 = -4, max_exponent = 16,
                       max_exponent10 = 4;
  static constexpr half min() noexcept { return half(6.103515625e-05f); }
  static constexpr half max() noexcept { return half(65504.0f); }
  static constexpr half lowest() noexcept { return half(-65504.0f); }
  static constexpr half epsilon() noexcept { return half(0.0009765625f); }
  static constexpr half round_error() noexcept { return half(0.5f); }
  static constexpr half infinity() noexcept { return half(__builtin_huge_valf()); }
  static constexpr half quiet_NaN() noexcept { return half(__builtin_nanf("")); }
  static constexpr half signaling_NaN() noexcept { return half(__builtin_nansf("")); }
  static constexpr half denorm_min() noexcept { return half(5.9604644775390625e-08f); }
};

#ifdef __POPC__
// Without these a call with a half is ambiguous between float, double and long double.
// Builtins rather than <cmath>, which would double the time that a small codelet takes to compile.
#define OPENIPU_HALF_1(name)                                                                       \
  inline half name(half x) { return half(__builtin_##name##f(float(x))); }
#define OPENIPU_HALF_2(name)                                                                       \
  inline half name(half x, half y) { return half(__builtin_##name##f(float(x), float(y))); }
OPENIPU_HALF_1(fabs)
OPENIPU_HALF_1(sqrt)
OPENIPU_HALF_1(cbrt)
OPENIPU_HALF_1(exp)
OPENIPU_HALF_1(exp2)
OPENIPU_HALF_1(expm1)
OPENIPU_HALF_1(log)
OPENIPU_HALF_1(log2)
OPENIPU_HALF_1(log10)
OPENIPU_HALF_1(log1p)
OPENIPU_HALF_1(sin)
OPENIPU_HALF_1(cos)
OPENIPU_HALF_1(tan)
OPENIPU_HALF_1(asin)
OPENIPU_HALF_1(acos)
OPENIPU_HALF_1(atan)
OPENIPU_HALF_1(sinh)
OPENIPU_HALF_1(cosh)
OPENIPU_HALF_1(tanh)
OPENIPU_HALF_1(erf)
OPENIPU_HALF_1(erfc)
OPENIPU_HALF_1(floor)
OPENIPU_HALF_1(ceil)
OPENIPU_HALF_1(round)
OPENIPU_HALF_1(trunc)
OPENIPU_HALF_1(rint)
OPENIPU_HALF_1(nearbyint)
OPENIPU_HALF_2(pow)
OPENIPU_HALF_2(fmod)
OPENIPU_HALF_2(fmax)
OPENIPU_HALF_2(fmin)
OPENIPU_HALF_2(copysign)
OPENIPU_HALF_2(atan2)
OPENIPU_HALF_2(hypot)
#undef OPENIPU_HALF_1
#undef OPENIPU_HALF_2
inline half abs(half x) { return half(__builtin_fabsf(float(x))); }
inline half fma(half x, half y, half z) {
  return half(__builtin_fmaf(float(x), float(y), float(z)));
}
inline bool isnan(half x) { return __builtin_isnan(float(x)); }
inline bool isinf(half x) { return __builtin_isinf_sign(float(x)) != 0; }
inline bool isfinite(half x) { return __builtin_isfinite(float(x)); }
inline bool signbit(half x) { return __builtin_signbit(float(x)); }
#endif

} // namespace std
#endif

#endif
