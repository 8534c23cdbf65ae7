// SPDX-License-Identifier: MIT
// A view of a contiguous array that somebody else owns. A view made from a brace list lives only as
// long as the full expression, so a function that keeps the elements copies them.
#pragma once
#include <array>
#include <cstddef>
#include <initializer_list>
#include <ostream>
#include <type_traits>
#include <vector>

namespace gccs {

template <class T> class ArrayRef {
public:
  using value_type = T;
  using const_iterator = const T *;
  using iterator = const_iterator;
  using size_type = std::size_t;

  constexpr ArrayRef() noexcept : data_(nullptr), size_(0) {}
  constexpr ArrayRef(const T *data, std::size_t size) noexcept : data_(data), size_(size) {}
  template <class Allocator>
  ArrayRef(const std::vector<T, Allocator> &v) noexcept : data_(v.data()), size_(v.size()) {}
  // ArrayRef<const U> of a vector of U.
  template <class U, class Allocator,
            class = typename std::enable_if<std::is_same<const U, T>::value>::type>
  ArrayRef(const std::vector<U, Allocator> &v) noexcept : data_(v.data()), size_(v.size()) {}
  template <std::size_t N>
  constexpr ArrayRef(const std::array<T, N> &a) noexcept : data_(a.data()), size_(N) {}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 9
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  ArrayRef(std::initializer_list<T> list) noexcept
      : data_(list.size() ? list.begin() : nullptr), size_(list.size()) {}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 9
#pragma GCC diagnostic pop
#endif
  // Arrays of pointers whose targets differ in qualifiers: T * to const T *.
  template <class U, class = typename std::enable_if<
                         std::is_pointer<U>::value && !std::is_same<U, T>::value &&
                         std::is_convertible<const U *, const T *>::value>::type>
  ArrayRef(ArrayRef<U> other) noexcept : data_(other.data()), size_(other.size()) {}

  constexpr const T *data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr const T *begin() const noexcept { return data_; }
  constexpr const T *end() const noexcept { return data_ + size_; }
  constexpr const T *cbegin() const noexcept { return data_; }
  constexpr const T *cend() const noexcept { return data_ + size_; }
  constexpr const T &operator[](std::size_t i) const { return data_[i]; }
  constexpr const T &front() const { return data_[0]; }
  constexpr const T &back() const { return data_[size_ - 1]; }
  // A copy that owns its elements.
  std::vector<T> cloneAsVector() const { return std::vector<T>(begin(), end()); }

private:
  const T *data_;
  std::size_t size_;
};

template <class T> bool operator==(ArrayRef<T> a, ArrayRef<T> b) {
  if (a.size() != b.size())
    return false;
  for (std::size_t i = 0; i != a.size(); ++i)
    if (!(a[i] == b[i]))
      return false;
  return true;
}
template <class T> bool operator!=(ArrayRef<T> a, ArrayRef<T> b) { return !(a == b); }

// {1,2,3}, if the elements can be written.
template <class T>
auto operator<<(std::ostream &out, const ArrayRef<T> &a) -> decltype(out << a[0], out) {
  out << '{';
  for (std::size_t i = 0; i != a.size(); ++i)
    out << (i ? "," : "") << a[i];
  return out << '}';
}

} // namespace gccs
