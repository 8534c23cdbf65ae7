// SPDX-License-Identifier: MIT
#include "base/OwnLibrary.hpp"
#include <filesystem>
#include <gtest/gtest.h>

static void here() {}

TEST(OwnLibrary, IsTheFileThatHoldsAFunction) {
  const auto file = base::libraryOf(reinterpret_cast<const void *>(&here));
  EXPECT_TRUE(std::filesystem::exists(file)) << file;
  EXPECT_EQ(base::moveNote(std::filesystem::canonical(file)), "");
}

TEST(OwnLibrary, SaysThatItWasMoved) {
  EXPECT_NE(base::moveNote("/nowhere/lib/libpoplar.so")
                .find(" This program started with /nowhere/lib/libpoplar.so, which is not there"),
            std::string::npos);
  EXPECT_EQ(base::moveNote("lib/libpoplar.so"), ""); // seen from a folder that is not known
  EXPECT_EQ(base::moveNote(""), "");
}
