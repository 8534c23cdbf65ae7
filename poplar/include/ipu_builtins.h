// SPDX-License-Identifier: MIT
// The tile's builtins that have a meaning on the host, as inline functions. Those that address
// control registers, accumulators or packed tile addresses have none and are not here: portable
// codelets use them under __IPU__ only.
#ifndef IPU_BUILTINS_H
#define IPU_BUILTINS_H
#include "ipudef.h"
#include "poplar/codelet/Hooks.hpp"
#include <cmath>

inline unsigned openipuBits(float x) {
  unsigned bits;
  __builtin_memcpy(&bits, &x, 4);
  return bits;
}
inline float openipuFloat(unsigned bits) {
  float x;
  __builtin_memcpy(&x, &bits, 4);
  return x;
}

inline bool __builtin_ipu_is_worker_mode() { return true; }
inline float __builtin_ipu_andc_f32(float a, float b) {
  return openipuFloat(openipuBits(a) & ~openipuBits(b));
}
inline float __builtin_ipu_and_f32(float a, float b) {
  return openipuFloat(openipuBits(a) & openipuBits(b));
}
inline float __builtin_ipu_or_f32(float a, float b) {
  return openipuFloat(openipuBits(a) | openipuBits(b));
}
inline float2 __builtin_ipu_andc_v2f32(float2 a, float2 b) {
  return (float2)((uint2)a & ~(uint2)b);
}
inline float2 __builtin_ipu_and_v2f32(float2 a, float2 b) { return (float2)((uint2)a & (uint2)b); }
inline float2 __builtin_ipu_or_v2f32(float2 a, float2 b) { return (float2)((uint2)a | (uint2)b); }
// A float comparison leaves all ones (a NaN) or zero. (g++ cannot overload names that begin with
// __builtin.)
inline float __builtin_ipu_cmplt(float a, float b) { return openipuFloat(a < b ? ~0u : 0u); }
inline float __builtin_ipu_exp(float x) { return std::exp(x); }
inline float __builtin_ipu_exp2(float x) { return std::exp2(x); }
inline float __builtin_ipu_ln(float x) { return std::log(x); }
inline float __builtin_ipu_log2(float x) { return std::log2(x); }
inline float __builtin_ipu_tanh(float x) { return std::tanh(x); }
inline float __builtin_ipu_sigm(float x) { return 1.0f / (1.0f + std::exp(-x)); }
inline float __builtin_ipu_rsqrt(float x) { return 1.0f / std::sqrt(x); }
inline float __builtin_ipu_max(float a, float b) { return std::fmax(a, b); }
inline float __builtin_ipu_min(float a, float b) { return std::fmin(a, b); }
inline bool __builtin_ipu_isnan(float x) { return std::isnan(x); }
inline bool __builtin_ipu_isinf(float x) { return std::isinf(x); }
inline bool __builtin_ipu_isfinite(float x) { return std::isfinite(x); }
// Interleaves the low bytes of two words: b1 a1 b0 a0.
inline unsigned __builtin_ipu_shuf8x8lo(unsigned a, unsigned b) {
  return (a & 0xff) | (b & 0xff) << 8 | (a & 0xff00) << 8 | (b & 0xff00) << 16;
}

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
