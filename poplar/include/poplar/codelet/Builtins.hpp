// SPDX-License-Identifier: MIT
// The builtins of the device's compiler on scalars, which codelets use without including anything.
// (g++ cannot overload names that begin with __builtin.)
#ifndef POPLAR_CODELET_BUILTINS_HPP
#define POPLAR_CODELET_BUILTINS_HPP
#include "poplar/codelet/Hooks.hpp"

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
// A float comparison leaves all ones (a NaN) or zero.
inline float __builtin_ipu_cmplt(float a, float b) { return openipuFloat(a < b ? ~0u : 0u); }
inline float __builtin_ipu_exp(float x) { return __builtin_expf(x); }
inline float __builtin_ipu_exp2(float x) { return __builtin_exp2f(x); }
inline float __builtin_ipu_ln(float x) { return __builtin_logf(x); }
inline float __builtin_ipu_log2(float x) { return __builtin_log2f(x); }
inline float __builtin_ipu_tanh(float x) { return __builtin_tanhf(x); }
inline float __builtin_ipu_sigm(float x) { return 1.0f / (1.0f + __builtin_expf(-x)); }
inline float __builtin_ipu_rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
inline float __builtin_ipu_max(float a, float b) { return __builtin_fmaxf(a, b); }
inline float __builtin_ipu_min(float a, float b) { return __builtin_fminf(a, b); }
inline bool __builtin_ipu_isnan(float x) { return __builtin_isnan(x); }
inline bool __builtin_ipu_isinf(float x) { return __builtin_isinf(x); }
inline bool __builtin_ipu_isfinite(float x) { return __builtin_isfinite(x); }
// Interleaves the low bytes of two words: b1 a1 b0 a0.
inline unsigned __builtin_ipu_shuf8x8lo(unsigned a, unsigned b) {
  return (a & 0xff) | (b & 0xff) << 8 | (a & 0xff00) << 8 | (b & 0xff00) << 16;
}

#ifdef __POPC__
inline unsigned __builtin_ipu_get_tile_id() { return openipuHooks->tileId(); }
// The cycle counter: the device's when the compute set began, and the instructions of this worker
// since. A codelet that asks is always run with its instructions counted, except in checked mode.
extern "C" __attribute__((visibility("hidden"))) unsigned long long openipu_counted_cycles();
inline unsigned __builtin_ipu_get_scount_l() {
  return unsigned(openipuHooks->cycles() + openipu_counted_cycles());
}
inline unsigned __builtin_ipu_get_scount_u() {
  return unsigned((openipuHooks->cycles() + openipu_counted_cycles()) >> 32);
}
#ifndef __clang__
#define __builtin_assume(condition) ((condition) ? (void)0 : __builtin_unreachable())
#endif
#endif

#endif
