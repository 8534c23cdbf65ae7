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
  sum.add(Type::StreamCopyBegin, 60);
  sum.add(Type::StreamCopyMid, 7);
  sum.add(Type::Sync, 5);
  sum.add(Type::OnTileExecute, 20);
  sum.add(Type::Repeat, 8);
  EXPECT_EQ(sum[pva::CycleKind::Host], 67u);
  EXPECT_EQ(sum[pva::CycleKind::Sync], 5u);
  EXPECT_EQ(sum[pva::CycleKind::Control], 8u);
  EXPECT_EQ(sum.total(), 100u);
}

} // namespace
