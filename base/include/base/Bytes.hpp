// SPDX-License-Identifier: MIT
// Binary formats: little-endian numbers, length-prefixed texts and counted lists, written into a
// string and read back. The reader believes no length: each is held against what is left before
// anything is taken or allocated.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace base {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie");

// The bytes are not what their format says.
struct FormatError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class ByteWriter {
public:
  template <class T> void number(T value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    raw(&value, sizeof value);
  }
  void raw(const void *data, std::size_t size) {
    bytes_.append(static_cast<const char *>(data), size);
  }
  void text(std::string_view s) {
    number(std::uint64_t(s.size()));
    bytes_ += s;
  }
  template <class Count = std::uint32_t, class List, class Write>
  void list(const List &items, Write write) {
    number(Count(items.size()));
    for (const auto &item : items)
      write(item);
  }
  std::string take() { return std::move(bytes_); }

private:
  std::string bytes_;
};

class ByteReader {
public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  virtual ~ByteReader() = default;

  template <class T> T number() {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    T value;
    std::memcpy(&value, raw(sizeof value).data(), sizeof value);
    return value;
  }
  // A number of an enumerator, or an index.
  template <class T> T below(std::uint64_t limit, const char *what) {
    const T value = number<T>();
    if (std::uint64_t(value) >= limit)
      tooLarge(what, std::uint64_t(value), limit);
    return value;
  }
  bool flag() { return below<std::uint8_t>(2, "a flag") != 0; }
  std::string_view raw(std::uint64_t size) {
    if (size > left())
      tooShort(size);
    const auto part = bytes_.substr(position_, std::size_t(size));
    position_ += part.size();
    return part;
  }
  std::string_view textView() { return raw(number<std::uint64_t>()); }
  std::string text() { return std::string(textView()); }
  // The length of a list. `atLeast` bytes per item bound it.
  template <class Count = std::uint32_t> Count count(std::size_t atLeast) {
    const auto n = number<Count>();
    if (n > left() / atLeast)
      tooMany(n);
    return n;
  }
  std::size_t position() const { return position_; }
  std::size_t left() const { return bytes_.size() - position_; }
  bool atEnd() const { return left() == 0; }
  void expectEnd() const;

protected:
  // FormatError, unless the format has words of its own.
  [[noreturn]] void fail(const std::string &why) const;
  virtual void damaged(const std::string &) const {} // throws those

private:
  [[noreturn]] void tooLarge(const char *what, std::uint64_t value, std::uint64_t limit) const;
  [[noreturn]] void tooShort(std::uint64_t size) const;
  [[noreturn]] void tooMany(std::uint64_t items) const;
  std::string_view bytes_;
  std::size_t position_ = 0;
};

} // namespace base
