// SPDX-License-Identifier: MIT
// The tile's builtins that have a meaning on the host, as inline functions: those on vectors
// and random numbers. Vertex.hpp brings the others (poplar/codelet/Builtins.hpp). Those that address control registers,
// accumulators or packed tile addresses have no meaning here: portable codelets use them under
// __IPU__ only.
#ifndef IPU_BUILTINS_H
#define IPU_BUILTINS_H
#include "ipudef.h"
#include "poplar/codelet/Builtins.hpp"
#include <cmath>

inline float2 __builtin_ipu_andc_v2f32(float2 a, float2 b) {
  return (float2)((uint2)a & ~(uint2)b);
}
inline float2 __builtin_ipu_and_v2f32(float2 a, float2 b) { return (float2)((uint2)a & (uint2)b); }
inline float2 __builtin_ipu_or_v2f32(float2 a, float2 b) { return (float2)((uint2)a | (uint2)b); }

#ifdef __POPC__
// Random numbers of the thread that runs the vertex; the engine seeds it.
inline unsigned long long __builtin_ipu_urand64() { return openipuHooks->random64(); }
inline unsigned __builtin_ipu_urand32() { return unsigned(openipuHooks->random64() >> 32); }
// Uniform in [-0.5, 0.5).
inline float __builtin_ipu_urand_f32() {
  return float(int(__builtin_ipu_urand32()) >> 8) * 5.9604644775390625e-8f;
}
inline half __builtin_ipu_urand_f16() {
  return half(float(int(__builtin_ipu_urand32()) >> 21) * 0.00048828125f);
}
// A pair of independent Gaussian numbers, by Box and Muller.
inline float2 __builtin_ipu_f32v2grand() {
  const unsigned long long bits = openipuHooks->random64();
  const float u = (float(unsigned(bits >> 40)) + 1.0f) * 5.9604644775390625e-8f;
  const float angle = float(unsigned(bits & 0xffffff)) * 3.7450702829238413e-7f; // 2 pi / 2^24
  const float radius = std::sqrt(-2.0f * std::log(u));
  return float2{radius * std::cos(angle), radius * std::sin(angle)};
}
inline half2 __builtin_ipu_f16v2grand() {
  const float2 pair = __builtin_ipu_f32v2grand();
  return half2(pair[0], pair[1]);
}
#endif

#endif
