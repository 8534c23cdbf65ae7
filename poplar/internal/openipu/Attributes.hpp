// SPDX-License-Identifier: MIT
// Attributes of a kernel as bytes: written when an operation is made, read when it is bound. Both
// sides list the same values in the same order. Reading checks every length, because attributes
// travel in files.
#pragma once
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace poplar::openipu {

class AttributeWriter {
public:
  template <class T> AttributeWriter &put(const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char *>(&value), sizeof value);
    return *this;
  }
  template <class T> AttributeWriter &put(const std::vector<T> &values) {
    put(std::uint64_t(values.size()));
    for (const T &value : values)
      put(value);
    return *this;
  }
  AttributeWriter &put(const std::string &text) {
    put(std::uint64_t(text.size()));
    bytes_ += text;
    return *this;
  }
  std::string take() { return std::move(bytes_); }

private:
  std::string bytes_;
};

class AttributeReader {
public:
  explicit AttributeReader(std::string_view bytes) : bytes_(bytes) {}
  template <class T> T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  template <class T> std::vector<T> getVector() {
    auto size = get<std::uint64_t>();
    if (size > bytes_.size() / sizeof(T))
      tooShort();
    std::vector<T> values;
    for (std::uint64_t i = 0; i < size; ++i)
      values.push_back(get<T>());
    return values;
  }
  std::string getString() {
    auto size = get<std::uint64_t>();
    return std::string(take(size), size);
  }
  bool empty() const { return bytes_.empty(); }

private:
  const char *take(std::uint64_t size) {
    if (size > bytes_.size())
      tooShort();
    const char *at = bytes_.data();
    bytes_.remove_prefix(size);
    return at;
  }
  [[noreturn]] static void tooShort() {
    throw std::runtime_error("The attributes of a kernel end too early: the executable is damaged, "
                             "or was written by another version. Compile it again.");
  }
  std::string_view bytes_;
};

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
