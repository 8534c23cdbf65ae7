// SPDX-License-Identifier: MIT
#include "base/FloatMode.hpp"
#include "base/testing/Child.hpp"
#include "base/Threads.hpp"
#include <atomic>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>
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

TEST(Threads, WorkIsDoneInTheCallersFloatModeWhichStaysAsItWas) {
  const auto before = base::floatMode();
  for (unsigned threads : {1u, 3u}) {
    base::setNumThreads(threads);
    for (bool flush : {true, false}) {
      volatile float tiny = 1e-30f;
      std::vector<float> products(300, -1);
      auto fill = [&] {
        base::parallelFor(products.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
          for (auto i = begin; i < end; ++i)
            products[i] = tiny * 1e-10f;
        });
      };
      if (flush) {
        base::FlushDenormals flushing;
        fill();
      } else
        fill();
      for (float x : products)
        EXPECT_EQ(x, flush ? 0.0f : 1e-40f);
    }
  }
  EXPECT_EQ(base::floatMode() & base::flushingBits, before & base::flushingBits);
}

TEST(Threads, ManyShortJobsFromSeveralThreadsAreAllDone) {
  base::setNumThreads(4);
  std::atomic<std::size_t> sum{0};
  auto caller = [&] {
    for (int job = 0; job < 2000; ++job)
      base::parallelFor(5, 1,
                        [&](std::size_t begin, std::size_t end, unsigned) { sum += end - begin; });
  };
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i)
    callers.emplace_back(caller);
  for (auto &thread : callers)
    thread.join();
  EXPECT_EQ(sum, 30000u);
}

namespace {

using base::testing::statusOfChild;

std::size_t countInParallel() {
  std::atomic<std::size_t> sum{0};
  base::parallelFor(1000, 1,
                    [&](std::size_t begin, std::size_t end, unsigned) { sum += end - begin; });
  return sum;
}

} // namespace

TEST(Threads, AForkedChildHasAPoolOfItsOwnAndExits) {
  base::setNumThreads(3);
  EXPECT_EQ(countInParallel(), 1000u);
  EXPECT_EQ(statusOfChild([] { return true; }), 0);
  EXPECT_EQ(statusOfChild([] { return base::numThreads() == 3 && countInParallel() == 1000; }), 0);
  EXPECT_EQ(
      statusOfChild([] { return statusOfChild([] { return countInParallel() == 1000; }) == 0; }),
      0);
  EXPECT_EQ(countInParallel(), 1000u);
}

TEST(Threads, AChildThatWasForkedWhileOthersComputeWorks) {
  if (!base::testing::forksBesideThreads)
    GTEST_SKIP();
  base::setNumThreads(3);
  std::atomic<bool> done{false};
  std::vector<std::thread> others;
  for (int i = 0; i < 2; ++i)
    others.emplace_back([&] {
      while (!done)
        countInParallel();
    });
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(statusOfChild([] { return countInParallel() == 1000; }), 0);
  done = true;
  for (auto &thread : others)
    thread.join();
  EXPECT_EQ(countInParallel(), 1000u);
}
