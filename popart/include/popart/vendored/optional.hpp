// SPDX-License-Identifier: MIT
// nonstd::optional, as far as attributes of operators need it, for programs older than C++17.
#ifndef POPART_OPTIONAL_HPP
#define POPART_OPTIONAL_HPP
#include <memory>
#include <stdexcept>
#include <utility>

namespace nonstd {

struct nullopt_t {
  explicit constexpr nullopt_t(int) {}
};
static constexpr nullopt_t nullopt{0};

template <class T> class optional {
public:
  using value_type = T;
  optional() = default;
  optional(nullopt_t) {}
  optional(const T &value) : value_(new T(value)) {}
  optional(const optional &other) : value_(other.value_ ? new T(*other.value_) : nullptr) {}
  optional(optional &&) = default;
  optional &operator=(optional other) {
    std::swap(value_, other.value_);
    return *this;
  }

  template <class U> T &emplace(U &&value) {
    value_.reset(new T(std::forward<U>(value)));
    return *value_;
  }
  void reset() { value_.reset(); }
  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  const T &operator*() const { return *value_; }
  T &operator*() { return *value_; }
  const T *operator->() const { return value_.get(); }
  const T &value() const {
    if (!value_)
      throw std::logic_error("nonstd::optional: no value");
    return *value_;
  }
  T value_or(const T &otherwise) const { return value_ ? *value_ : otherwise; }

private:
  std::unique_ptr<T> value_;
};

} // namespace nonstd
#endif
