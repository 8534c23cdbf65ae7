// SPDX-License-Identifier: MIT
// Writes JSON as text, front to back: a view of a large report is millions of numbers, and a tree
// of values in between would take ten times their room. Commas come by themselves.
#pragma once
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace popvision {

class Json {
public:
  // object([&] { json("key", value)("other", value); })
  template <class Body> Json &object(Body body) {
    open('{');
    body();
    return close('}');
  }
  template <class Body> Json &array(Body body) {
    open('[');
    body();
    return close(']');
  }
  Json &key(std::string_view name) {
    value(name);
    text_ += ':';
    first_ = true;
    return *this;
  }
  template <class T> Json &operator()(std::string_view name, const T &content) {
    return key(name).value(content);
  }
  Json &value(std::string_view content);
  Json &value(const char *content) { return value(std::string_view(content)); }
  Json &value(const std::string &content) { return value(std::string_view(content)); }
  Json &value(bool content) { return raw(content ? "true" : "false"); }
  Json &value(double content);
  template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) Json &value(T content) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, content).ptr;
    return raw(std::string_view(digits, std::size_t(end - digits)));
  }
  template <class T> Json &value(const std::vector<T> &items) {
    return array([&] {
      for (const auto &item : items)
        value(item);
    });
  }
  template <class T> Json &value(const std::vector<std::pair<std::string, T>> &items) {
    return object([&] {
      for (const auto &[name, content] : items)
        (*this)(name, content);
    });
  }
  template <class T> Json &value(const std::optional<T> &content) {
    return content ? value(*content) : null();
  }
  // A record (Records.hpp).
  template <class T>
  requires requires(Json &json, const T &record) { writeFields(json, record); }
  Json &value(const T &record) {
    return object([&] { writeFields(*this, record); });
  }
  Json &null() { return raw("null"); }
  Json &raw(std::string_view json) { // already JSON
    separate();
    text_ += json;
    return *this;
  }
  std::string take() { return std::move(text_); }

private:
  void separate() {
    if (!first_)
      text_ += ',';
    first_ = false;
  }
  void open(char bracket) {
    separate();
    text_ += bracket;
    first_ = true;
  }
  Json &close(char bracket) {
    text_ += bracket;
    first_ = false;
    return *this;
  }
  std::string text_;
  bool first_ = true;
};

} // namespace popvision
