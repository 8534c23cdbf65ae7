// SPDX-License-Identifier: MIT
#include "backend/PrintTensor.hpp"
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>

using namespace poplar;
using poplar::backend::formatTensor;
using poplar::backend::printedTensor;
using Shape = std::vector<std::size_t>;

namespace {

std::string floats(const Shape &shape, std::vector<float> values,
                   executable::PrintFormat format = {}) {
  return formatTensor(TypeId::Float, shape, values.data(), format);
}
std::string counting(const Shape &shape, executable::PrintFormat format = {}) {
  std::size_t n = 1;
  for (auto extent : shape)
    n *= extent;
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), 0);
  return formatTensor(TypeId::Int, shape, values.data(), format);
}

} // namespace

TEST(PrintTensor, ScalarsHaveNoBrackets) {
  int one = 1;
  EXPECT_EQ(printedTensor("title", TypeId::Int, {}, &one, {}), "title: 1\n");
  EXPECT_EQ(printedTensor("", TypeId::Int, {}, &one, {}), "1\n");
}

TEST(PrintTensor, VectorsStandOnOneLineWithEightDigits) {
  float values[] = {1, 1.5, 2, 2.5};
  EXPECT_EQ(printedTensor("v1-debug", TypeId::Float, {4}, values, {}),
            "v1-debug: [1.0000000 1.5000000 2.0000000 2.5000000]\n");
}

TEST(PrintTensor, MatricesIndentOneColumnPerLevel) {
  EXPECT_EQ(counting({2, 3}), "[\n [0 1 2]\n [3 4 5]\n]");
  EXPECT_EQ(counting({2, 1, 2}), "[\n [\n  [0 1]\n ]\n [\n  [2 3]\n ]\n]");
}

TEST(PrintTensor, ElementsArePaddedToEqualWidth) {
  int values[] = {1, -20, 3};
  EXPECT_EQ(formatTensor(TypeId::Int, {3}, values, {}), "[  1 -20   3]");
  EXPECT_EQ(floats({2}, {10.5, -1}), "[10.500000 -1.000000]");
}

TEST(PrintTensor, WideRangesAreScientific) {
  EXPECT_EQ(floats({2}, {1.4962566f, 1e-6f}), "[1.4962566e+00 1.0000000e-06]");
  EXPECT_EQ(floats({1}, {1e20f}), "[1.0000000e+20]");
}

TEST(PrintTensor, TheFloatFormatCanBeForced) {
  executable::PrintFormat format;
  format.digits = 3;
  format.floatFormat = 2;
  EXPECT_EQ(floats({2}, {1, 20}, format), "[1.00e+00 2.00e+01]");
  format.floatFormat = 1;
  EXPECT_EQ(floats({2}, {1e-6f, 2}, format), "[0.00 2.00]");
  format.floatFormat = 3;
  EXPECT_EQ(floats({2}, {0.5, 2}, format), "[0.5   2]");
}

TEST(PrintTensor, InfinitiesAndNansArePadded) {
  EXPECT_EQ(floats({3}, {1, INFINITY, -INFINITY}), "[1.0000000       inf      -inf]");
}

TEST(PrintTensor, LargeTensorsShowTheirEdges) {
  EXPECT_EQ(counting({1001}), "[   0    1    2 ...  998  999 1000]");
  EXPECT_EQ(counting({1000}).find("..."), std::string::npos);
  executable::PrintFormat format;
  format.summariseThreshold = 10;
  format.edgeItems = 1;
  EXPECT_EQ(counting({3, 4}, format), "[\n [ 0 ...  3]\n ...\n [ 8 ... 11]\n]");
}

TEST(PrintTensor, LongLinesContinueTwoColumnsFurther) {
  executable::PrintFormat format;
  format.maxLineWidth = 8;
  EXPECT_EQ(counting({6}, format), "[0 1 2 \n  3 4 5]");
  format.maxLineWidth = 0;
  EXPECT_EQ(counting({6}, format), "[0 1 2 3 4 5]");
}

TEST(PrintTensor, BracketsAndSeparatorCanBeChosen) {
  executable::PrintFormat format;
  format.separator = ',';
  format.openBracket = '{';
  format.closeBracket = '}';
  EXPECT_EQ(counting({2, 2}, format), "{\n {0,1}\n {2,3}\n}");
}

TEST(PrintTensor, EmptyTensorsAndSmallTypes) {
  EXPECT_EQ(counting({0}), "[]");
  std::int8_t bytes[] = {-1, 2};
  EXPECT_EQ(formatTensor(TypeId::Char, {2}, bytes, {}), "[-1  2]");
  bool flags[] = {true, false};
  EXPECT_EQ(formatTensor(TypeId::Bool, {2}, flags, {}), "[1 0]");
  std::uint16_t half = 0x3e00;
  EXPECT_EQ(formatTensor(TypeId::Half, {1}, &half, {}), "[1.5000000]");
}
