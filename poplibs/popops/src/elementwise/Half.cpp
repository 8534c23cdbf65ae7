// SPDX-License-Identifier: MIT
#include "popops/Half.hpp"
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#define OPENIPU_HALF_INSTRUCTIONS
#endif

namespace popops {

static float widen(std::uint16_t h) {
  const std::uint32_t sign = std::uint32_t(h & 0x8000) << 16, magnitude = h & 0x7fff;
  std::uint32_t bits;
  if (magnitude >= 0x7c00) // infinity, or NaN made quiet
    bits = 0x7f800000u | (magnitude << 13) | (magnitude > 0x7c00 ? 0x400000u : 0);
  else if (magnitude >= 0x400)
    bits = (magnitude << 13) + ((127 - 15) << 23);
  else {
    const float value = float(magnitude) * 0x1p-24f; // zero and subnormals: exact
    std::memcpy(&bits, &value, sizeof bits);
  }
  bits |= sign;
  float out;
  std::memcpy(&out, &bits, sizeof out);
  return out;
}

static std::uint16_t narrow(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return std::uint16_t(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
  if (magnitude >= 0x47800000) // 65536 and more
    return std::uint16_t(sign | 0x7c00);
  if (magnitude < 0x38800000) { // below the smallest normal half: count steps of 2^-24
    float positive;
    std::memcpy(&positive, &magnitude, sizeof positive);
    // Adding 2^-1 leaves the steps, rounded to even, in the low bits.
    const float steps = positive + 0.5f;
    std::uint32_t low;
    std::memcpy(&low, &steps, sizeof low);
    return std::uint16_t(sign | (low - 0x3f000000));
  }
  const std::uint32_t odd = magnitude >> 13 & 1;
  return std::uint16_t(sign | ((magnitude - ((127 - 15) << 23) + 0xfff + odd) >> 13));
}

#ifdef OPENIPU_HALF_INSTRUCTIONS
static bool hasInstructions() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
  return has;
}
#define OPENIPU_F16C __attribute__((target("avx2,f16c")))

OPENIPU_F16C static std::size_t widenBlocks(const std::uint16_t *from, float *to, std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(to + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(from + i))));
  return i;
}
OPENIPU_F16C static std::size_t narrowBlocks(const float *from, std::uint16_t *to, std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  return i;
}
OPENIPU_F16C static std::size_t roundBlocks(float *values, std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const auto half = _mm256_cvtps_ph(_mm256_loadu_ps(values + i), _MM_FROUND_TO_NEAREST_INT);
    _mm256_storeu_ps(values + i, _mm256_cvtph_ps(half));
  }
  return i;
}
#else
static bool hasInstructions() { return false; }
static std::size_t widenBlocks(const std::uint16_t *, float *, std::size_t) { return 0; }
static std::size_t narrowBlocks(const float *, std::uint16_t *, std::size_t) { return 0; }
static std::size_t roundBlocks(float *, std::size_t) { return 0; }
#endif

void halfToFloat(const std::uint16_t *from, float *to, std::size_t n) {
  for (std::size_t i = hasInstructions() ? widenBlocks(from, to, n) : 0; i < n; ++i)
    to[i] = widen(from[i]);
}

void floatToHalf(const float *from, std::uint16_t *to, std::size_t n) {
  for (std::size_t i = hasInstructions() ? narrowBlocks(from, to, n) : 0; i < n; ++i)
    to[i] = narrow(from[i]);
}

void roundToHalf(float *values, std::size_t n) {
  for (std::size_t i = hasInstructions() ? roundBlocks(values, n) : 0; i < n; ++i)
    values[i] = widen(narrow(values[i]));
}

} // namespace popops
