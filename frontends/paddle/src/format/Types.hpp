// SPDX-License-Identifier: MIT
// Paddle's element types: in files, on the host, and on the device, which has no 64-bit ones.
#pragma once
#include "format/Files.hpp"

namespace paddleipu {

popart::DataType hostType(proto::VarType::Type type);   // INT64 stays INT64
popart::DataType deviceType(proto::VarType::Type type); // INT64 is INT32, FP64 is FLOAT
proto::VarType::Type typeOf(popart::DataType type);
bool isFloating(proto::VarType::Type type);

} // namespace paddleipu
