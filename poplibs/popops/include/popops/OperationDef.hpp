// SPDX-License-Identifier: MIT
// The operations that a reduction can apply. Codelets include this header too, so it stays small.
#pragma once

namespace popops {

// How a reduction combines elements.
enum class Operation {
  ADD,
  MUL,
  MIN,
  MAX,
  LOGICAL_AND, // bool
  LOGICAL_OR,  // bool
  SQUARE_ADD,  // the sum of squares
  LOG_ADD      // log of the sum of exponentials: a sum of probabilities kept as logarithms
};

} // namespace popops
