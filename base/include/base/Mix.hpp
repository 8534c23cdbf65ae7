// SPDX-License-Identifier: MIT
// Spreads a counter over 64 bits (the finaliser of SplitMix64): seeds that differ in one bit give
// unrelated numbers.
#pragma once
#include <cstdint>

namespace base {

inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

} // namespace base
