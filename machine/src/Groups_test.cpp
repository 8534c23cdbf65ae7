// SPDX-License-Identifier: MIT
#include "machine/Groups.hpp"
#include <gtest/gtest.h>

using namespace machine;

TEST(Groups, CountSinglesThenPairsThenQuads) {
  // The ids at which groups of 2, 4, ... begin, as logs of PODs show them.
  for (unsigned ipus : {1u, 2u, 4u, 8u, 16u, 64u}) {
    const auto all = groupsOf(ipus, true);
    ASSERT_EQ(all.size(), 2 * ipus - 1);
    for (const auto &group : all)
      if (group.first == 0) {
        EXPECT_EQ(group.id, 2 * ipus - 2 * ipus / group.size);
      }
  }
  EXPECT_EQ(groupsOf(16, true)[25], (Group{25, 4, 4}));
}

TEST(Groups, OfAnyNumberAreThoseThatFit) {
  EXPECT_EQ(groupsOf(3, true), (std::vector<Group>{{0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {3, 0, 2}}));
}

TEST(Groups, OfAFixedPartitionAreOne) {
  EXPECT_EQ(groupsOf(16, false), (std::vector<Group>{{0, 0, 16}}));
}
