// SPDX-License-Identifier: MIT
#include "base/Half.hpp"
#include "base/Stochastic.hpp"
#include "base/VectorUnit.hpp"
#if defined(__x86_64__)
#include <immintrin.h>
#define OPENIPU_F16C __attribute__((target("avx2,f16c")))
#endif

namespace base {
namespace {

// How many elements, from the first, were done eight at a time.
#if defined(__x86_64__)
bool hasInstructions() { return vectorUnit() >= VectorUnit::Avx2; }

OPENIPU_F16C std::size_t widenBlocks(const std::uint16_t *from, float *to, std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(to + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(from + i))));
  return i;
}
OPENIPU_F16C std::size_t narrowBlocks(const float *from, std::uint16_t *to, std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  return i;
}
OPENIPU_F16C std::size_t roundBlocks(float *values, std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const auto half = _mm256_cvtps_ph(_mm256_loadu_ps(values + i), _MM_FROUND_TO_NEAREST_INT);
    _mm256_storeu_ps(values + i, _mm256_cvtph_ps(half));
  }
  return i;
}
#else
bool hasInstructions() { return false; }
std::size_t widenBlocks(const std::uint16_t *, float *, std::size_t) { return 0; }
std::size_t narrowBlocks(const float *, std::uint16_t *, std::size_t) { return 0; }
std::size_t roundBlocks(float *, std::size_t) { return 0; }
#endif

} // namespace

void halfToFloat(const std::uint16_t *from, float *to, std::size_t n) {
  for (std::size_t i = hasInstructions() ? widenBlocks(from, to, n) : 0; i < n; ++i)
    to[i] = halfToFloat(from[i]);
}

void floatToHalf(const float *from, std::uint16_t *to, std::size_t n) {
  for (std::size_t i = hasInstructions() ? narrowBlocks(from, to, n) : 0; i < n; ++i)
    to[i] = floatToHalf(from[i]);
}

void roundToHalf(float *values, std::size_t n) {
  for (std::size_t i = hasInstructions() ? roundBlocks(values, n) : 0; i < n; ++i)
    values[i] = halfToFloat(floatToHalf(values[i]));
}

void stochasticHalves(const float *from, std::uint16_t *to, std::int64_t stride, std::size_t n,
                      std::uint64_t key, std::uint64_t index) {
  for (std::size_t i = 0; i < n; ++i)
    to[std::int64_t(i) * stride] = stochasticHalf(from[i], randomBits(key, index + i));
}

void roundToHalfStochastically(float *values, std::size_t n, std::uint64_t key) {
  for (std::size_t i = 0; i < n; ++i)
    values[i] = halfToFloat(stochasticHalf(values[i], randomBits(key, i)));
}

} // namespace base
