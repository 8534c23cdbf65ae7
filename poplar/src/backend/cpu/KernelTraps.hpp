// SPDX-License-Identifier: MIT
// Finds floating point exceptions of kernels, which compute otherwise than the tiles would: by what
// they leave behind. An infinity in the results of a kernel that read none is one, and a NaN that
// was computed or compared, wherever it came from.
#pragma once
#include "openipu/Kernel.hpp"
#include <vector>

namespace poplar::backend::cpu {

class KernelTraps {
public:
  // `reads`: of each output, whether the kernel reads it as well (an InOut operand).
  KernelTraps(int trapped, const KernelArgs &args, const std::vector<bool> &reads,
              openipu::Nans nans = {});
  void check() const; // throws FloatTrap

private:
  int trapped_, before_ = 0, compared_ = 0; // FE_* flags
  bool zeros_ = false;                      // among what was read
  bool computes_;
  const KernelArgs &args_;
};

} // namespace poplar::backend::cpu
