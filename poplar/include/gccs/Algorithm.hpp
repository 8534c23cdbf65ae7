// SPDX-License-Identifier: MIT
// Integer arithmetic that planners need: rounding divisions, alignment, logarithms, balanced
// splits.
#pragma once
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace gccs {

// a / b rounded up; a and b not negative, b not zero.
template <class A, class B> constexpr typename std::common_type<A, B>::type ceildiv(A a, B b) {
  using R = typename std::common_type<A, B>::type;
  return R(R(a) / R(b) + (R(a) % R(b) != 0 ? 1 : 0));
}

// a / b rounded down.
template <class A, class B> constexpr typename std::common_type<A, B>::type floordiv(A a, B b) {
  using R = typename std::common_type<A, B>::type;
  return R(R(a) / R(b));
}

// The smallest multiple of b that is at least a, and the largest that is at most a.
template <class A, class B> constexpr typename std::common_type<A, B>::type alignNext(A a, B b) {
  using R = typename std::common_type<A, B>::type;
  return R(R(ceildiv(a, b)) * R(b));
}
template <class A, class B> constexpr typename std::common_type<A, B>::type alignPrev(A a, B b) {
  using R = typename std::common_type<A, B>::type;
  return R(R(floordiv(a, b)) * R(b));
}

// The smallest n with base^n >= value.
template <class V, class B> constexpr unsigned ceilLog(V value, B base) {
  return value <= V(1) ? 0u : 1u + ceilLog(ceildiv(value, base), base);
}

// The logarithm to base 2, rounded up.
template <class V> constexpr unsigned ceilLog2(V value) { return ceilLog(value, V(2)); }

// 0 + 1 + ... + n.
template <class T> constexpr T nthTriangular(T n) {
  return T(n % 2 == 0 ? (n / 2) * (n + 1) : ((n + 1) / 2) * n);
}

// Part `index` of [0, total) in `parts` pieces whose sizes differ by one at most, as a half-open
// range.
template <class T> constexpr std::pair<T, T> balancedPartition(T total, T parts, T index) {
  return std::pair<T, T>(
      T(index * (total / parts) + (index < total % parts ? index : total % parts)),
      T((index + 1) * (total / parts) + (index + 1 < total % parts ? index + 1 : total % parts)));
}
// The sizes of all those parts, the larger ones first.
template <class T> std::vector<T> balancedPartition(T total, T parts) {
  std::vector<T> sizes;
  for (T i = 0; i < parts; ++i)
    sizes.push_back(T(total / parts + (i < total % parts ? 1 : 0)));
  return sizes;
}

} // namespace gccs
