// SPDX-License-Identifier: MIT
#include "frontend/Writing.hpp"

#include <algorithm>
#include <numeric>

namespace frontend {

bool Writing::isFloating(Value v) const {
  return m.type(v) == DataType::FLOAT || m.type(v) == DataType::FLOAT16;
}
std::int64_t Writing::positive(std::int64_t axis, std::size_t rank) const {
  const auto extent = std::max<std::int64_t>(std::int64_t(rank), 1);
  if (axis < -extent || axis >= extent)
    fail("its axis ", axis, " is not one of a tensor with ", rank, " dimensions.");
  return axis < 0 ? axis + extent : axis;
}
Value Writing::reduce(const char *type, Value v, const Integers &axes, bool keepDims) const {
  if (axes.empty())
    return v;
  return m.op(type, {v}, {{"axes", axes}, {"keepdims", std::int64_t(keepDims)}});
}
Value Writing::full(const Shape &shape, double value, DataType type) const {
  return m.constant(HostTensor::filled(popart::TensorInfo(type, shape), value));
}
Value Writing::slice(Value v, std::int64_t axis, std::int64_t begin, std::int64_t end,
                     std::int64_t step) const {
  if (begin == 0 && step == 1 && end >= m.shape(v)[std::size_t(axis)])
    return v;
  return m.op("Slice", {v},
              {{"axes", Integers{axis}},
               {"starts", Integers{begin}},
               {"ends", Integers{end}},
               {"steps", Integers{step}}});
}
Value Writing::concat(const Values &parts, std::int64_t axis) const {
  return parts.size() == 1 ? parts[0] : m.op("Concat", parts, {{"axis", axis}});
}
Value Writing::squeeze(Value v, std::int64_t axis) const {
  auto shape = m.shape(v);
  shape.erase(shape.begin() + axis);
  return m.reshape(v, shape);
}
Value Writing::unsqueeze(Value v, std::int64_t axis) const {
  auto shape = m.shape(v);
  shape.insert(shape.begin() + axis, 1);
  return m.reshape(v, shape);
}
Value Writing::numbers(const Integers &values) const {
  return m.constant(
      HostTensor::fromIntegers({DataType::INT32, {std::int64_t(values.size())}}, values));
}
Value Writing::iota(std::int64_t n) const {
  Integers out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), 0);
  return numbers(out);
}

} // namespace frontend
