// SPDX-License-Identifier: MIT
#include "pva/Cycles.hpp"
#include <gtest/gtest.h>
#include <string>

namespace {

using Type = pva::Program::Type;

std::string kindOf(Type type) { return toString(pva::cycleKind(type)); }

TEST(Cycles, WaitingForTheHostIsItsTime) {
  EXPECT_EQ(kindOf(Type::StreamCopyBegin), "host");
  EXPECT_EQ(kindOf(Type::StreamCopyMid), "host");
  EXPECT_EQ(kindOf(Type::StreamCopyEnd), "host");
  EXPECT_EQ(kindOf(Type::Sync), "sync");
  EXPECT_EQ(kindOf(Type::Sans), "sync");
}

TEST(Cycles, ExchangesBetweenTilesAndBetweenIpusAreTwoKinds) {
  EXPECT_EQ(kindOf(Type::DoExchange), "exchange");
  EXPECT_EQ(kindOf(Type::GlobalExchange), "globalExchange");
}

TEST(Cycles, WhatIsNeitherIsControl) {
  EXPECT_EQ(kindOf(Type::OnTileExecute), "compute");
  EXPECT_EQ(kindOf(Type::Switch), "control");
  EXPECT_EQ(kindOf(Type::WriteUndef), "control");
  EXPECT_EQ(kindOf(Type::Unknown), "control");
}

TEST(Cycles, KindsAddUpToTheTotal) {
  pva::CyclesByKind sum;
  for (const auto &[type, cycles] : {std::pair(Type::StreamCopyBegin, 60),
                                     {Type::StreamCopyMid, 7},
                                     {Type::Sync, 5},
                                     {Type::OnTileExecute, 20},
                                     {Type::Repeat, 8}})
    sum.add(pva::cycleKind(type), std::uint64_t(cycles));
  EXPECT_EQ(sum[pva::CycleKind::Host], 67u);
  EXPECT_EQ(sum[pva::CycleKind::Sync], 5u);
  EXPECT_EQ(sum[pva::CycleKind::Control], 8u);
  EXPECT_EQ(sum.total(), 100u);
}

TEST(Cycles, CopiesOfTheCompilerAndOfLibrariesRearrange) {
  EXPECT_TRUE(pva::onlyRearranges("net/copy-in", {}));
  EXPECT_TRUE(pva::onlyRearranges("unpack", {}));
  EXPECT_TRUE(
      pva::onlyRearranges("conv/PreArrange", {"poplar_rt::DstStridedCopy64BitMultiAccess"}));
}

TEST(Cycles, VerticesOfUsersComputeWhateverTheirNames) {
  EXPECT_FALSE(pva::onlyRearranges("copy", {"MyCopy"}));
  EXPECT_FALSE(pva::onlyRearranges("conv", {"poplar_rt::Transpose1D", "Add"}));
  EXPECT_FALSE(pva::onlyRearranges("photocopy", {}));
}

} // namespace
