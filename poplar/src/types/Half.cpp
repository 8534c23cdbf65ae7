// SPDX-License-Identifier: MIT
// Conversions of half, one at a time and by arrays.
#include "types/Half.hpp"
#include "poplar/IeeeHalf.hpp"
#include <bit>
#include <cmath>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace poplar::types {
namespace {

// double to float, rounded to odd: rounding the result once more gives what rounding the double at
// once would give.
float roundToOdd(double value) {
  const float nearest = static_cast<float>(value);
  if (nearest == value || std::isnan(value))
    return nearest;
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value))
    --bits; // the neighbour nearer to zero; below infinity it is the largest float
  return std::bit_cast<float>(bits | 1);
}

#if defined(__x86_64__)
bool hasF16c() {
  // Every processor with AVX2 has the conversions too, and all compilers know that name.
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
}

__attribute__((target("avx,f16c"))) std::size_t floatToHalfWide(const float *src,
                                                                std::uint16_t *dst, std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i *>(dst + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT));
  return i;
}

__attribute__((target("avx,f16c"))) std::size_t halfToFloatWide(const std::uint16_t *src,
                                                                float *dst, std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(dst + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(src + i))));
  return i;
}
#else
bool hasF16c() { return false; }
std::size_t floatToHalfWide(const float *, std::uint16_t *, std::size_t) { return 0; }
std::size_t halfToFloatWide(const std::uint16_t *, float *, std::size_t) { return 0; }
#endif

} // namespace

std::uint16_t toHalf(float value) { return IeeeHalf(value).bits(); }
std::uint16_t toHalf(double value) { return IeeeHalf(roundToOdd(value)).bits(); }
float fromHalf(std::uint16_t bits) { return IeeeHalf::fromBits(bits); }

void floatToHalf(const float *src, std::uint16_t *dst, std::size_t n) {
  for (std::size_t i = hasF16c() ? floatToHalfWide(src, dst, n) : 0; i != n; ++i)
    dst[i] = toHalf(src[i]);
}

void doubleToHalf(const double *src, std::uint16_t *dst, std::size_t n) {
  for (std::size_t i = 0; i != n; ++i)
    dst[i] = toHalf(src[i]);
}

void halfToFloat(const std::uint16_t *src, float *dst, std::size_t n) {
  for (std::size_t i = hasF16c() ? halfToFloatWide(src, dst, n) : 0; i != n; ++i)
    dst[i] = fromHalf(src[i]);
}

void halfToDouble(const std::uint16_t *src, double *dst, std::size_t n) {
  for (std::size_t i = 0; i != n; ++i)
    dst[i] = fromHalf(src[i]);
}

} // namespace poplar::types
