// SPDX-License-Identifier: MIT
// The attributes of a node, as the factory of a custom operator reads them.
#ifndef POPART_ATTRIBUTES_HPP
#define POPART_ATTRIBUTES_HPP
#include <popart/names.hpp>
#include <popart/vendored/any.hpp>

namespace popart {

class Attributes {
public:
  // Types of attributes.
  using Int = std::int64_t;
  using Ints = std::vector<std::int64_t>;
  using Float = float;
  using Floats = std::vector<float>;
  using String = std::string;
  using Strings = std::vector<std::string>;

  // Whether there is one of this name.
  bool hasAttribute(const std::string &name) const { return all_.count(name) != 0; }
  template <class T> T getAttribute(const std::string &name, const T &otherwise) const {
    return hasAttribute(name) ? getAttribute<T>(name) : otherwise;
  }
  // Whole numbers are taken for floats as well.
  template <class T> T getAttribute(const std::string &name) const {
    const any &held = find(name);
    if (const auto *value = held.get<T>())
      return *value;
    T out = T();
    if (!convert(held, out))
      otherType(name);
    return out;
  }
  // Changes the value only if there is such an attribute.
  template <class T> void set(T &value, const std::string &name) const {
    if (hasAttribute(name))
      value = getAttribute<T>(name);
  }
  // Sets or overwrites.
  void setAttribute(const std::string &name, const any &value) { all_[name] = value; }
  const std::map<std::string, any> &all() const { return all_; } // by name

private:
  const any &find(const std::string &name) const; // popart::error if there is none
  [[noreturn]] static void otherType(const std::string &name);
  template <class T> static bool convert(const any &, T &) { return false; }
  static bool convert(const any &held, float &out);
  static bool convert(const any &held, std::vector<float> &out);
  std::map<std::string, any> all_;
};

} // namespace popart
#endif
