// SPDX-License-Identifier: MIT
// The operators as loops over a block of values: what the map kernel calls. A block holds values of
// the C++ type that computes its element type (halves: float). The result may be the same memory as
// an operand, but may not overlap it otherwise.
#pragma once
#include "openipu/TypeId.hpp"
#include "popops/ExprOp.hpp"
#include <cstddef>
#include <cstdint>

namespace popops {

using poplar::TypeId;

// y = f(a, b, c) for n elements; operands that the operator does not have are ignored.
using BlockLoop = void (*)(void *y, const void *a, const void *b, const void *c, std::size_t n);

// Null when the operator does not take the type.
BlockLoop unaryLoop(expr::UnaryOpType op, TypeId type);
BlockLoop binaryLoop(expr::BinaryOpType op, TypeId type);
BlockLoop ternaryLoop(expr::TernaryOpType op, TypeId type);
// Between the computing types: halves are float here, and rounding to half is the caller's.
BlockLoop castLoop(TypeId from, TypeId to);
BlockLoop copyLoop(TypeId type);

// Floats c + a * b, c - a * b, a * b - c, with both operators rounded.
enum class Joined { Add, Take, From };
BlockLoop joinedLoop(Joined how);

// Bytes of a value while it is computed with.
inline std::size_t computeSize(TypeId type) { return type == TypeId::Half ? 4 : sizeOf(type); }

} // namespace popops
