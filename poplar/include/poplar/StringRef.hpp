// SPDX-License-Identifier: MIT
// A view of characters that somebody else owns; converts to and from std::string. Not
// null-terminated.
#pragma once
#include <cstring>
#include <functional>
#include <iosfwd>
#include <poplar/ArrayRef.hpp>
#include <string>

namespace poplar {

class StringRef : public ArrayRef<char> {
public:
  StringRef() noexcept {}
  StringRef(const char *text) noexcept : ArrayRef<char>(text, text ? std::strlen(text) : 0) {}
  StringRef(const std::string &text) noexcept : ArrayRef<char>(text.data(), text.size()) {}
  StringRef(const char *text, std::size_t size) noexcept : ArrayRef<char>(text, size) {}

  // A copy that owns its characters.
  std::string cloneAsString() const {
    return empty() ? std::string() : std::string(data(), size());
  }
  operator std::string() const { return cloneAsString(); }
};

int compare(StringRef a, StringRef b) noexcept; // below, at or above 0, as std::string::compare
inline bool operator==(StringRef a, StringRef b) noexcept { return compare(a, b) == 0; }
inline bool operator!=(StringRef a, StringRef b) noexcept { return compare(a, b) != 0; }
inline bool operator<(StringRef a, StringRef b) noexcept { return compare(a, b) < 0; }
inline bool operator<=(StringRef a, StringRef b) noexcept { return compare(a, b) <= 0; }
inline bool operator>(StringRef a, StringRef b) noexcept { return compare(a, b) > 0; }
inline bool operator>=(StringRef a, StringRef b) noexcept { return compare(a, b) >= 0; }

// Joins both into a new string.
inline std::string operator+(StringRef a, StringRef b) {
  return a.cloneAsString().append(b.begin(), b.end());
}
inline std::string operator+(StringRef a, const std::string &b) { return a.cloneAsString() + b; }
inline std::string operator+(const std::string &a, StringRef b) {
  return std::string(a).append(b.begin(), b.end());
}
inline std::string operator+(StringRef a, const char *b) { return a.cloneAsString() + b; }
inline std::string operator+(const char *a, StringRef b) {
  return std::string(a).append(b.begin(), b.end());
}

std::ostream &operator<<(std::ostream &out, StringRef text);

} // namespace poplar

namespace std {
template <> struct hash<poplar::StringRef> {
  size_t operator()(poplar::StringRef text) const { return hash<string>()(text.cloneAsString()); }
};
} // namespace std
