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

const Kernels &kernelsFor(std::size_t n) {
  const auto &best = kernels(), &narrower = best.lanes > 8 ? avx2Kernels() : best;
  return n % best.lanes && n % narrower.lanes == 0 ? narrower : best;
}

} // namespace poplin::micro
