// SPDX-License-Identifier: MIT
// Element types of tensors, in the vendor's order. The device holds FLOAT, FLOAT16, the integers up
// to 32 bits and BOOL; 64-bit integers and DOUBLE are narrowed when a model is lowered.
#ifndef POPART_DATATYPE_HPP
#define POPART_DATATYPE_HPP
#include <cstddef>
#include <iosfwd>
#include <string>

namespace popart {

enum class DataType {
  UINT8 = 0,
  INT8,
  FLOAT8_143,
  FLOAT8_152,
  UINT16,
  INT16,
  INT32,
  INT64,
  UINT32,
  UINT64,
  BOOL,
  FLOAT,
  FLOAT16,
  BFLOAT16,
  DOUBLE,
  COMPLEX64,
  COMPLEX128,
  STRING,
  UNDEFINED
};

// "FLOAT16", and "float16" as numpy says it.
const std::string &nameOf(DataType type);
const std::string &lowerCaseNameOf(DataType type);
// From either spelling, any case; throws popart::error for an unknown name.
DataType dataTypeFromString(const std::string &name);
// Bytes of one element on the host; 0 for STRING and UNDEFINED.
std::size_t bytesOf(DataType type);
bool isFloatingPoint(DataType type);
bool isFixedPoint(DataType type);
std::ostream &operator<<(std::ostream &out, DataType type);

} // namespace popart
#endif
