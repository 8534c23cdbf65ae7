// SPDX-License-Identifier: MIT
// The attributes of a node by name: numbers, texts, lists of them, tensors.
#pragma once
#include "ir/hosttensor.hpp"
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace popart::ir {

using Integers = std::vector<std::int64_t>;
using Attribute = std::variant<std::int64_t, float, std::string, Integers, std::vector<float>,
                               std::vector<std::string>, HostTensor>;

class Attributes {
public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<const std::string, Attribute>> list) : all_(list) {}

  void set(const std::string &name, Attribute value) { all_[name] = std::move(value); }
  void erase(const std::string &name) { all_.erase(name); }
  bool has(const std::string &name) const { return all_.count(name) != 0; }
  // The value, or nothing when absent; an attribute of another type is popart::error.
  template <class T> std::optional<T> find(const std::string &name) const {
    auto it = all_.find(name);
    if (it == all_.end())
      return std::nullopt;
    if (const T *value = std::get_if<T>(&it->second))
      return *value;
    wrongType(name);
  }
  const std::map<std::string, Attribute> &all() const { return all_; }

private:
  [[noreturn]] static void wrongType(const std::string &name);
  std::map<std::string, Attribute> all_;
};

std::string text(const Attribute &attribute);

} // namespace popart::ir
