// SPDX-License-Identifier: MIT
// Results that are too large for half, as the tiles leave them: the largest half, or NaN. Kernels
// compute in float and leave an infinity; where they read none, it was too large a value.
#pragma once
#include "openipu/Kernel.hpp"
#include <vector>

namespace poplar::backend::cpu {

class HalfLimits {
public:
  // Before the kernel runs. `reads`: of each output, whether the kernel reads it as well.
  HalfLimits(const KernelArgs &args, const std::vector<bool> &reads);
  void apply() const; // after it ran

private:
  const KernelArgs &args_;
  bool infinite_ = false; // an operand that is also a result had an infinity
};

} // namespace poplar::backend::cpu
