// SPDX-License-Identifier: MIT
// What browsers do with it is tests/popvision's matter; here are the bytes that everybody agrees
// on.
#include "Deflate.hpp"
#include <gtest/gtest.h>

namespace {

using popvision::base64;
using popvision::deflated;

std::string hex(const std::string &bytes) {
  constexpr const char *digits = "0123456789abcdef";
  std::string text;
  for (const unsigned char c : bytes) {
    text += digits[c >> 4];
    text += digits[c & 15];
  }
  return text;
}

TEST(Deflate, IsZlibsFormatWithFixedCodes) {
  EXPECT_EQ(hex(deflated("")), "7801030000000001");
  EXPECT_EQ(hex(deflated("a")), "78014b040000620062"); // as zlib writes it
}

TEST(Deflate, WhatRepeatsItselfTakesNextToNothing) {
  EXPECT_EQ(hex(deflated("aaaaaaaaaa")), "78014b84030014e103cb"); // one a, nine from one back
  std::string text;
  for (int i = 0; i < 100'000; ++i)
    text += "[0,1472,";
  EXPECT_LT(deflated(text).size(), text.size() / 80);
}

TEST(Deflate, Base64PadsToFours) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob\xff"), "Zm9vYv8=");
}

} // namespace
