// SPDX-License-Identifier: MIT
// The one exception of this library: a profile that cannot be read or written. The text names the
// file, what is wrong with it and what to do.
#pragma once
#include <stdexcept>
#include <string>

namespace pva {

class Error : public std::runtime_error {
public:
  explicit Error(const std::string &text) : std::runtime_error(text) {}
};

} // namespace pva
