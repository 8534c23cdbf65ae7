// SPDX-License-Identifier: MIT
#include "Access.hpp"
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <sys/random.h>

namespace popvision {

std::string makeToken() {
  unsigned char bytes[16];
  if (::getrandom(bytes, sizeof bytes, 0) != ssize_t(sizeof bytes))
    throw std::runtime_error(std::string("No random numbers for a token: ") + std::strerror(errno));
  std::string text;
  for (const auto byte : bytes)
    for (const auto digit : {byte >> 4, byte & 15})
      text += "0123456789abcdef"[digit];
  return text;
}

std::string cookieName(int port) { return "popvision-" + std::to_string(port); }

std::string cookieOf(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const auto end = std::min(header.find(';'), header.size());
    auto one = header.substr(0, end);
    header.remove_prefix(std::min(end + 1, header.size()));
    while (!one.empty() && one.front() == ' ')
      one.remove_prefix(1);
    if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=')
      return std::string(one.substr(name.size() + 1));
  }
  return "";
}

bool sameSecret(std::string_view a, std::string_view b) {
  if (a.size() != b.size())
    return false;
  unsigned char different = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    different |= static_cast<unsigned char>(a[i] ^ b[i]);
  return different == 0;
}

} // namespace popvision
