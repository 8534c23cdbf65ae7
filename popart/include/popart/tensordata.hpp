// SPDX-License-Identifier: MIT
// The values of a constant, or the first values of a variable.
#ifndef POPART_TENSORDATA_HPP
#define POPART_TENSORDATA_HPP
#include <cstring>
#include <popart/names.hpp>

namespace popart {

class TensorData {
public:
  TensorData(const void *values, std::size_t bytes)
      : bytes_(static_cast<const char *>(values), static_cast<const char *>(values) + bytes) {}
  void *data() { return bytes_.data(); }
  const void *data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }
  // The elements as a vector; their number must be right.
  template <class T> std::vector<T> copyDataAs(int elements) const {
    std::vector<T> out(static_cast<std::size_t>(elements));
    const std::size_t bytes = out.size() * sizeof(T);
    if (bytes)
      std::memcpy(out.data(), bytes_.data(), bytes < bytes_.size() ? bytes : bytes_.size());
    return out;
  }

private:
  std::vector<char> bytes_;
};

} // namespace popart
#endif
