// SPDX-License-Identifier: MIT
#include "Access.hpp"
#include <gtest/gtest.h>

using namespace popvision;

TEST(Access, TokensAreLongAndNeverTheSame) {
  EXPECT_EQ(makeToken().size(), 32u);
  EXPECT_NE(makeToken(), makeToken());
}

TEST(Access, SecretsAreTheSameOnlyAsAWhole) {
  EXPECT_TRUE(sameSecret("abc", "abc"));
  for (const char *other : {"", "ab", "abd", "abcd", "Abc"})
    EXPECT_FALSE(sameSecret("abc", other)) << other;
}

TEST(Access, FindsACookieAmongOthers) {
  EXPECT_EQ(cookieOf("popvision-1=a", "popvision-1"), "a");
  EXPECT_EQ(cookieOf("x=1; popvision-1=a; y=2", "popvision-1"), "a");
  for (const char *header :
       {"", ";", "popvision-1", "popvision-11=a", "xpopvision-1=a", "popvision-1 =a", "=a"})
    EXPECT_EQ(cookieOf(header, "popvision-1"), "") << header;
}
