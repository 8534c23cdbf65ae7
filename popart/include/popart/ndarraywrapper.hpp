// SPDX-License-Identifier: MIT
// A pointer and a shape as an array.
#ifndef POPART_NDARRAYWRAPPER_HPP
#define POPART_NDARRAYWRAPPER_HPP
#include <ostream>
#include <popart/iarray.hpp>

namespace popart {

// The DataType of a C++ element type: getDataType<float>() is FLOAT; _Float16-like types are given
// by their TensorInfo instead.
template <class T> inline DataType getDataType();
#define POPART_DATA_TYPE(T, name)                                                                  \
  template <> inline DataType getDataType<T>() { return DataType::name; }
POPART_DATA_TYPE(float, FLOAT)
POPART_DATA_TYPE(double, DOUBLE)
POPART_DATA_TYPE(std::int8_t, INT8)
POPART_DATA_TYPE(std::int16_t, INT16)
POPART_DATA_TYPE(std::int32_t, INT32)
POPART_DATA_TYPE(std::int64_t, INT64)
POPART_DATA_TYPE(std::uint8_t, UINT8)
POPART_DATA_TYPE(std::uint16_t, UINT16)
POPART_DATA_TYPE(std::uint32_t, UINT32)
POPART_DATA_TYPE(std::uint64_t, UINT64)
POPART_DATA_TYPE(bool, BOOL)
#undef POPART_DATA_TYPE

template <class T> class NDArrayWrapper : public IArray {
public:
  NDArrayWrapper(T *values, const std::vector<std::int64_t> &shape)
      : values_(values), info_(getDataType<T>(), shape) {}
  NDArrayWrapper(T *values, const TensorInfo &info) : values_(values), info_(info) {}

  void *data() override { return values_; }
  DataType dataType() const override { return info_.dataType(); }
  std::size_t rank() const override { return static_cast<std::size_t>(info_.rank()); }
  std::int64_t dim(std::size_t index) const override { return info_.dim(static_cast<int>(index)); }
  std::size_t nelms() const override { return static_cast<std::size_t>(info_.nelms()); }
  const Shape shape() const override { return info_.shape(); }
  T &operator[](std::size_t i) { return values_[i]; }

private:
  T *values_;
  TensorInfo info_;
};

// {1, 2, 3, 4}, whatever the shape.
template <class T> std::ostream &operator<<(std::ostream &out, const NDArrayWrapper<T> &array) {
  auto &values = const_cast<NDArrayWrapper<T> &>(array);
  out << "{";
  for (std::size_t i = 0; i < array.nelms(); ++i)
    out << (i ? ", " : "") << +values[i];
  return out << "}";
}

} // namespace popart
#endif
