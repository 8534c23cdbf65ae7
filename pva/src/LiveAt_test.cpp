// SPDX-License-Identifier: MIT
#include "LiveAt.hpp"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using pva::detail::LiveAt;

TEST(LiveAt, SaysWhoLivesAtEveryStep) {
  std::mt19937 random(1);
  for (std::uint32_t steps : {1u, 63u, 64u, 65u, 300u}) {
    std::vector<LiveAt::Life> lives;
    std::vector<std::vector<std::uint32_t>> expected(steps);
    for (std::uint32_t variable = 0; variable < 200; ++variable) {
      const auto first = std::uint32_t(random() % steps);
      const auto last = std::min<std::uint32_t>(steps - 1, first + random() % 150);
      lives.push_back({variable, {first, last}});
      for (auto step = first; step <= last; ++step)
        expected[step].push_back(variable);
    }
    std::shuffle(lives.begin(), lives.end(), random);
    const LiveAt at(std::move(lives), steps);
    for (std::uint32_t step = 0; step < steps; ++step)
      EXPECT_EQ(at(step), expected[step]) << step << " of " << steps;
  }
}
