// SPDX-License-Identifier: MIT
#include "base/Environment.hpp"
#include "base/Text.hpp"
#include <charconv>
#include <cstdlib>
#include <stdexcept>

namespace base {

std::uint64_t numberFromEnvironment(const char *name, std::uint64_t otherwise, std::uint64_t least,
                                    std::uint64_t most) {
  const char *value = std::getenv(name);
  if (!value || !*value)
    return otherwise;
  const std::string_view text(value);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most)
    throw std::invalid_argument(
        str(name, " must be a number from ", least, " to ", most, ", not \"", brief(text), "\"."));
  return number;
}

std::string textFromEnvironment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

} // namespace base
