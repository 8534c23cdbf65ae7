// SPDX-License-Identifier: MIT
#include "session/convert.hpp"

#include "ir/narrowed.hpp"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <popart/error.hpp>

namespace popart::session {

bool convertible(DataType a, DataType b) {
  if (a == DataType::BFLOAT16 && b == DataType::UINT16)
    return true;                        // its bits: numpy has no such type
  const auto form = [](DataType type) { // 8-bit floating point is given as bytes
    return type == DataType::FLOAT8_143 || type == DataType::FLOAT8_152 ? DataType::UINT8
                                                                        : ir::narrowed(type);
  };
  return form(a) == form(b);
}

bool sameOrder(const Shape &tensor, const Shape &array) {
  const auto whole = ir::elementsOf(tensor);
  // Where dimensions begin within one tensor, in elements before its end.
  const auto borders = [whole](const Shape &shape) {
    std::vector<std::int64_t> out;
    std::int64_t n = 1;
    for (auto i = shape.size(); i-- > 0 && n < whole;)
      if ((n *= shape[i]) <= whole && shape[i] != 1)
        out.push_back(n);
    return out;
  };
  const auto a = borders(tensor), b = borders(array);
  return std::includes(a.begin(), a.end(), b.begin(), b.end()) ||
         std::includes(b.begin(), b.end(), a.begin(), a.end());
}

std::size_t deviceBytes(const TensorInfo &info) {
  return static_cast<std::size_t>(info.nelms()) * bytesOf(ir::narrowed(info.dataType()));
}

HostBytes deviceForm(const ir::HostTensor &value) {
  return HostBytes(value.as(ir::narrowed(value.type())));
}
ir::HostTensor hostForm(const TensorInfo &info, const HostBytes &device) {
  return device.as(TensorInfo(ir::narrowed(info.dataType()), info.shape())).as(info.dataType());
}

namespace {
// Integers that do not fit are an error, not another number.
template <class From, class To>
void convert(const TensorId &id, const void *from, void *to, std::int64_t elements) {
  const auto *in = static_cast<const From *>(from);
  auto *out = static_cast<To *>(to);
  for (std::int64_t i = 0; i < elements; ++i) {
    if constexpr (std::is_integral_v<From>)
      if (!std::in_range<To>(in[i]))
        throw runtime_error(
            "The value {} of \"{}\" (element {}) does not fit in the 32 bits it has "
            "on the device.",
            in[i], id, i);
    out[i] = static_cast<To>(in[i]);
  }
}

// BFLOAT16, whose bits are the upper half of a float's.
bool isBrain(DataType type) { return type == DataType::BFLOAT16 || type == DataType::UINT16; }
void expand(const void *from, void *to, std::int64_t elements) {
  const auto *in = static_cast<const std::uint16_t *>(from);
  for (std::int64_t i = 0; i < elements; ++i)
    static_cast<float *>(to)[i] = std::bit_cast<float>(std::uint32_t(in[i]) << 16);
}
void shorten(const void *from, void *to, std::int64_t elements) {
  const auto *in = static_cast<const float *>(from);
  for (std::int64_t i = 0; i < elements; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(in[i]);
    const auto rounded = bits + 0x7fff + (bits >> 16 & 1); // to nearest, ties to even
    static_cast<std::uint16_t *>(to)[i] =
        std::uint16_t(std::isnan(in[i]) ? bits >> 16 | 0x40 : rounded >> 16);
  }
}

void move(const TensorId &id, DataType from, DataType to, const void *source, void *target,
          std::int64_t elements) {
  if (from == to || bytesOf(from) == 1)
    std::memcpy(target, source, static_cast<std::size_t>(elements) * bytesOf(from));
  else if (from == DataType::INT64 && to == DataType::INT32)
    convert<std::int64_t, std::int32_t>(id, source, target, elements);
  else if (from == DataType::INT32 && to == DataType::INT64)
    convert<std::int32_t, std::int64_t>(id, source, target, elements);
  else if (from == DataType::UINT64 && to == DataType::UINT32)
    convert<std::uint64_t, std::uint32_t>(id, source, target, elements);
  else if (from == DataType::UINT32 && to == DataType::UINT64)
    convert<std::uint32_t, std::uint64_t>(id, source, target, elements);
  else if (from == DataType::DOUBLE && to == DataType::FLOAT)
    convert<double, float>(id, source, target, elements);
  else if (from == DataType::FLOAT && to == DataType::DOUBLE)
    convert<float, double>(id, source, target, elements);
  else if (isBrain(from) && to == DataType::FLOAT)
    expand(source, target, elements);
  else if (from == DataType::FLOAT && isBrain(to))
    shorten(source, target, elements);
  else
    throw runtime_error("\"{}\": {} cannot be converted to {}.", id, nameOf(from), nameOf(to));
}
} // namespace

void toDevice(const TensorId &id, DataType tensor, DataType given, const void *from, void *to,
              std::int64_t elements) {
  if (!convertible(tensor, given))
    throw runtime_error(
        "The data given for \"{}\" is of type {}, but the tensor is {}. Convert the "
        "array to {}.",
        id, nameOf(given), nameOf(tensor), lowerCaseNameOf(tensor));
  move(id, given, ir::narrowed(tensor), from, to, elements);
}
void toHost(const TensorId &id, DataType tensor, DataType wanted, const void *from, void *to,
            std::int64_t elements) {
  const bool bytes = tensor == DataType::BOOL && wanted == DataType::UINT8;
  if (!bytes && !convertible(tensor, wanted))
    throw runtime_error(
        "The array given for \"{}\" is of type {}, but the tensor is {}. Make it an "
        "array of {}.",
        id, nameOf(wanted), nameOf(tensor), lowerCaseNameOf(tensor));
  move(id, ir::narrowed(tensor), wanted, from, to, elements);
}

} // namespace popart::session
