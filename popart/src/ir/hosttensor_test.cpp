// SPDX-License-Identifier: MIT
#include "ir/hosttensor.hpp"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace popart;

// The processor's own halves are the other way to round.
TEST(HostTensor, HalvesAreTheNearestToTheirDoubles) {
  std::mt19937 random(1);
  std::vector<double> values = {0,
                                -0.0,
                                65504,
                                65519.999,
                                65520,
                                1e300,
                                -1e300,
                                0x1p-24,
                                0x1p-25,
                                1 + 0x1p-11 + 0x1p-40,
                                1 + 0x1p-11 - 0x1p-40,
                                1 + 0x1p-11,
                                0x1.8p-25 + 0x1p-60,
                                INFINITY};
  for (int i = 0; i < 20000; ++i)
    values.push_back(std::ldexp(double(int(random())), int(random() % 60) - 60));
  for (int i = 0; i < 20000; ++i) // close to where halves part
    values.push_back((1 + double(random() % 2048) * 0x1p-11) *
                     (1 + (double(random() % 3) - 1) * 0x1p-45));
  const auto info = TensorInfo(DataType::FLOAT16, {std::int64_t(values.size())});
  const auto got = ir::HostTensor::fromDoubles(info, values).doubles();
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(got[i], double(_Float16(values[i]))) << values[i];
}

TEST(HostTensor, RealsBeyond32BitsAreTheMostOrTheLeastThereIs) {
  const auto of = [](DataType type, double value) {
    return ir::HostTensor::scalar(type, value).integers()[0];
  };
  EXPECT_EQ(of(DataType::INT32, 9223372036854775807.0), 2147483647);
  EXPECT_EQ(of(DataType::INT32, -INFINITY), -2147483648LL);
  EXPECT_EQ(of(DataType::INT8, 200), -56);
  EXPECT_EQ(of(DataType::UINT8, -1), 255);
  EXPECT_EQ(of(DataType::INT32, -7.9), -7);
}
