// SPDX-License-Identifier: MIT
// What the names of variables tell: those that training adds beside the weights.
#pragma once
#include <popart/names.hpp>

namespace popart::ir {

// Kept by an optimiser and saved with the model: Accl1___w, Step___w ...
inline bool isOptimizerState(const TensorId &id) {
  for (const char *prefix : {"Accl___", "Accl1___", "Accl2___", "Accl3___", "Step___"})
    if (id.rfind(prefix, 0) == 0)
      return true;
  return false;
}
// Gradients gathered over micro-batches, and the number of them: never saved.
inline bool isAccumulator(const TensorId &id) {
  return id.rfind("Accum___", 0) == 0 || id.rfind("Counter___", 0) == 0;
}

} // namespace popart::ir
