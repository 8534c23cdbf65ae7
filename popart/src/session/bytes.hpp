// SPDX-License-Identifier: MIT
// Numbers, texts and lists as bytes, little-endian, and back again with every length checked.
#pragma once
#include <cstdint>
#include <cstring>
#include <popart/error.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace popart::session {

class ByteWriter {
public:
  void number(std::uint64_t value) {
    for (int i = 0; i < 8; ++i)
      out_ += static_cast<char>(value >> (8 * i));
  }
  void text(std::string_view value) {
    number(value.size());
    out_ += value;
  }
  template <class T, class Each> void list(const std::vector<T> &items, Each each) {
    number(items.size());
    for (const auto &item : items)
      each(item);
  }
  const std::string &bytes() const { return out_; }

private:
  std::string out_;
};

// popart::error when there is less than is asked for.
class ByteReader {
public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  std::uint64_t number() {
    const auto from = take(8);
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i)
      value |= std::uint64_t(static_cast<unsigned char>(from[std::size_t(i)])) << (8 * i);
    return value;
  }
  // A number of [low, high].
  std::int64_t number(std::int64_t low, std::int64_t high) {
    const auto value = static_cast<std::int64_t>(number());
    if (value < low || value > high)
      damaged();
    return value;
  }
  bool flag() { return number(0, 1) != 0; }
  std::string_view text() { return take(number()); }
  template <class Each> void list(Each each) {
    const auto count = number();
    if (count > left_.size()) // an item has at least one byte
      damaged();
    for (std::uint64_t i = 0; i < count; ++i)
      each();
  }
  void end() const {
    if (!left_.empty())
      damaged();
  }
  [[noreturn]] static void damaged() { throw error("the file is damaged"); }

private:
  std::string_view take(std::uint64_t size) {
    if (size > left_.size())
      damaged();
    const auto out = left_.substr(0, size);
    left_.remove_prefix(size);
    return out;
  }
  std::string_view left_;
};

} // namespace popart::session
