// SPDX-License-Identifier: MIT
// popart::any: a value of any copyable type, for programs older than C++17.
#ifndef POPART_ANY_HPP
#define POPART_ANY_HPP
#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace popart {

class bad_any_cast : public std::bad_cast {
public:
  const char *what() const noexcept override { return "popart::any holds another type"; }
};

class any {
public:
  any() = default;
  template <class T, class = typename std::enable_if<
                         !std::is_same<typename std::decay<T>::type, any>::value>::type>
  any(T &&value) : held_(new Held<typename std::decay<T>::type>(std::forward<T>(value))) {}
  any(const any &other) : held_(other.held_ ? other.held_->clone() : nullptr) {}
  any(any &&) = default;
  any &operator=(any other) {
    std::swap(held_, other.held_);
    return *this;
  }

  bool empty() const { return !held_; }
  bool has_value() const { return held_ != nullptr; }
  const std::type_info &type() const { return held_ ? held_->type() : typeid(void); }
  template <class T> const T *get() const {
    return held_ && held_->type() == typeid(T) ? &static_cast<const Held<T> *>(held_.get())->value
                                               : nullptr;
  }

private:
  struct Base {
    virtual ~Base() {}
    virtual Base *clone() const = 0;
    virtual const std::type_info &type() const = 0;
  };
  template <class T> struct Held : Base {
    explicit Held(T v) : value(std::move(v)) {}
    Base *clone() const override { return new Held(value); }
    const std::type_info &type() const override { return typeid(T); }
    T value;
  };
  std::unique_ptr<Base> held_;
};

template <class T> T any_cast(const any &a) {
  const auto *value = a.get<typename std::decay<T>::type>();
  if (!value)
    throw bad_any_cast();
  return *value;
}

} // namespace popart
#endif
