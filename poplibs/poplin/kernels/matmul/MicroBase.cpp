// SPDX-License-Identifier: MIT
// The innermost loops for 16 registers of 4 floats, as every 64-bit processor has them.
#include "matmul/Micro.hpp"
#define LANES 4
#define VECTORS 2
#define ROWS(n) ((n) == 4 ? 2 : (n) == 3 ? 4 : (n) == 2 ? 6 : 8)
#define DOTS 9
#define AHEAD 24
namespace poplin::micro {
namespace {
#include "matmul/MicroKernels.inc"
}
const Kernels &baseKernels() {
  static const Kernels instance = table();
  return instance;
}
} // namespace poplin::micro
