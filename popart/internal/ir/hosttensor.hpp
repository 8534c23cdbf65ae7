// SPDX-License-Identifier: MIT
// A tensor with values, on the host: initial weights, constants, tensor attributes. Row-major and
// never changed once made, so copies share the bytes; those may belong to somebody else (a mapped
// file) and live as long as the owner handed in.
#pragma once
#include <cstring>
#include <memory>
#include <popart/tensorinfo.hpp>
#include <span>
#include <vector>

namespace popart::ir {

class HostTensor {
public:
  HostTensor() = default; // no values
  HostTensor(TensorInfo info, std::vector<char> bytes);
  // Bytes that `owner` keeps alive.
  HostTensor(TensorInfo info, const void *data, std::shared_ptr<const void> owner);

  // From C++ values: HostTensor::of<float>({2}, {1, 2}); the type follows from T.
  template <class T> static HostTensor of(const Shape &shape, const std::vector<T> &values);
  static HostTensor scalar(DataType type, double value);
  // Every element the same value.
  static HostTensor filled(const TensorInfo &info, double value);
  // Values given as doubles (exact up to 2^53) or integers, stored as `type`.
  static HostTensor fromDoubles(const TensorInfo &info, std::span<const double> values);
  static HostTensor fromIntegers(const TensorInfo &info, std::span<const std::int64_t> values);

  explicit operator bool() const { return data_ != nullptr; }
  const TensorInfo &info() const { return info_; }
  const Shape &shape() const { return info_.shape(); }
  DataType type() const { return info_.dataType(); }
  std::int64_t elements() const { return info_.nelms(); }
  const void *data() const { return data_; }
  std::size_t bytes() const { return static_cast<std::size_t>(info_.nbytes()); }

  std::vector<double> doubles() const;
  std::vector<std::int64_t> integers() const; // floating point is truncated
  HostTensor as(DataType type) const;         // throws popart::error if an integer does not fit
  HostTensor reshaped(const Shape &shape) const;

private:
  TensorInfo info_;
  const char *data_ = nullptr;
  std::shared_ptr<const void> owner_;
};

template <class T> struct DataTypeOf;
#define POPART_TYPE_OF(T, name)                                                                    \
  template <> struct DataTypeOf<T> { static constexpr DataType value = DataType::name; };
POPART_TYPE_OF(float, FLOAT)
POPART_TYPE_OF(double, DOUBLE)
POPART_TYPE_OF(std::int64_t, INT64)
POPART_TYPE_OF(std::int32_t, INT32)
POPART_TYPE_OF(std::uint32_t, UINT32)
POPART_TYPE_OF(std::uint8_t, UINT8)
#undef POPART_TYPE_OF

template <class T> HostTensor HostTensor::of(const Shape &shape, const std::vector<T> &values) {
  std::vector<char> bytes(values.size() * sizeof(T));
  if (!values.empty())
    std::memcpy(bytes.data(), values.data(), bytes.size());
  return HostTensor(TensorInfo(DataTypeOf<T>::value, shape), std::move(bytes));
}

// [2,3] of a shape, as messages show it.
std::string text(const Shape &shape);
// popart::error for a negative extent or more than can be counted.
std::int64_t elementsOf(const Shape &shape);

} // namespace popart::ir
