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

constexpr std::uint32_t largestBits = 0x477fe000; // 65504, the largest half, as a float
constexpr std::uint16_t largestHalf = 0x7bff, nanHalf = 0x7e00;
std::uint32_t magnitudeOf(float value) { return std::bit_cast<std::uint32_t>(value) & 0x7fffffff; }

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
OPENIPU_F16C bool anyBlockMayOverflow(const float *values, std::size_t n, std::size_t &done) {
  const auto magnitude = _mm256_set1_epi32(0x7fffffff), most = _mm256_set1_epi32(largestBits);
  auto found = _mm256_setzero_si256();
  for (done = 0; done + 8 <= n; done += 8) {
    const auto v = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(values + done));
    found = _mm256_or_si256(found, _mm256_cmpgt_epi32(_mm256_and_si256(v, magnitude), most));
  }
  return !_mm256_testz_si256(found, found);
}
OPENIPU_F16C bool anyBlockIsInfinite(const std::uint16_t *halves, std::size_t n,
                                     std::size_t &done) {
  const auto magnitude = _mm256_set1_epi16(0x7fff), infinity = _mm256_set1_epi16(0x7c00);
  auto found = _mm256_setzero_si256();
  for (done = 0; done + 16 <= n; done += 16) {
    const auto v = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(halves + done));
    found = _mm256_or_si256(found, _mm256_cmpeq_epi16(_mm256_and_si256(v, magnitude), infinity));
  }
  return !_mm256_testz_si256(found, found);
}
#else
bool anyBlockMayOverflow(const float *, std::size_t, std::size_t &) { return false; }
bool anyBlockIsInfinite(const std::uint16_t *, std::size_t, std::size_t &) { return false; }
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

bool mayOverflowHalf(const float *values, std::size_t n) {
  std::size_t i = 0;
  if (hasInstructions() && anyBlockMayOverflow(values, n, i))
    return true;
  for (; i < n; ++i)
    if (magnitudeOf(values[i]) > largestBits)
      return true;
  return false;
}

void limitToHalf(float *values, std::size_t n, HalfOverflow overflow) {
  if (overflow == HalfOverflow::Infinite || !mayOverflowHalf(values, n))
    return;
  constexpr std::uint32_t roundsUp = 0x477ff000, infinity = 0x7f800000; // 65520
  for (std::size_t i = 0; i < n; ++i) {
    const auto magnitude = magnitudeOf(values[i]);
    if (magnitude <= largestBits || magnitude >= infinity)
      continue;
    const bool nan = overflow == HalfOverflow::Nan && magnitude >= roundsUp;
    const auto sign = std::bit_cast<std::uint32_t>(values[i]) & 0x80000000;
    values[i] = std::bit_cast<float>(sign | (nan ? 0x7fc00000 : largestBits));
  }
}

bool hasInfinity(const std::uint16_t *halves, std::size_t n) {
  std::size_t i = 0;
  if (hasInstructions() && anyBlockIsInfinite(halves, n, i))
    return true;
  for (; i < n; ++i)
    if ((halves[i] & 0x7fff) == 0x7c00)
      return true;
  return false;
}

void limitInfinities(std::uint16_t *halves, std::size_t n, HalfOverflow overflow) {
  if (overflow == HalfOverflow::Infinite)
    return;
  const auto becomes = overflow == HalfOverflow::Nan ? nanHalf : largestHalf;
  for (std::size_t i = 0; i < n; ++i)
    if ((halves[i] & 0x7fff) == 0x7c00)
      halves[i] = std::uint16_t((halves[i] & 0x8000) | becomes);
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
