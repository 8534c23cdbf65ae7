// SPDX-License-Identifier: MIT
// The element type that values of a tensor have on the device, as a host type: 64-bit integers
// become 32-bit ones, DOUBLE and BFLOAT16 become FLOAT.
#pragma once
#include <popart/datatype.hpp>

namespace popart::ir {

inline DataType narrowed(DataType type) {
  switch (type) {
  case DataType::INT64:
    return DataType::INT32;
  case DataType::UINT64:
    return DataType::UINT32;
  case DataType::DOUBLE:
  case DataType::BFLOAT16:
    return DataType::FLOAT;
  default:
    return type;
  }
}

} // namespace popart::ir
