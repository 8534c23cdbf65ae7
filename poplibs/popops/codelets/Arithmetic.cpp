// SPDX-License-Identifier: MIT
R"codelet(// The functions that operators are made of (Operators.def), and the types that they compute with.
// The functions of <cmath> are declared one by one: the header would double the time that a vertex
// takes to compile.
#include <poplar/Vertex.hpp>

extern "C" {
float asinf(float);
float cbrtf(float);
float cosf(float);
float erff(float);
float erfcf(float);
float expf(float);
float expm1f(float);
float exp2f(float);
float logf(float);
float log1pf(float);
float sinf(float);
float tanf(float);
float tanhf(float);
float powf(float, float);
float atan2f(float, float);
}

namespace popops {
using namespace poplar;

template <class T> struct ComputeAs { typedef T type; };
template <> struct ComputeAs<half> { typedef float type; };
template <class T> using Computed = typename ComputeAs<T>::type;

template <class T> constexpr bool isFloat = std::is_floating_point<T>::value;
template <class T> auto wrap(T x) {
  if constexpr (isFloat<T>)
    return x;
  else
    return typename std::make_unsigned<T>::type(x);
}
template <class T> T absolute(T x) { return x < 0 ? T(-wrap(x)) : x; }
template <> inline float absolute(float x) { return __builtin_fabsf(x); }
template <class T> T negate(T x) { return T(-wrap(x)); }
template <class T> T signum(T x) { return T(x > 0) - T(x < 0); }
template <class T> T leadingZeros(T x) { return x ? T(__builtin_clz(unsigned(x))) : T(32); }
template <class T> T bitsSet(T x) { return T(__builtin_popcount(unsigned(x))); }
inline bool isFinite(float x) { return __builtin_isfinite(x); }
inline bool isInf(float x) { return __builtin_isinf(x); }
inline float roundAway(float x) { return __builtin_roundf(x); }
inline float squareRoot(float x) { return __builtin_sqrtf(x); }
inline int squareRoot(int x) { return x < 0 ? 0 : int(__builtin_sqrt(double(x))); }
inline float geluErf(float x) { return 0.5f * x * erfcf(-0.70710678118654752f * x); }
template <class T> T divide(T a, T b) {
  if constexpr (isFloat<T>)
    return a / b;
  else if (b == 0)
    return 0;
  else if constexpr (std::is_signed<T>::value)
    return b == -1 ? negate(a) : T(a / b);
  else
    return a / b;
}
template <class T> T remainder(T a, T b) {
  if constexpr (isFloat<T>)
    return __builtin_fmodf(a, b);
  else if (b == 0)
    return 0;
  else if constexpr (std::is_signed<T>::value)
    return b == -1 ? T(0) : T(a % b);
  else
    return a % b;
}
inline float power(float a, float b) { return powf(a, b); }
inline int power(int a, int b) {
  if (b < 0)
    return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
  unsigned result = 1, base = unsigned(a);
  for (unsigned n = unsigned(b); n; n >>= 1, base *= base)
    result *= n & 1 ? base : 1;
  return int(result);
}
template <class T> constexpr unsigned width = 8 * sizeof(T);
template <class T> T shiftLeft(T a, T b) {
  return wrap(b) < width<T> ? T(wrap(a) << wrap(b)) : T(0);
}
template <class T> T shiftRight(T a, T b) {
  return wrap(b) < width<T> ? T(wrap(a) >> wrap(b)) : T(0);
}
template <class T> T shiftRightSigned(T a, T b) {
  return a >> (wrap(b) < width<T> ? b : T(width<T> - 1));
}

// One specialisation of these is written for the operator asked for: Bool tells its result, of()
// computes it.
template <expr::UnaryOpType op> struct UnaryOf;
template <expr::BinaryOpType op> struct BinaryOf;
template <bool isBool, class T> struct ResultIf { typedef T type; };
template <class T> struct ResultIf<true, T> { typedef bool type; };
template <class Op, class T> using Result = typename ResultIf<Op::isBool, T>::type;
template <class Op, class T> Result<Op, T> apply(T x) {
  return Result<Op, T>(Op::of(Computed<T>(x)));
}
template <class Op, class T> Result<Op, T> apply(T a, T b) {
  return Result<Op, T>(Op::of(Computed<T>(a), Computed<T>(b)));
}
} // namespace popops
)codelet"
