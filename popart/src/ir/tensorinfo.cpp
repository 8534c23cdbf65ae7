// SPDX-License-Identifier: MIT
#include <popart/tensorinfo.hpp>

#include "base/Text.hpp"
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <numeric>
#include <ostream>
#include <popart/error.hpp>

namespace popart {

namespace {
struct Row {
  std::string name, lower;
  std::size_t bytes;
};
const std::array<Row, 19> table{{{"UINT8", "uint8", 1},
                                 {"INT8", "int8", 1},
                                 {"FLOAT8_143", "float8_143", 1},
                                 {"FLOAT8_152", "float8_152", 1},
                                 {"UINT16", "uint16", 2},
                                 {"INT16", "int16", 2},
                                 {"INT32", "int32", 4},
                                 {"INT64", "int64", 8},
                                 {"UINT32", "uint32", 4},
                                 {"UINT64", "uint64", 8},
                                 {"BOOL", "bool", 1},
                                 {"FLOAT", "float32", 4},
                                 {"FLOAT16", "float16", 2},
                                 {"BFLOAT16", "bfloat16", 2},
                                 {"DOUBLE", "float64", 8},
                                 {"COMPLEX64", "complex64", 8},
                                 {"COMPLEX128", "complex128", 16},
                                 {"STRING", "string", 0},
                                 {"UNDEFINED", "undefined", 0}}};
const Row &row(DataType type) {
  const auto i = static_cast<std::size_t>(type);
  if (i >= table.size())
    throw error("There is no data type {}.", i);
  return table[i];
}

std::string upper(std::string text) {
  for (char &c : text)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

Shape parseShape(const std::string &text) {
  Shape shape;
  std::string digits;
  for (char c : text + ",") {
    if (std::isdigit(static_cast<unsigned char>(c)))
      digits += c;
    else if (c == ',' || c == ')' || c == '(' || c == ' ') {
      std::int64_t extent = 0;
      if (std::from_chars(digits.data(), digits.data() + digits.size(), extent).ec ==
          std::errc::result_out_of_range)
        throw error("TensorInfo: an extent of {} is more than can be counted.", digits);
      if (!digits.empty())
        shape.push_back(extent);
      digits.clear();
    } else
      throw error("TensorInfo: \"{}\" is not a shape; write it as \"(2,3)\".", text);
  }
  return shape;
}

// No size of a tensor, in elements or bytes, can overflow from here on.
void check(DataType type, const Shape &shape) {
  std::int64_t bytes = std::max<std::int64_t>(1, std::int64_t(bytesOf(type)));
  for (auto extent : shape) {
    if (extent < 0)
      throw error("TensorInfo: the shape {} has the negative extent {}.", base::list(shape),
                  extent);
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(extent, 1), &bytes))
      throw error("TensorInfo: {} elements of {} are more than can be counted.", base::list(shape),
                  nameOf(type));
  }
}
} // namespace

const std::string &nameOf(DataType type) { return row(type).name; }
const std::string &lowerCaseNameOf(DataType type) { return row(type).lower; }
std::size_t bytesOf(DataType type) { return row(type).bytes; }

DataType dataTypeFromString(const std::string &name) {
  const std::string wanted = upper(name);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].name == wanted || upper(table[i].lower) == wanted)
      return static_cast<DataType>(i);
    names.push_back(table[i].name);
  }
  throw error(base::str("No data type is called \"", name, "\".", base::didYouMean(wanted, names)));
}

bool isFloatingPoint(DataType type) {
  return type == DataType::FLOAT || type == DataType::FLOAT16 || type == DataType::BFLOAT16 ||
         type == DataType::DOUBLE || type == DataType::FLOAT8_143 || type == DataType::FLOAT8_152;
}
bool isFixedPoint(DataType type) {
  switch (type) {
  case DataType::UINT8:
  case DataType::INT8:
  case DataType::UINT16:
  case DataType::INT16:
  case DataType::INT32:
  case DataType::INT64:
  case DataType::UINT32:
  case DataType::UINT64:
    return true;
  default:
    return false;
  }
}
std::ostream &operator<<(std::ostream &out, DataType type) { return out << nameOf(type); }

TensorInfo::TensorInfo(DataType type, const Shape &shape) : TensorInfo(type, shape, {}) {}
TensorInfo::TensorInfo(DataType type, const Shape &shape, const Shape &metaShape)
    : type_(type), shape_(shape), metaShape_(metaShape) {
  check(type_, shape_);
  check(type_, metaShape_);
}
TensorInfo::TensorInfo(const std::string &type, const Shape &shape)
    : TensorInfo(dataTypeFromString(type), shape) {}
TensorInfo::TensorInfo(const std::string &type, const std::string &shape)
    : TensorInfo(dataTypeFromString(type), parseShape(shape)) {}

const DataTypeInfo *TensorInfo::getDataTypeInfo() const {
  static const auto all = [] {
    std::vector<DataTypeInfo> out;
    for (std::size_t i = 0; i < table.size(); ++i)
      out.emplace_back(static_cast<DataType>(i));
    return out;
  }();
  return &all[static_cast<std::size_t>(type_)];
}
void TensorInfo::set(DataType type) { *this = {type, Shape(shape_), Shape(metaShape_)}; }
void TensorInfo::set(DataType type, const Shape &shape) { *this = {type, shape}; }
void TensorInfo::set(DataType type, const Shape &shape, const Shape &metaShape) {
  *this = {type, shape, metaShape};
}

std::vector<std::size_t> TensorInfo::shape_szt() const { return {shape_.begin(), shape_.end()}; }
std::int64_t TensorInfo::nelms() const {
  return std::accumulate(shape_.begin(), shape_.end(), std::int64_t(1), std::multiplies<>());
}
std::int64_t TensorInfo::nbytes() const { return nelms() * std::int64_t(bytesOf(type_)); }
std::int64_t TensorInfo::dim(int i) const {
  if (i < 0 || i >= rank())
    throw error("TensorInfo::dim({}): the shape {} has rank {}.", i, base::list(shape_), rank());
  return shape_[static_cast<std::size_t>(i)];
}
std::vector<int> TensorInfo::strides(const std::vector<long> &shape) const {
  std::vector<int> out(shape.size());
  long next = static_cast<long>(bytesOf(type_));
  for (std::size_t i = shape.size(); i-- > 0; next *= shape[i])
    out[i] = static_cast<int>(next);
  return out;
}
void TensorInfo::append(std::ostream &out) const {
  out << nameOf(type_) << ' ' << base::list(shape_);
}
std::ostream &operator<<(std::ostream &out, const TensorInfo &info) {
  info.append(out);
  return out;
}

} // namespace popart
