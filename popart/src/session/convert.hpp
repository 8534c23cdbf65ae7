// SPDX-License-Identifier: MIT
// Between the caller's element types and the device's: 64-bit integers and doubles are narrowed on
// the way down and widened on the way up, BFLOAT16 (given as its bits, UINT16) is FLOAT there, and
// everything else is copied.
#pragma once
#include "session/hostbytes.hpp"

namespace popart::session {

std::size_t deviceBytes(const TensorInfo &info);
// Shared where the types are the same; popart::error if an integer is too big.
HostBytes deviceForm(const ir::HostTensor &value);
ir::HostTensor hostForm(const TensorInfo &info, const HostBytes &device);

// Whether the elements of an array lie as those of one tensor after the other do. Dimensions may be
// joined or cut into several ([6] or [4,2,3] for [2,3]), but [3,2] for [2,3] is a mistake.
bool sameOrder(const Shape &tensor, const Shape &array);

// Whether values of one type can be handed over as the other.
bool convertible(DataType a, DataType b);

// popart::runtime_error, naming the tensor and both types, if they cannot stand for each other.
void toDevice(const TensorId &id, DataType tensor, DataType given, const void *from, void *to,
              std::int64_t elements);
void toHost(const TensorId &id, DataType tensor, DataType wanted, const void *from, void *to,
            std::int64_t elements);

} // namespace popart::session
