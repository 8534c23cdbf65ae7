// SPDX-License-Identifier: MIT
// Comparing and printing text views.
#include "poplar/StringRef.hpp"
#include <ostream>
#include <string_view>

namespace poplar {

int compare(StringRef a, StringRef b) noexcept {
  return std::string_view(a.data(), a.size()).compare(std::string_view(b.data(), b.size()));
}

std::ostream &operator<<(std::ostream &out, StringRef text) {
  return out << std::string_view(text.data(), text.size());
}

} // namespace poplar
