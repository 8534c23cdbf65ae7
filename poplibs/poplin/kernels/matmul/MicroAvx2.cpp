// SPDX-License-Identifier: MIT
// The innermost loops for 16 registers of 8 floats.
#include "matmul/Micro.hpp"
#if defined(__x86_64__)
#pragma GCC target("avx2,fma")
#define LANES 8
#define VECTORS 2
#define ROWS(n) ((n) == 4 ? 2 : (n) == 3 ? 4 : (n) == 2 ? 6 : 8)
#define DOTS 9
#define AHEAD 24
namespace poplin::micro {
namespace {
#include "matmul/MicroKernels.inc"
}
const Kernels &avx2Kernels() {
  static const Kernels instance = table();
  return instance;
}
} // namespace poplin::micro
#else
namespace poplin::micro {
const Kernels &avx2Kernels() { return baseKernels(); }
} // namespace poplin::micro
#endif
