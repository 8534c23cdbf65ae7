// SPDX-License-Identifier: MIT
#include "base/Half.hpp"
#include "poplar/exceptions.hpp"
#include "types/TypeAccess.hpp"
#include "types/Value.hpp"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace poplar::types {
namespace {

template <class To, class From> To converted(From value, TypeId to) {
  To result{};
  convertElements(idOf(equivalent_device_type<From>().value), &value, to, &result, 1, false);
  return result;
}

template <class From> std::string failure(From value, TypeId to) {
  try {
    converted<std::uint64_t>(value, to);
  } catch (const overflow_error &e) {
    return e.what();
  }
  return "";
}

TEST(ConvertElements, EveryPairOfTypesKeepsASmallNumber) {
  for (unsigned from = 0; from != numTypeIds; ++from)
    for (unsigned to = 0; to != numTypeIds; ++to) {
      const auto a = static_cast<TypeId>(from), b = static_cast<TypeId>(to);
      if (a == TypeId::Quarter || b == TypeId::Quarter)
        continue;
      const int seven = a == TypeId::Bool || b == TypeId::Bool ? 1 : 7;
      alignas(8) char first[8], second[8];
      int back = 0;
      convertElements(TypeId::Int, &seven, a, first, 1, false);
      convertElements(a, first, b, second, 1, false);
      convertElements(b, second, TypeId::Int, &back, 1, false);
      EXPECT_EQ(back, seven) << spelling(a) << " to " << spelling(b);
    }
}

TEST(ConvertElements, RefusesIntegersThatDoNotFitAndNamesThem) {
  EXPECT_EQ(failure(300, TypeId::UnsignedChar), "Value 300 does not fit type unsigned char.");
  EXPECT_EQ(failure(-1, TypeId::UnsignedInt), "Value -1 does not fit type unsigned int.");
  EXPECT_EQ(failure(128, TypeId::Char), "Value 128 does not fit type char.");
  EXPECT_EQ(failure(std::uint64_t(1) << 63, TypeId::LongLong),
            "Value 9223372036854775808 does not fit type long long.");
  EXPECT_EQ(failure(70000, TypeId::Half), "Value 70000 does not fit type half.");
  EXPECT_NE(failure(std::nan(""), TypeId::Int), "");
  EXPECT_NE(failure(2147483648.0, TypeId::Int), "");
  EXPECT_NE(failure(-1.0f, TypeId::UnsignedInt), "");
}

TEST(ConvertElements, AcceptsTheLimitsOfIntegers) {
  EXPECT_EQ(converted<int>(-2147483648.0, TypeId::Int), std::numeric_limits<int>::min());
  EXPECT_EQ(converted<int>(-2147483648.0f, TypeId::Int), std::numeric_limits<int>::min());
  EXPECT_EQ(converted<signed char>(-128.5f, TypeId::Char), -128);
  EXPECT_EQ(converted<unsigned>(-0.5f, TypeId::UnsignedInt), 0u);
  EXPECT_EQ(converted<int>(2147483647.0, TypeId::Int), std::numeric_limits<int>::max());
  EXPECT_EQ(
      converted<std::uint64_t>(std::numeric_limits<std::uint64_t>::max(), TypeId::UnsignedLongLong),
      std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(converted<signed char>(-128, TypeId::Char), -128);
  EXPECT_EQ(converted<unsigned>(0.75, TypeId::UnsignedInt), 0u);
}

TEST(ConvertElements, RoundsToFloatAndHalfAndOverflowsToInfinity) {
  EXPECT_EQ(converted<float>(16777217, TypeId::Float), 16777216.0f);
  EXPECT_EQ(base::halfToFloat(converted<std::uint16_t>(60000, TypeId::Half)), 60000.0f);
  EXPECT_EQ(base::halfToFloat(converted<std::uint16_t>(2049, TypeId::Half)), 2048.0f);
  EXPECT_TRUE(std::isinf(converted<float>(1e300, TypeId::Float)));
  EXPECT_TRUE(std::isinf(base::halfToFloat(converted<std::uint16_t>(1e10f, TypeId::Half))));
  EXPECT_TRUE(std::isnan(base::halfToFloat(converted<std::uint16_t>(std::nanf(""), TypeId::Half))));
}

TEST(ConvertElements, BoolIsWhetherTheValueDiffersFromZero) {
  EXPECT_TRUE(converted<bool>(300, TypeId::Bool));
  EXPECT_TRUE(converted<bool>(0.5, TypeId::Bool));
  EXPECT_FALSE(converted<bool>(-0.0f, TypeId::Bool));
}

TEST(ConvertElements, BroadcastsOneValue) {
  const int one = 3;
  std::vector<std::uint16_t> halves(5);
  convertElements(TypeId::Int, &one, TypeId::Half, halves.data(), 5, true);
  EXPECT_EQ(halves, std::vector<std::uint16_t>(5, base::floatToHalf(3.0f)));
  std::vector<int> same(4);
  convertElements(TypeId::Int, &one, TypeId::Int, same.data(), 4, true);
  EXPECT_EQ(same, std::vector<int>(4, 3));
}

TEST(ConvertElements, ReadsUnalignedArrays) {
  char bytes[9];
  const float values[] = {1.5f, -2.0f};
  std::memcpy(bytes + 1, values, sizeof values);
  std::uint16_t halves[2];
  convertElements(TypeId::Float, bytes + 1, TypeId::Half, halves, 2, false);
  EXPECT_EQ(base::halfToFloat(halves[0]), 1.5f);
  EXPECT_EQ(base::halfToFloat(halves[1]), -2.0f);
}

TEST(ConvertElements, QuarterNeedsMetadata) {
  EXPECT_THROW(converted<std::uint8_t>(1.0f, TypeId::Quarter), type_error);
}

TEST(ElementToString, WritesValues) {
  const bool b = true;
  const signed char c = -3;
  const std::uint16_t h = base::floatToHalf(1.5f);
  EXPECT_EQ(elementToString(TypeId::Bool, &b), "true");
  EXPECT_EQ(elementToString(TypeId::Char, &c), "-3");
  EXPECT_EQ(elementToString(TypeId::Half, &h), "1.5");
}

} // namespace
} // namespace poplar::types
