// SPDX-License-Identifier: MIT
// Philox for whole blocks. By hand for AVX-512: compilers make products of 64 by 64 bits where 32
// by 32 will do.
#include "Philox.hpp"
#include "base/VectorUnit.hpp"
#if defined(__x86_64__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized" // of the intrinsics themselves
#include <immintrin.h>
#endif

namespace poprand {
namespace {

OPENIPU_SIMD void anyMachine(std::uint64_t key, std::uint64_t block, std::size_t blocks,
                             std::uint32_t *words) {
  for (std::size_t b = 0; b < blocks; ++b)
    philox(key, block + b, words + b * blockWords);
}

#if defined(__x86_64__)
// Upper and lower halves of the products of 16 words with m.
struct Product {
  __m512i high, low;
};
__attribute__((target("avx512f"), always_inline)) inline Product times(__m512i x, __m512i m) {
  const __m512i even = _mm512_mul_epu32(x, m), odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), m);
  return {_mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_CDAB),
          _mm512_mask_shuffle_epi32(even, 0xaaaa, odd, _MM_PERM_CDAB)};
}

__attribute__((target("avx512f"))) void avx512(std::uint64_t key, std::uint64_t block,
                                               std::size_t blocks, std::uint32_t *words) {
  const __m512i m0 = _mm512_set1_epi64(0xD2511F53), m1 = _mm512_set1_epi64(0xCD9E8D57);
  const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  for (std::size_t b = 0; b < blocks; ++b, words += blockWords) {
    const std::uint64_t counter = (block + b) * 16; // its lower word has room for the lanes
    __m512i c0 = _mm512_add_epi32(_mm512_set1_epi32(int(counter)), lane);
    __m512i c1 = _mm512_set1_epi32(int(counter >> 32));
    __m512i c2 = _mm512_setzero_si512(), c3 = c2;
    std::uint32_t k0 = std::uint32_t(key), k1 = std::uint32_t(key >> 32);
#pragma GCC unroll 7
    for (int round = 0; round < 7; ++round) {
      const Product p0 = times(c0, m0), p1 = times(c2, m1);
      c0 = _mm512_ternarylogic_epi32(p1.high, c1, _mm512_set1_epi32(int(k0)), 0x96);
      c2 = _mm512_ternarylogic_epi32(p0.high, c3, _mm512_set1_epi32(int(k1)), 0x96);
      c1 = p1.low;
      c3 = p0.low;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    _mm512_storeu_si512(words, c0);
    _mm512_storeu_si512(words + 16, c1);
    _mm512_storeu_si512(words + 32, c2);
    _mm512_storeu_si512(words + 48, c3);
  }
}
#endif

} // namespace

void randomWords(std::uint64_t key, std::uint64_t block, std::size_t blocks, std::uint32_t *words) {
#if defined(__x86_64__)
  if (base::vectorUnit() == base::VectorUnit::Avx512)
    return avx512(key, block, blocks, words);
#endif
  anyMachine(key, block, blocks, words);
}

} // namespace poprand
