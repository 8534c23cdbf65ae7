// SPDX-License-Identifier: MIT
#include "openipu/Writer.hpp"

#include <algorithm>

namespace popart::ops {

Value Writer::integers(const Integers &values) {
  return constant(HostTensor::of<std::int64_t>({std::int64_t(values.size())}, values));
}
Value Writer::scalar(double value, Value like) { return scalar(value, type(like)); }
Value Writer::scalar(double value, DataType type) {
  return constant(HostTensor::scalar(type, value));
}

Value Writer::reshape(Value a, const Shape &shape) {
  if (this->shape(a) == shape)
    return a;
  return op("Reshape", {a}, {{"shape", shape}, {"allowzero", std::int64_t(1)}});
}
Value Writer::transpose(Value a, const Integers &perm) {
  return std::is_sorted(perm.begin(), perm.end()) ? a : op("Transpose", {a}, {{"perm", perm}});
}
Value Writer::reduceSum(Value a, const Integers &axes, bool keepDims) {
  if (axes.empty())
    return a;
  return op("ReduceSum", {a}, {{"axes", axes}, {"keepdims", std::int64_t(keepDims)}});
}
Value Writer::expand(Value a, const Shape &shape) {
  return this->shape(a) == shape ? a : op("Expand", {a}, {{"shape", shape}});
}
Value Writer::cast(Value a, DataType to) {
  return type(a) == to ? a : op("Cast", {a}, {{"to", nameOf(to)}});
}
Value Writer::zerosLike(Value a) { return expand(scalar(0, a), shape(a)); }

} // namespace popart::ops
