// SPDX-License-Identifier: MIT
#include "arch/Instructions.hpp"
#include <gtest/gtest.h>
#include <stdexcept>

using namespace arch;

TEST(Instructions, APlainTriadTakesSevenInstructionsPerElement) {
  InstructionCount count;
  count[Instruction::Load] = 2000;
  count[Instruction::FloatAddMul] = 2000;
  count[Instruction::Store] = count[Instruction::Integer] = count[Instruction::Branch] = 1000;
  const auto &chip = chipByName("ipu1");
  EXPECT_EQ(count.bundles(chip), 7000u + chip.launch.vertexBundles);
}

TEST(Instructions, AnEmptyVertexIsNotFree) {
  auto chip = chipByName("ipu2");
  EXPECT_EQ(InstructionCount{}.bundles(chip), chip.launch.vertexBundles);
  chip.launch.vertexBundles = 0;
  EXPECT_EQ(InstructionCount{}.bundles(chip), 1u);
}

TEST(Instructions, EveryClassHasANameOfItsOwn) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < instructionClasses; ++i)
    names.push_back(toString(Instruction(i)));
  EXPECT_STREQ(toString(Instruction::Load), "load");
  EXPECT_STREQ(toString(Instruction::Branch), "branch");
  EXPECT_STREQ(toString(Instruction::DoubleConvert), "double convert");
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
}

TEST(Instructions, LongLibraryFunctionsAreCalls) {
  InstructionCount count;
  count.call("expf", 10);
  EXPECT_EQ(count.bundles(chipByName("ipu2")), 20u + 10 * 2);
  count.call("erff", 10);
  EXPECT_EQ(count.bundles(chipByName("ipu2")), 20u + 10 * 2 + 10 * (4 + 20));
  double sine = 0, doubleSine = 0;
  EXPECT_TRUE(libraryBundles("sinf", sine));
  EXPECT_EQ(sine, 2300);
  EXPECT_TRUE(libraryBundles("exp", doubleSine));
  EXPECT_FALSE(libraryBundles("frobnicate", sine));
}

TEST(Instructions, OfVectorsAreFewerThanTheirLanes) {
  const auto cost = [](const char *function, const char *type) {
    double bundles = -1;
    return vectorBundles(function, type, bundles) ? bundles : -1;
  };
  EXPECT_EQ(cost("max", "float2"), 1);
  EXPECT_EQ(cost("max", "half4"), 1);
  EXPECT_EQ(cost("fma", "float4"), 4);
  EXPECT_EQ(cost("exp", "half4"), 2);
  EXPECT_EQ(cost("exp", "half2"), 1.5);
  EXPECT_EQ(cost("tanh", "float2"), 10);
  EXPECT_EQ(cost("frobnicate", "half4"), -1);
}

TEST(Instructions, SuggestsAFunctionThatIsNear) {
  InstructionCount count;
  try {
    count.call("exppf");
    FAIL();
  } catch (const std::invalid_argument &e) {
    EXPECT_NE(std::string(e.what()).find("\"expf\""), std::string::npos) << e.what();
  }
}
