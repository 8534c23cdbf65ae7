// SPDX-License-Identifier: MIT
// The innermost loops for 32 registers of 16 floats.
#include "matmul/Micro.hpp"
#if defined(__x86_64__)
#pragma GCC target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")
#define LANES 16
#define VECTORS 4
#define ROWS(n) ((n) == 4 ? 6 : (n) == 3 ? 8 : 10)
#define DOTS 16
#define AHEAD 24
namespace poplin::micro {
namespace {
#include "matmul/MicroKernels.inc"
}
const Kernels &avx512Kernels() {
  static const Kernels instance = table();
  return instance;
}
} // namespace poplin::micro
#else
namespace poplin::micro {
const Kernels &avx512Kernels() { return baseKernels(); }
} // namespace poplin::micro
#endif
