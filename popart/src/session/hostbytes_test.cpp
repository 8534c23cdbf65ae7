// SPDX-License-Identifier: MIT
#include "session/convert.hpp"
#include <cmath>
#include <gtest/gtest.h>

namespace popart::session {

TEST(HostBytes, AreSharedUntilSomebodyWrites) {
  const auto values = ir::HostTensor::of<float>({2}, {1, 2});
  HostBytes a = deviceForm(values), b = a;
  EXPECT_EQ(static_cast<const void *>(a.data()), values.data());
  EXPECT_EQ(b.data(), a.data());
  const float seven = 7;
  std::memcpy(a.writable(), &seven, sizeof seven);
  EXPECT_EQ(values.doubles(), (std::vector<double>{1, 2}));
  EXPECT_EQ(hostForm(values.info(), a).doubles(), (std::vector<double>{7, 2}));
  EXPECT_EQ(hostForm(values.info(), b).doubles(), (std::vector<double>{1, 2}));
  const char *own = a.data(); // nobody else has them: written in place
  EXPECT_EQ(a.writable(), own);
  EXPECT_EQ(a.overwrite(8), own);
  const HostBytes c = a;
  EXPECT_NE(a.overwrite(8), own);
  EXPECT_EQ(c.data(), own);
}

TEST(HostBytes, OfOthersAreWrittenInPlaceIfTheyAreLent) {
  char memory[] = "abcd";
  HostBytes a = HostBytes::lent(memory, 4, nullptr);
  const HostBytes reader = a;
  EXPECT_EQ(a.overwrite(4), memory);
  a.assign(HostBytes::copyOf("efgh"));
  EXPECT_STREQ(memory, "efgh");
  EXPECT_EQ(reader.data(), memory);
  a.assign(HostBytes::copyOf("ij")); // does not fit: bytes of its own
  EXPECT_STREQ(memory, "efgh");
  EXPECT_EQ(a.view(), "ij");
  EXPECT_NE(a.writable(), memory);
}

TEST(HostBytes, GrowWithZeros) {
  HostBytes a = HostBytes::copyOf("ab");
  a.grow(4);
  EXPECT_EQ(a.view(), std::string_view("ab\0\0", 4));
  a.grow(3);
  EXPECT_EQ(a.size(), 4u);
  HostBytes none;
  none.grow(1);
  EXPECT_EQ(none.view(), std::string_view("\0", 1));
}

TEST(HostBytes, OfOtherTypesAreConverted) {
  const auto wide = ir::HostTensor::of<std::int64_t>({2}, {-1, 5});
  const auto form = deviceForm(wide);
  EXPECT_EQ(form.size(), 8u);
  EXPECT_EQ(hostForm(wide.info(), form).integers(), (std::vector<std::int64_t>{-1, 5}));
}

// Large zeros are one stretch for all, small ones and other values are not.
TEST(HostBytes, ZerosAreShared) {
  const TensorInfo large(DataType::FLOAT, Shape{1 << 16}), small(DataType::FLOAT, Shape{3});
  const auto a = ir::HostTensor::filled(large, 0), b = ir::HostTensor::filled(large, 0);
  EXPECT_EQ(a.data(), b.data());
  for (double v : a.doubles())
    ASSERT_EQ(v, 0);
  EXPECT_EQ(ir::HostTensor::filled(small, 0).doubles(), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(ir::HostTensor::filled(large, 2).doubles()[65535], 2);
  EXPECT_TRUE(std::signbit(ir::HostTensor::filled(large, -0.0).doubles()[9]));
}

} // namespace popart::session
