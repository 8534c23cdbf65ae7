// SPDX-License-Identifier: MIT
// Random bits by counting: Philox 4x32 with seven rounds (Salmon et al., SC11). Word i of a stream
// is a function of key and i alone, so threads need no state, and sixteen counters at a time fill
// vector registers.
#pragma once
#include "base/Simd.hpp"
#include "openipu/Kernel.hpp"
#include <cstdint>

namespace poprand {

constexpr std::size_t blockWords = 64; // sixteen counters, four words each

// Words [64 * block, 64 * block + 64) of the stream.
OPENIPU_INLINE void philox(std::uint64_t key, std::uint64_t block, std::uint32_t *words) {
  for (unsigned lane = 0; lane < 16; ++lane) {
    const std::uint64_t counter = block * 16 + lane;
    std::uint32_t c0 = std::uint32_t(counter), c1 = std::uint32_t(counter >> 32), c2 = 0, c3 = 0;
    std::uint32_t k0 = std::uint32_t(key), k1 = std::uint32_t(key >> 32);
#pragma GCC unroll 7
    for (int round = 0; round < 7; ++round) {
      const std::uint64_t p0 = std::uint64_t(0xD2511F53u) * c0;
      const std::uint64_t p1 = std::uint64_t(0xCD9E8D57u) * c2;
      c0 = std::uint32_t(p1 >> 32) ^ c1 ^ k0;
      c2 = std::uint32_t(p0 >> 32) ^ c3 ^ k1;
      c1 = std::uint32_t(p1);
      c3 = std::uint32_t(p0);
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    words[lane] = c0;
    words[16 + lane] = c1;
    words[32 + lane] = c2;
    words[48 + lane] = c3;
  }
}

// The words of `blocks` blocks, with the best instructions of this machine.
void randomWords(std::uint64_t key, std::uint64_t block, std::size_t blocks, std::uint32_t *words);

// Spreads every bit of z over all bits (the finaliser of SplitMix64).
inline std::uint64_t mix(std::uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

// The key of (seed, modifier). `seed`: two words.
inline std::uint64_t seededKey(const openipu::KernelOperand &seed, std::uint32_t modifier) {
  const auto *words = seed.as<const std::uint32_t>();
  const std::uint64_t both = words[0] | std::uint64_t(words[seed.strides[0]]) << 32;
  return mix(mix(both + 0x9e3779b97f4a7c15ull) + 0x9e3779b97f4a7c15ull * (modifier + 1ull));
}

} // namespace poprand
