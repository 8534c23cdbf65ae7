// SPDX-License-Identifier: MIT
// The operations of a reduction as types: what each element becomes (map), and how two partial
// results become one (combine). Both work on single values and on vectors of them. `Wide` holds
// results of long runs: sums of floats go to double after a few thousand terms, so that a sum of
// millions keeps the accuracy of float.
#pragma once
#include <base/Simd.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

// Vectors never cross a call: everything here is inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace popops::reduction {

template <class T> using WideOf = std::conditional_t<std::is_same_v<T, float>, double, T>;

template <class T> struct Plain {
  using Element = T;
  using Wide = WideOf<T>;
  static constexpr bool shifted = false; // map also takes a value per output
  template <class V> OPENIPU_INLINE static V map(const V &x) { return x; }
};

template <class T> struct Add : Plain<T> {
  static constexpr T identity() { return 0; }
  template <class V> OPENIPU_INLINE static V combine(const V &a, const V &b) { return a + b; }
};

template <class T> struct SquareAdd : Add<T> {
  template <class V> OPENIPU_INLINE static V map(const V &x) { return x * x; }
};

template <class T> struct Mul : Plain<T> {
  static constexpr T identity() { return 1; }
  template <class V> OPENIPU_INLINE static V combine(const V &a, const V &b) { return a * b; }
};

// NaN wins, whichever comes first.
template <class T> struct Min : Plain<T> {
  static constexpr T identity() {
    return std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity()
                                       : std::numeric_limits<T>::max();
  }
  template <class V> OPENIPU_INLINE static V combine(const V &a, const V &b) {
    return (b < a) | (b != b) ? b : a;
  }
};

template <class T> struct Max : Plain<T> {
  static constexpr T identity() {
    return std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity()
                                       : std::numeric_limits<T>::lowest();
  }
  template <class V> OPENIPU_INLINE static V combine(const V &a, const V &b) {
    return (b > a) | (b != b) ? b : a;
  }
};

struct And : Plain<std::uint8_t> {
  static constexpr std::uint8_t identity() { return 1; }
  template <class V> OPENIPU_INLINE static V map(const V &x) {
    return x - x + 1 < x ? x - x + 1 : x;
  }
  template <class V> OPENIPU_INLINE static V combine(const V &a, const V &b) { return a & b; }
};

struct Or : And {
  static constexpr std::uint8_t identity() { return 0; }
  template <class V> OPENIPU_INLINE static V combine(const V &a, const V &b) { return a | b; }
};

// The second pass of LOG_ADD: the sum of exp(x - m), where m is the output's maximum.
struct ExpAdd : Add<float> {
  static constexpr bool shifted = true;
};

// Zero, or NaN if an element is NaN.
struct FindNaN : Add<float> {
  template <class V> OPENIPU_INLINE static V map(const V &x) { return x == x ? V{} : x; }
};
// Infinity minus itself is NaN too.
struct FindNotFinite : Add<float> {
  template <class V> OPENIPU_INLINE static V map(const V &x) { return x - x; }
};

typedef std::uint32_t Bits8 __attribute__((vector_size(32)));
typedef std::uint32_t Bits16 __attribute__((vector_size(64)));
template <std::size_t bytes>
using BitsOf =
    std::conditional_t<bytes == 4, std::uint32_t, std::conditional_t<bytes == 32, Bits8, Bits16>>;

// The nearest half, kept as float: 11 significant bits, or a multiple of 2^-24 below 2^-14;
// infinity from 65520 on. In the bits, because the compiler may fuse multiplications and additions.
template <class V> OPENIPU_INLINE V nearestHalf(const V &x) {
  BitsOf<sizeof(V)> bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits = (bits + 0xfffu + (bits >> 13 & 1u)) & ~0x1fffu;
  static_assert(sizeof bits == sizeof x);
  V rounded;
  std::memcpy(&rounded, &bits, sizeof bits);
  V tiny = (x + 0.75f) - 0.75f;
  V size = x < 0 ? -x : x;
  V inRange = size < 6.103515625e-05f ? tiny : rounded;
  return size < 65520.0f ? inRange : x * 3.0e38f;
}

// Accumulates in half.
template <class Op> struct Rounded : Op {
  using Wide = typename Op::Element;
  template <class V> OPENIPU_INLINE static V combine(const V &a, const V &b) {
    return nearestHalf<V>(Op::combine(a, b));
  }
};

} // namespace popops::reduction
