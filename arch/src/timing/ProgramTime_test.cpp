// SPDX-License-Identifier: MIT
#include "arch/ProgramTime.hpp"
#include "base/Error.hpp"
#include <gtest/gtest.h>

using namespace arch;

TEST(ProgramTime, PartsOfAStepDoNotOverlap) {
  EXPECT_EQ((StepTime{100, 237, 64}).total(), 401u);
  EXPECT_EQ(overlapped(100, 250), 250u);
}

TEST(ProgramTime, EveryIterationBranches) {
  EXPECT_EQ(loopCycles(systemOf(chipByName("ipu2")), 100, 10), 1060u);
}

TEST(ProgramTime, AConditionReachesTheFarthestTile) {
  // boundary 237, route 154, one word on an idle pair, branch 6
  EXPECT_EQ(conditionCycles(systemOf(chipByName("ipu2"))), 237u + 154 + 1 + 6);
  EXPECT_EQ(conditionCycles(systemOf(chipByName("ipu2"), 1, 1)), 237u + 20 + 1 + 6);
  EXPECT_GT(conditionCycles(systemOf(chipByName("ipu2"), 16)),
            conditionCycles(systemOf(chipByName("ipu2"), 4)));
}

TEST(ProgramTime, APipelineRunsAtThePaceOfItsSlowestStage) {
  const std::vector<Cycles> stages = {100, 300, 200};
  EXPECT_EQ(pipelineCycles(stages, std::vector<unsigned>{0, 1, 2}, 10), 12u * 300);
}

TEST(ProgramTime, StagesOfOneIpuAddUp) {
  const std::vector<Cycles> stages = {100, 300, 250};
  EXPECT_EQ(pipelineCycles(stages, std::vector<unsigned>{0, 1, 0}, 10), 12u * 350);
  EXPECT_EQ(pipelineCycles({}, {}, 10), 0u);
  EXPECT_THROW(pipelineCycles(stages, std::vector<unsigned>{0}, 10), base::InternalError);
}
