// SPDX-License-Identifier: MIT
// Writing and reading the binary form of modules, cache entries and .gp files: little-endian
// numbers and length-prefixed strings. The reader checks every length against what is left and
// throws FormatError.
#pragma once
#include "base/Text.hpp"
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace poplar::codelet {

struct FormatError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class ByteWriter {
public:
  template <class T> void number(T value) {
    static_assert(std::is_integral_v<T> || std::is_enum_v<T>);
    auto bits = static_cast<std::uint64_t>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i, bits >>= 8)
      bytes_ += static_cast<char>(bits & 0xff);
  }
  void text(std::string_view s) {
    number(std::uint64_t(s.size()));
    bytes_ += s;
  }
  template <class T, class Write> void list(const std::vector<T> &items, Write write) {
    number(std::uint32_t(items.size()));
    for (const T &item : items)
      write(item);
  }
  std::string take() { return std::move(bytes_); }

private:
  std::string bytes_;
};

class ByteReader {
public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T> T number() {
    std::uint64_t bits = 0;
    const std::string_view raw = take(sizeof(T));
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bits |= std::uint64_t(static_cast<unsigned char>(raw[i])) << (8 * i);
    return static_cast<T>(bits);
  }
  // A number of an enumerator, or an index.
  template <class T> T below(std::uint64_t limit, const char *what) {
    const T value = number<T>();
    if (std::uint64_t(value) >= limit)
      throw FormatError(
          base::str(what, " is ", std::uint64_t(value), ", which is not below ", limit));
    return value;
  }
  bool flag() { return below<std::uint8_t>(2, "a flag") != 0; }
  std::string_view textView() { return take(number<std::uint64_t>()); }
  std::string text() { return std::string(textView()); }
  // `atLeast` bytes per item bounds the count before anything is allocated.
  std::uint32_t count(std::size_t atLeast) {
    const auto n = number<std::uint32_t>();
    if (n > (bytes_.size() - position_) / atLeast)
      throw FormatError(base::str("a list claims ", n, " items, but only ",
                                  bytes_.size() - position_, " bytes are left"));
    return n;
  }
  bool atEnd() const { return position_ == bytes_.size(); }
  void expectEnd() const {
    if (!atEnd())
      throw FormatError(base::str(bytes_.size() - position_, " unexpected bytes at the end"));
  }

private:
  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size() - position_)
      throw FormatError(base::str("needs ", size, " bytes at offset ", position_, ", but only ",
                                  bytes_.size() - position_, " are left"));
    const auto part = bytes_.substr(position_, size);
    position_ += size;
    return part;
  }
  std::string_view bytes_;
  std::size_t position_ = 0;
};

} // namespace poplar::codelet
