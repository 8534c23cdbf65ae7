// SPDX-License-Identifier: MIT
#include "rnn/Gates.hpp"
#include <gtest/gtest.h>
#include <stdexcept>
#include <vector>

using openipu::TypeId;
using popnn::rnn::Lengths;

namespace {

constexpr std::size_t huge = std::size_t(1) << 50; // no list of so many has room

// Lengths as a kernel gets them; rank 0 or 1.
struct Given {
  std::vector<std::uint32_t> values;
  TypeId type = TypeId::UnsignedInt;
  std::vector<std::size_t> shape = {values.size()};
  std::vector<std::int64_t> strides = {1};

  Lengths of(std::size_t batch, std::size_t maxSteps) {
    openipu::KernelOperand operand;
    operand.data = reinterpret_cast<std::byte *>(values.data());
    operand.type = type;
    operand.shape = shape;
    operand.strides = strides;
    operand.elements = shape.empty() ? 1 : shape[0];
    return {&operand, batch, maxSteps};
  }
};

} // namespace

TEST(RnnLengths, OfHugeBatchesNeedNoMemory) {
  const Lengths all(nullptr, huge, 7);
  EXPECT_EQ(all.loop, 7u);
  EXPECT_TRUE(all.runs(huge - 1, 6));
  EXPECT_FALSE(all.runs(huge - 1, 7));

  Given number{{3}, TypeId::UnsignedInt, {}, {}}, broadcast{{3}, TypeId::UnsignedInt, {huge}, {0}};
  for (auto *same : {&number, &broadcast}) {
    const auto lengths = same->of(huge, 7);
    EXPECT_EQ(lengths.loop, 3u);
    EXPECT_EQ(lengths.perElement, same == &broadcast);
    EXPECT_EQ(lengths.of(huge - 1), 3u);
    EXPECT_TRUE(lengths.ranToTheEnd(huge - 1));
  }
}

TEST(RnnLengths, OfElementsAreBetweenNoneAndAllSteps) {
  Given each{{2, 0, 100, std::uint32_t(-1)}};
  const auto lengths = each.of(4, 5);
  EXPECT_EQ(lengths.loop, 5u);
  EXPECT_EQ(lengths.of(0), 2u);
  EXPECT_EQ(lengths.of(1), 0u);
  EXPECT_EQ(lengths.of(2), 5u);
  EXPECT_EQ(lengths.of(3), 5u);
  EXPECT_FALSE(lengths.ranToTheEnd(0));
  each.type = TypeId::Int;
  EXPECT_EQ(each.of(4, 5).of(3), 0u); // -1
}

TEST(RnnLengths, OfAnotherBatchAreRefused) {
  Given three{{1, 2, 3}};
  EXPECT_THROW(three.of(4, 5), std::runtime_error);
}
