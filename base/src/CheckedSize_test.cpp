// SPDX-License-Identifier: MIT
#include "base/CheckedSize.hpp"
#include <gtest/gtest.h>
#include <vector>

namespace base {

using Shape = std::vector<std::uint64_t>;
constexpr std::uint64_t huge = std::uint64_t(1) << 62;

TEST(CheckedSize, ProductsAndSumsBeyondTheLimitAreEmpty) {
  EXPECT_EQ(checkedProduct(3, 4), 12u);
  EXPECT_EQ(checkedProduct(maxElements, 1), maxElements);
  EXPECT_EQ(checkedProduct(maxElements, 2), std::nullopt);
  EXPECT_EQ(checkedProduct(huge, 4), std::nullopt); // 2^64 wraps to 0
  EXPECT_EQ(checkedProduct(huge, 0), 0u);
  EXPECT_EQ(checkedSum(maxElements - 1, 1), maxElements);
  EXPECT_EQ(checkedSum(maxElements, 1), std::nullopt);
  EXPECT_EQ(checkedSum(~std::uint64_t(0), 2), std::nullopt); // wraps to 1
  EXPECT_EQ(checkedProduct(3, 4, 11), std::nullopt);
}

TEST(CheckedSize, AShapeHasAsManyElementsAsTheProductOfItsExtents) {
  EXPECT_EQ(checkedElements(Shape{}), 1u);
  EXPECT_EQ(checkedElements(Shape{2, 3, 4}), 24u);
  EXPECT_EQ(checkedElements(Shape{2, 0, 4}), 0u);
  EXPECT_EQ(checkedElements(Shape{std::uint64_t(1) << 32, std::uint64_t(1) << 32}), std::nullopt);
}

TEST(CheckedSize, AnExtentOfNoElementsDoesNotHideOthersThatWrap) {
  EXPECT_EQ(checkedElements(Shape{0, huge, 4}), std::nullopt);
  EXPECT_EQ(checkedElements(Shape{huge, 4, 0}), std::nullopt);
  EXPECT_EQ(checkedElements(Shape{~std::uint64_t(0), 0}), std::nullopt);
}

TEST(CheckedSize, LimitsMayBeLowerAndExtentsSigned) {
  using Signed = std::vector<std::int64_t>;
  EXPECT_EQ(checkedElements(Signed{2, 3}, 6), 6u);
  EXPECT_EQ(checkedElements(Signed{2, 3}, 5), std::nullopt);
  EXPECT_EQ(checkedElements(Signed{0, 3}, 5), 0u);
  EXPECT_EQ(checkedElements(Signed{0, 6}, 5), std::nullopt);
  EXPECT_EQ(checkedElements(Signed{2, -1}), std::nullopt);
  EXPECT_EQ(checkedElements(Signed{0, -1}, ~std::uint64_t(0) >> 1), std::nullopt);
}

TEST(CheckedSize, PartsBeginWhereTheyShouldHoweverLargeTheWhole) {
  for (std::uint64_t whole : {0, 1, 7, 24, 1000})
    for (std::uint64_t parts : {1, 3, 8})
      for (std::uint64_t i = 0; i <= parts; ++i)
        EXPECT_EQ(beginOfPart(whole, i, parts), whole * i / parts);
  EXPECT_EQ(beginOfPart(maxElements, 1472, 1472), maxElements);
  EXPECT_EQ(beginOfPart(std::uint64_t(1) << 60, 3, 4), std::uint64_t(3) << 58);
}

} // namespace base
