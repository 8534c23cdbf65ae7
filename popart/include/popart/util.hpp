// SPDX-License-Identifier: MIT
// Small helpers that custom operators use.
#ifndef POPART_UTIL_HPP
#define POPART_UTIL_HPP
#include <popart/names.hpp>

namespace popart {

// A vector with every element converted: vXtoY<int64_t, size_t>(shape).
template <class X, class Y> std::vector<Y> vXtoY(const std::vector<X> &from) {
  std::vector<Y> out;
  out.reserve(from.size());
  for (const auto &x : from)
    out.push_back(static_cast<Y>(x));
  return out;
}
// The elements of one, then those of the other.
template <class T> std::vector<T> vector_concat(std::vector<T> a, const std::vector<T> &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

} // namespace popart
#endif
