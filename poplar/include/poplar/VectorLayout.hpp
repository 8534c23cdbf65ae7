// SPDX-License-Identifier: MIT
// How vertex vector fields are laid out in tile memory, as estimators see it.
#pragma once
#include <string>

namespace poplar {
namespace layout {

enum class Vector { NotAVector, Span, ShortSpan, OnePtr, ScaledPtr32, ScaledPtr64, ScaledPtr128 };
enum class VectorList {
  NotAVector,
  OnePtr,
  ScaledPtr32,
  ScaledPtr64,
  ScaledPtr128,
  DeltaN,
  DeltaNElements
};

std::string to_string(Vector v);
std::string to_string(VectorList v);

} // namespace layout
} // namespace poplar
