// SPDX-License-Identifier: MIT
#include "matmul/Micro.hpp"
#include "base/VectorUnit.hpp"

namespace poplin::micro {

const Kernels &kernels() {
  static const Kernels &best = base::vectorUnit() == base::VectorUnit::Avx512 ? avx512Kernels()
                               : base::vectorUnit() == base::VectorUnit::Avx2 ? avx2Kernels()
                                                                              : baseKernels();
  return best;
}

} // namespace poplin::micro
