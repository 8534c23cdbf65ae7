// SPDX-License-Identifier: MIT
// Attributes of a kernel as bytes: written when an operation is made, read when it is bound. Both
// sides list the same values in the same order. Reading checks every length, because attributes
// travel in files.
#pragma once
#include "base/Bytes.hpp"
#include <vector>

namespace poplar::openipu {

class AttributeWriter {
public:
  template <class T> AttributeWriter &put(const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    out_.raw(&value, sizeof value);
    return *this;
  }
  template <class T> AttributeWriter &put(const std::vector<T> &values) {
    out_.list<std::uint64_t>(values, [&](const T &value) { put(value); });
    return *this;
  }
  AttributeWriter &put(const std::string &text) {
    out_.text(text);
    return *this;
  }
  std::string take() { return out_.take(); }

private:
  base::ByteWriter out_;
};

class AttributeReader : private base::ByteReader {
public:
  explicit AttributeReader(std::string_view bytes) : ByteReader(bytes) {}
  template <class T> T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, raw(sizeof value).data(), sizeof value);
    return value;
  }
  template <class T> std::vector<T> getVector() {
    std::vector<T> values;
    for (auto n = count<std::uint64_t>(sizeof(T)); n > 0; --n)
      values.push_back(get<T>());
    return values;
  }
  std::string getString() { return text(); }
  bool empty() const { return atEnd(); }

private:
  void damaged(const std::string &) const override {
    throw std::runtime_error("The attributes of a kernel end too early: the executable is damaged, "
                             "or was written by another version. Compile it again.");
  }
};

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
