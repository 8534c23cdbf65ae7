// SPDX-License-Identifier: MIT
// Converters by the names of the operators that they convert. A front end's own Registry derives
// from this; its all() is written by the build from the files of src/ops (cmake/Frontend.cmake).
#pragma once
#include "frontend/Writing.hpp"
#include <cctype>
#include <map>
#include <popart/error.hpp>
#include <string>
#include <vector>

namespace frontend {

// "acos" -> "Acos": many functions are called alike everywhere.
inline std::string capital(std::string name) {
  name[0] = char(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

template <class Converter> class Converters {
public:
  void add(const std::string &name, Converter converter) {
    if (!converters_.emplace(name, std::move(converter)).second)
      throw popart::internal_error("Two converters for {}.", name);
  }
  const Converter *find(const std::string &name) const {
    const auto it = converters_.find(name);
    return it == converters_.end() ? nullptr : &it->second;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto &[name, converter] : converters_)
      out.push_back(name);
    return out;
  }

private:
  std::map<std::string, Converter> converters_;
};

// Runs a converter. What PopART says of it is told as the front end's error, with the operator;
// errors of the front end's own kinds and broken invariants go through.
template <class... Own, class Convert> auto converting(const Writing &call, Convert convert) {
  try {
    return convert();
  } catch (const popart::internal_error &) {
    throw;
  } catch (const popart::error &e) {
    if ((dynamic_cast<const Own *>(&e) || ...))
      throw;
    call.fail(e.what());
  }
}

} // namespace frontend
