// SPDX-License-Identifier: MIT
// A half-open range [begin, end).
#pragma once
#include <cstddef>
#include <ostream>

namespace poplar {

// The numbers from begin up to, not including, end.
template <class T> class GenericInterval {
public:
  using value_type = T;
  constexpr GenericInterval() : begin_(), end_() {}
  constexpr GenericInterval(const T &begin, const T &end) : begin_(begin), end_(end) {}
  constexpr const T &begin() const { return begin_; }
  constexpr const T &end() const { return end_; }
  constexpr const T &lower() const { return begin_; } // the first number: the same as begin()
  constexpr const T &upper() const { return end_; } // the number after the last: the same as end()
  constexpr T size() const { return end_ - begin_; }

  friend constexpr bool operator==(const GenericInterval &a, const GenericInterval &b) {
    return a.begin_ == b.begin_ && a.end_ == b.end_;
  }
  friend constexpr bool operator!=(const GenericInterval &a, const GenericInterval &b) {
    return !(a == b);
  }
  // By begin, then by end.
  friend constexpr bool operator<(const GenericInterval &a, const GenericInterval &b) {
    return a.begin_ < b.begin_ || (a.begin_ == b.begin_ && a.end_ < b.end_);
  }
  friend constexpr bool operator>(const GenericInterval &a, const GenericInterval &b) {
    return b < a;
  }
  friend constexpr bool operator<=(const GenericInterval &a, const GenericInterval &b) {
    return !(b < a);
  }
  friend constexpr bool operator>=(const GenericInterval &a, const GenericInterval &b) {
    return !(a < b);
  }

private:
  T begin_, end_;
};

using Interval = GenericInterval<std::size_t>;

template <class T> std::ostream &operator<<(std::ostream &out, const GenericInterval<T> &i) {
  return out << '[' << i.begin() << ',' << i.end() << ')';
}

} // namespace poplar
