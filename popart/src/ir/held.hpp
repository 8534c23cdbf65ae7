// SPDX-License-Identifier: MIT
// Constants that are no part of a program.
#pragma once
#include "ir/graph.hpp"

namespace popart::ir {

// Whether a constant of the main graph is filled from the host when the engine is loaded, so that
// the program does not depend on its values. Integers say what a program does: never held.
inline bool isHeld(const ValueData &constant) {
  constexpr std::int64_t smallest = 256; // smaller constants are part of the program
  return constant.info.nelms() >= smallest && isFloatingPoint(constant.info.dataType());
}

} // namespace popart::ir
