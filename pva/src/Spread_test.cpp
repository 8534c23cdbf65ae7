// SPDX-License-Identifier: MIT
#include "pva/Spread.hpp"
#include <algorithm>
#include <gtest/gtest.h>

namespace {

using pva::CycleKind;

pva::ModelErrors errorsOf(const std::string &kind) {
  for (const auto &each : pva::modelErrors())
    if (each.kind == kind)
      return each;
  ADD_FAILURE() << "no errors of " << kind;
  return {};
}

TEST(Spread, EveryKindOfCyclesHasALineInTheTableOfErrors) {
  for (const char *vertex : {"Mine", "popops::Add", "poplin::ConvPartial1x1Out<half,half>",
                             "poplin::ConvPartialnx1<float,float>", "popsparse::Sparse",
                             "poplin::ConvPartialVerticalMac<half,float>"})
    errorsOf(pva::measuredAs(CycleKind::Compute, {vertex}));
  for (const auto kind : {CycleKind::Rearrange, CycleKind::Exchange, CycleKind::GlobalExchange,
                          CycleKind::Host, CycleKind::Sync})
    errorsOf(pva::measuredAs(kind, {}));
}

TEST(Spread, TellsProductsConvolutionsAndCodeletsApart) {
  const auto of = [](const char *vertex) { return pva::measuredAs(CycleKind::Compute, {vertex}); };
  EXPECT_EQ(of("poplin::ConvPartial1x1Out<half,half,true>"), "products, half");
  EXPECT_EQ(of("poplin::ConvPartialHorizontalMac1x1<float,float,true>"), "products, float");
  EXPECT_EQ(of("poplin::ConvPartialVerticalMac<half,half>"), "convolution");
  EXPECT_EQ(of("popops::Fill<float>"), "whole models");
  EXPECT_EQ(of("MyStencil"), "C++ vertices");
}

TEST(Spread, AStepErrsAsItsPartsDo) {
  pva::Spread spread;
  spread.add("products, half", 500);
  spread.add("exchange", 300);
  spread.add("host", 200);
  const auto half = errorsOf("products, half").mean, exchange = errorsOf("exchange").mean;
  ASSERT_GT(half, 0);
  EXPECT_EQ(spread.total(), 1000u);
  EXPECT_DOUBLE_EQ(spread.measured(), 0.8);
  EXPECT_DOUBLE_EQ(*spread.mean(), (500 * half + 300 * exchange) / 800);
  ASSERT_EQ(spread.parts().size(), 3u);
  EXPECT_EQ(spread.parts()[0].kind, "products, half");
  EXPECT_EQ(spread.parts()[0].rows, errorsOf("products, half").rows);
  EXPECT_FALSE(spread.parts()[2].mean); // published rows of the host set constants
  EXPECT_EQ(spread.inWords().rfind("50 % products, half ±", 0), 0u) << spread.inWords();
  EXPECT_NE(spread.inWords().find("20 % host (sets constants)"), std::string::npos);
}

TEST(Spread, WhatNothingWasMeasuredOfHasNoError) {
  pva::Spread spread;
  EXPECT_FALSE(spread.mean());
  spread.add("control", 7);
  EXPECT_FALSE(spread.mean());
  EXPECT_EQ(spread.measured(), 0);
  EXPECT_EQ(spread.inWords(), "100 % control (not measured)");
}

} // namespace
