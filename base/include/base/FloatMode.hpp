// SPDX-License-Identifier: MIT
// How this thread computes with floats. Tiles flush float denormals to zero; on the host they would
// cost a hundred cycles each, and decaying values (momenta, moving averages) end among them.
// Conversions from and to half are not affected: half denormals are normal floats.
#pragma once
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace base {

// The control word of the thread: rounding, flushing, exception masks (and flags).
using FloatMode = unsigned;
inline FloatMode floatMode() {
#if defined(__x86_64__)
  return _mm_getcsr();
#else
  return 0;
#endif
}
inline void setFloatMode([[maybe_unused]] FloatMode mode) {
#if defined(__x86_64__)
  _mm_setcsr(mode);
#endif
}
// Denormal results are zero, denormal operands count as zero.
constexpr FloatMode flushingBits = 0x8040;

// As long as it lives this thread computes in that mode.
class WithFloatMode {
public:
  explicit WithFloatMode(FloatMode mode) : before_(floatMode()) { setFloatMode(mode); }
  ~WithFloatMode() { setFloatMode(before_); }
  WithFloatMode(const WithFloatMode &) = delete;
  WithFloatMode &operator=(const WithFloatMode &) = delete;

private:
  FloatMode before_;
};

struct FlushDenormals : WithFloatMode {
  FlushDenormals() : WithFloatMode(floatMode() | flushingBits) {}
};

} // namespace base
