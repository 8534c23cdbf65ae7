// SPDX-License-Identifier: MIT
#include "base/Threads.hpp"
#include <atomic>
#include <gtest/gtest.h>
#include <stdexcept>
#include <vector>

TEST(Threads, EveryIndexIsVisitedOnceWhateverTheNumberOfThreads) {
  for (unsigned threads : {1u, 2u, 5u}) {
    base::setNumThreads(threads);
    for (std::size_t n : {0u, 1u, 7u, 1000u}) {
      std::vector<std::atomic<int>> visits(n);
      base::parallelFor(n, 3, [&](std::size_t begin, std::size_t end, unsigned thread) {
        EXPECT_LT(thread, threads);
        for (auto i = begin; i < end; ++i)
          ++visits[i];
      });
      for (auto &v : visits)
        EXPECT_EQ(v, 1);
    }
  }
}

TEST(Threads, AnExceptionReachesTheCallerAndThePoolGoesOn) {
  base::setNumThreads(3);
  auto fail = [] {
    base::parallelFor(100, 1, [](std::size_t begin, std::size_t, unsigned) {
      if (begin > 50)
        throw std::runtime_error("stop");
    });
  };
  EXPECT_THROW(fail(), std::runtime_error);
  std::atomic<std::size_t> sum{0};
  base::parallelFor(100, 1,
                    [&](std::size_t begin, std::size_t end, unsigned) { sum += end - begin; });
  EXPECT_EQ(sum, 100u);
}

TEST(Threads, NestedLoopsRunWhereTheyAre) {
  base::setNumThreads(2);
  std::atomic<std::size_t> sum{0};
  base::parallelFor(8, 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto i = begin; i < end; ++i)
      base::parallelFor(10, 1, [&](std::size_t b, std::size_t e, unsigned) { sum += e - b; });
  });
  EXPECT_EQ(sum, 80u);
}
