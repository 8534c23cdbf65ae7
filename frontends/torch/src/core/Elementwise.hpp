// SPDX-License-Identifier: MIT
// What converters of element-wise operators share.
#pragma once
#include "core/Call.hpp"

namespace poptorch {

// Halves as FLOAT too: for formulas that lose digits or overflow on the way. Results are cast back.
inline Value wide(const Call &c, Value v) { return c.cast(v, DataType::FLOAT); }

// Elements below a number raised to it.
inline Value atLeast(const Call &c, Value x, double number) {
  return c.m.op("Clip", {x, c.m.scalar(number, x)});
}

// One number everywhere: a view of it if there are many.
inline Value filled(const Call &c, const Shape &shape, double value, DataType type) {
  return c.m.expand(c.m.scalar(value, type), shape);
}

// Towards zero.
inline Value truncated(const Call &c, Value x) {
  return c.m.where(c.compared("Less", x, 0), c.m.op("Ceil", {x}), c.m.op("Floor", {x}));
}

// The value without its gradient.
inline Value detached(const Call &c, Value x) {
  return c.isFloating(x) ? c.m.op("Detach", {x}) : x;
}

} // namespace poptorch
