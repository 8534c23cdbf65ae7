// SPDX-License-Identifier: MIT
#include "machine/Attributes.hpp"
#include "Tools.hpp"

using namespace tools;

TEST_F(Tools, OpenipuSaysWhichOneThisIs) {
  const auto version = machine::softwareVersion();
  EXPECT_TRUE(has(output("openipu --version"), "openipu " + version));
  EXPECT_TRUE(has(output("openipu"), "OpenIPU " + version + ", with the interface of"));
  EXPECT_EQ(json("openipu -j")["version"], version);
}
