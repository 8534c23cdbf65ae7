// SPDX-License-Identifier: MIT
// Shapes that no tensor has are refused where they are said, so that no size overflows later.
#include "ir/hosttensor.hpp"
#include <gtest/gtest.h>
#include <limits>
#include <popart/error.hpp>

using namespace popart;

namespace {

constexpr std::int64_t two31 = std::int64_t(1) << 31, two62 = std::int64_t(1) << 62;

std::string problem(DataType type, const Shape &shape) {
  try {
    TensorInfo(type, shape).nbytes();
  } catch (const error &e) {
    return e.what();
  }
  return "none";
}

} // namespace

TEST(TensorInfo, RefusesExtentsBelowZero) {
  EXPECT_EQ(problem(DataType::FLOAT, {2, -1}),
            "TensorInfo: the shape [2,-1] has the negative extent -1.");
  EXPECT_THROW(TensorInfo("FLOAT", Shape{std::numeric_limits<std::int64_t>::min()}), error);
  TensorInfo info(DataType::FLOAT, {2});
  EXPECT_THROW(info.set(DataType::FLOAT, {-2}), error);
  EXPECT_EQ(info, TensorInfo(DataType::FLOAT, {2}));
}

TEST(TensorInfo, RefusesMoreBytesThanCanBeCounted) {
  EXPECT_EQ(problem(DataType::UINT8, {two62}), "none");
  EXPECT_EQ(problem(DataType::FLOAT, {two62}),
            "TensorInfo: [4611686018427387904] elements of FLOAT are more than can be counted.");
  EXPECT_NE(problem(DataType::UINT8, {two31, two31, two31}), "none");
  EXPECT_NE(problem(DataType::UINT8, {0, two62, two62}), "none"); // whatever stands beside the 0
  TensorInfo bytes(DataType::UINT8, {two62});
  EXPECT_THROW(bytes.set(DataType::FLOAT), error);
  EXPECT_THROW(TensorInfo("FLOAT", "(99999999999999999999)"), error);
  EXPECT_EQ(TensorInfo("FLOAT", "(2, 3)").shape(), (Shape{2, 3}));
}

TEST(TensorInfo, CountsNoMoreElementsThanItCan) {
  EXPECT_EQ(ir::elementsOf({2, 0, 3}), 0);
  EXPECT_THROW(ir::elementsOf({2, -1}), error);
  EXPECT_THROW(ir::elementsOf({0, -1}), error);
  const std::int64_t two32 = two31 * 2;
  EXPECT_THROW(ir::elementsOf({two32, two32}), error); // 0 when it overflows
}
