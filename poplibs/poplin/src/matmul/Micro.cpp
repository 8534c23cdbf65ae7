// SPDX-License-Identifier: MIT
#include "matmul/Micro.hpp"

namespace poplin::micro {

const Kernels &kernels() {
#if defined(__x86_64__)
  static const Kernels &best =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")
          ? avx512Kernels()
      : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? avx2Kernels()
                                                                        : baseKernels();
  return best;
#else
  return baseKernels();
#endif
}

} // namespace poplin::micro
