// SPDX-License-Identifier: MIT
// Between the caller's element types and the device's: 64-bit integers and doubles are narrowed on
// the way down and widened on the way up, everything else is copied.
#pragma once
#include <popart/tensorinfo.hpp>

namespace popart::session {

// The type a tensor of `type` has on the device, as a host type: INT64 -> INT32, DOUBLE -> FLOAT
// ...
DataType onDevice(DataType type);

// popart::runtime_error, naming the tensor and both types, if they cannot stand for each other.
void toDevice(const TensorId &id, DataType tensor, DataType given, const void *from, void *to,
              std::int64_t elements);
void toHost(const TensorId &id, DataType tensor, DataType wanted, const void *from, void *to,
            std::int64_t elements);

} // namespace popart::session
