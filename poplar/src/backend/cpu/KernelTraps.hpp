// SPDX-License-Identifier: MIT
// Finds floating point exceptions of kernels, which compute otherwise than the tiles would: by what
// they leave behind. A NaN or an infinity in the results of a kernel that read none is one.
#pragma once
#include "openipu/Kernel.hpp"
#include <vector>

namespace poplar::backend::cpu {

class KernelTraps {
public:
  // `reads`: of each output, whether the kernel reads it as well (an InOut operand).
  KernelTraps(int trapped, const KernelArgs &args, const std::vector<bool> &reads);
  void check() const; // throws FloatTrap

private:
  int trapped_, before_ = 0; // FE_* flags
  const KernelArgs &args_;
};

} // namespace poplar::backend::cpu
