// SPDX-License-Identifier: MIT
#include "frontend/Windows.hpp"

#include "frontend/TestWriting.hpp"

using namespace frontend;

// As many outputs as strides, with as little padding as that takes: by counting.
TEST(FrontendWindows, SamePaddingIsTheLeastThatReaches) {
  for (std::int64_t field = 1; field < 9; ++field)
    for (std::int64_t kernel = 1; kernel < 5; ++kernel)
      for (std::int64_t stride = 1; stride < 4; ++stride)
        for (std::int64_t dilation = 1; dilation < 3; ++dilation) {
          Window w{{field}, {kernel}, {stride}, {dilation}, {}};
          std::int64_t windows = 0, end = 0;
          for (std::int64_t at = 0; at < field; at += stride, ++windows)
            end = at + dilation * (kernel - 1) + 1;
          const auto total = std::max<std::int64_t>(end - field, 0);
          w.pads = samePads(w);
          EXPECT_EQ(w.pads, (Integers{total / 2, (total + 1) / 2}));
          EXPECT_EQ(w.outputs(0), windows);
        }
}

TEST(FrontendWindows, PaddingsAreBeginsThenEnds) {
  EXPECT_EQ(padsOfBoth({1, 2}), (Integers{1, 2, 1, 2}));
  EXPECT_EQ(padsOfPairs({1, 2, 3, 4, 5, 6}), (Integers{1, 3, 5, 2, 4, 6}));
}

TEST(FrontendWindows, ChannelsMoveBehindTheBatchAndBack) {
  TestWriting w;
  const Value x = channelsSecond(w, w.input("x", {2, 4, 5, 3}));
  channelsBehind(w, x);
  alongChannels(w, w.input("bias", {3}), 4);
  EXPECT_EQ(w.text(), R"(model:
  Transpose:0 = Transpose(x, perm=[0,3,1,2])  FLOAT [2,3,4,5]
  Transpose:0/1 = Transpose(Transpose:0, perm=[0,2,3,1])  FLOAT [2,4,5,3]
  Reshape:0 = Reshape(bias, allowzero=1, shape=[3,1,1])  FLOAT [3,1,1]
)");
  const Value flat = w.input("flat", {2, 3});
  EXPECT_EQ(channelsSecond(w, flat), flat);
  EXPECT_EQ(channelsBehind(w, flat), flat);
}
