// SPDX-License-Identifier: MIT
// Every way to make random words gives those of a plain loop over counters.
#include "Philox.hpp"
#include <gtest/gtest.h>
#include <vector>

namespace {

// Word `word` of the four that belong to a counter.
std::uint32_t plainWord(std::uint64_t key, std::uint64_t counter, unsigned word) {
  std::uint64_t c[4] = {counter & 0xffffffff, counter >> 32, 0, 0};
  std::uint64_t k[2] = {key & 0xffffffff, key >> 32};
  for (int round = 0; round < 7; ++round) {
    const std::uint64_t p = 0xD2511F53 * c[0], q = 0xCD9E8D57 * c[2];
    const std::uint64_t next[4] = {(q >> 32) ^ c[1] ^ k[0], q & 0xffffffff, (p >> 32) ^ c[3] ^ k[1],
                                   p & 0xffffffff};
    std::copy(next, next + 4, c);
    k[0] = (k[0] + 0x9E3779B9) & 0xffffffff;
    k[1] = (k[1] + 0xBB67AE85) & 0xffffffff;
  }
  return std::uint32_t(c[word]);
}

TEST(Philox, WordsAreThoseOfPlainLoops) {
  for (std::uint64_t key : {0ull, 0x123456789abcdef0ull, ~0ull})
    for (std::uint64_t block : {0ull, 1ull, 0xfffffffull, 0x123456789ull}) {
      std::vector<std::uint32_t> some(3 * poprand::blockWords), one(poprand::blockWords);
      poprand::randomWords(key, block, 3, some.data());
      poprand::philox(key, block + 1, one.data());
      for (std::size_t i = 0; i < some.size(); ++i) {
        const auto counter = (block + i / 64) * 16 + i % 16;
        ASSERT_EQ(some[i], plainWord(key, counter, unsigned(i % 64 / 16))) << block << " " << i;
        if (i / 64 == 1) {
          ASSERT_EQ(some[i], one[i % 64]);
        }
      }
    }
}

} // namespace
