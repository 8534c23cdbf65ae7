// SPDX-License-Identifier: MIT
#include "format/Types.hpp"

#include "base/Text.hpp"

namespace paddleipu {

namespace {

using Type = proto::VarType;
using popart::DataType;

struct Row {
  Type::Type type;
  const char *name;
  std::size_t bytes;
  DataType host, device;
};
constexpr Row rows[] = {
    {Type::BOOL, "bool", 1, DataType::BOOL, DataType::BOOL},
    {Type::INT16, "int16", 2, DataType::INT16, DataType::INT16},
    {Type::INT32, "int32", 4, DataType::INT32, DataType::INT32},
    {Type::INT64, "int64", 8, DataType::INT64, DataType::INT32},
    {Type::FP16, "float16", 2, DataType::FLOAT16, DataType::FLOAT16},
    {Type::FP32, "float32", 4, DataType::FLOAT, DataType::FLOAT},
    {Type::FP64, "float64", 8, DataType::DOUBLE, DataType::FLOAT},
    {Type::UINT8, "uint8", 1, DataType::UINT8, DataType::UINT8},
    {Type::INT8, "int8", 1, DataType::INT8, DataType::INT8},
    {Type::BF16, "bfloat16", 2, DataType::UNDEFINED, DataType::UNDEFINED},
    {Type::COMPLEX64, "complex64", 8, DataType::UNDEFINED, DataType::UNDEFINED},
    {Type::COMPLEX128, "complex128", 16, DataType::UNDEFINED, DataType::UNDEFINED},
    {Type::SIZE_T, "size_t", 8, DataType::UNDEFINED, DataType::UNDEFINED},
};
const Row *find(Type::Type type) {
  for (const auto &row : rows)
    if (row.type == type)
      return &row;
  return nullptr;
}
DataType known(Type::Type type, DataType Row::*which) {
  const auto *row = find(type);
  if (!row || row->*which == DataType::UNDEFINED)
    throw popart::error("The IPU has no elements of type " + std::string(nameOf(type)) +
                        ". Cast to float32, float16, int32, int64, int8, uint8 or bool.");
  return row->*which;
}

} // namespace

std::size_t bytesOf(Type::Type type) {
  const auto *row = find(type);
  return row ? row->bytes : 0;
}
const char *nameOf(Type::Type type) {
  const auto *row = find(type);
  return row ? row->name : Type::Type_Name(type).c_str();
}
DataType hostType(Type::Type type) { return known(type, &Row::host); }
DataType deviceType(Type::Type type) { return known(type, &Row::device); }
Type::Type typeOf(DataType type) {
  for (const auto &row : rows)
    if (row.host == type)
      return row.type;
  throw popart::error("Paddle has no name for a type of the device.");
}
bool isFloating(Type::Type type) {
  return type == Type::FP32 || type == Type::FP16 || type == Type::FP64;
}

} // namespace paddleipu
