// SPDX-License-Identifier: MIT
#include "base/testing/HalfByDefinition.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/Target.hpp"
#include "poplar/TypeConversion.hpp"
#include "types/Half.hpp"
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <vector>

namespace poplar::types {
namespace {

using base::testing::nearest;

TEST(Half, DoublesAreRoundedOnlyOnce) {
  // Just above a tie between two halves, by less than a float can tell.
  const double x = 1.0 + std::ldexp(1, -11) + std::ldexp(1, -40);
  EXPECT_EQ(doubleToHalf(static_cast<float>(x)), 0x3c00);
  EXPECT_EQ(doubleToHalf(x), 0x3c01);
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> mantissa(1, 2);
  std::uniform_int_distribution<int> exponent(-28, 18);
  for (int i = 0; i != 20000; ++i) {
    const double v = std::ldexp(mantissa(random), exponent(random)) * (i % 2 ? -1 : 1);
    ASSERT_EQ(doubleToHalf(v), nearest(v)) << v;
  }
}

TEST(Quarter, AllCodesSurviveTheWayThroughFloat) {
  for (auto format : {QuarterMetadata::Format::F143, QuarterMetadata::Format::F152})
    for (int scale : {-31, -3, 0, 5, 31}) {
      const QuarterMetadata metadata(format, static_cast<signed char>(scale));
      for (int code = 0; code != 256; ++code) {
        const float value = fromQuarter(std::uint8_t(code), metadata);
        EXPECT_EQ(std::isnan(value), code == 0x80);
        EXPECT_EQ(toQuarter(value, metadata), code) << metadata;
      }
    }
}

TEST(Quarter, HasItsPublishedRangeAndScale) {
  const QuarterMetadata f143(QuarterMetadata::Format::F143, 0),
      f152(QuarterMetadata::Format::F152, 0);
  EXPECT_EQ(fromQuarter(0x7f, f143), 240.0f);
  EXPECT_EQ(fromQuarter(0x7f, f152), 57344.0f);
  EXPECT_EQ(fromQuarter(0x7f, QuarterMetadata(QuarterMetadata::Format::F143, 2)), 960.0f);
  EXPECT_EQ(toQuarter(1e6f, f143), 0x7f);
  EXPECT_EQ(toQuarter(-1e6f, f143), 0xff);
  EXPECT_EQ(toQuarter(INFINITY, f143), 0x80);
  EXPECT_EQ(toQuarter(NAN, f152), 0x80);
  EXPECT_EQ(toQuarter(-0.0f, f143), 0);
}

TEST(QuarterMetadata, KeepsFormatAndScaleInOneByte) {
  const QuarterMetadata m(QuarterMetadata::Format::F152, -7);
  EXPECT_EQ(m.getFormat(), QuarterMetadata::Format::F152);
  EXPECT_EQ(m.getScale(), -7);
  EXPECT_EQ(QuarterMetadata(m.getBinary()), m);
  std::ostringstream text;
  text << m;
  EXPECT_EQ(text.str(), "{F152,-7}");
  EXPECT_THROW(QuarterMetadata(QuarterMetadata::Format::F143, 32), poplar_error);
}

TEST(TypeConversion, ConvertsBetweenHostArraysAndDeviceBytes) {
  const std::vector<float> values{1, -2.5f, 0.125f};
  std::vector<std::uint16_t> halves(3);
  std::vector<float> back(3);
  convertToDeviceType(HALF, gccs::ArrayRef<float>(values), halves.data());
  convertFromDeviceType(HALF, halves.data(), gccs::ArrayRef<float>(back));
  EXPECT_EQ(back, values);
  copyFloatToDeviceHalf(Target(), values.data(), halves.data(), 3);
  copyDeviceHalfToFloat(Target(), halves.data(), back.data(), 3);
  EXPECT_EQ(back, values);

  std::vector<std::uint8_t> quarters(3);
  const QuarterMetadata metadata(QuarterMetadata::Format::F143, 0);
  convertToDeviceType(QUARTER, metadata, gccs::ArrayRef<float>(values), quarters.data());
  convertFromDeviceType(QUARTER, metadata, quarters.data(), gccs::ArrayRef<float>(back));
  EXPECT_EQ(back, values);
  EXPECT_THROW(convertToDeviceType(QUARTER, gccs::ArrayRef<float>(values), quarters.data()),
               tensor_metadata_error);
  EXPECT_THROW(convertToDeviceType(HALF, metadata, gccs::ArrayRef<float>(values), quarters.data()),
               tensor_metadata_error);
}

TEST(TypeConversion, ChoosesTheSmallestScaleThatHoldsTheLargestValue) {
  const std::vector<float> values{-1000, 3};
  const auto metadata =
      calculateMetadataForConversion(QuarterMetadata::Format::F143, gccs::ArrayRef<float>(values));
  EXPECT_EQ(metadata.getScale(), 3); // 240 * 4 < 1000 <= 240 * 8
}

TEST(TypeConversion, TakesVectorsAndViewsOfConstants) {
  const std::vector<float> values{1, -2.5f, 0.125f};
  std::vector<std::uint16_t> halves(3);
  std::vector<float> back(3);
  convertToDeviceType(HALF, values, halves.data());
  convertFromDeviceType(HALF, halves.data(), back);
  EXPECT_EQ(back, values);
  EXPECT_EQ(halves[1], 0xc100); // -2.5
  std::vector<std::uint16_t> same(3);
  convertToDeviceType(HALF, gccs::ArrayRef<const float>(values), same.data());
  EXPECT_EQ(same, halves);
  std::vector<IeeeHalf> asHalf(3);
  convertFromDeviceType(HALF, halves.data(), asHalf);
  EXPECT_EQ(asHalf[1].bits(), 0xc100);
}

TEST(TypeConversion, NanooChoosesBetweenNanAndTheLargestValue) {
  // 65519 still rounds to 65504, 65520 does not.
  const std::vector<double> values{65519, 65520, -1e9, INFINITY, 2};
  std::vector<IeeeHalf> out(5);
  convertToDeviceType(HALF, values, out.data(), false);
  EXPECT_EQ(std::vector<float>(out.begin(), out.end()),
            (std::vector<float>{65504, 65504, -65504, 65504, 2}));
  convertToDeviceType(HALF, values, out.data(), true);
  EXPECT_EQ(float(out[0]), 65504);
  EXPECT_TRUE(out[1].isNaN() && out[2].isNaN() && out[3].isNaN());
  EXPECT_EQ(float(out[4]), 2);
  convertToDeviceType(HALF, values, out.data());
  EXPECT_TRUE(out[1].isInf() && out[2].isInf());

  // The largest value of F143 is 240, its neighbour 224.
  const QuarterMetadata metadata(QuarterMetadata::Format::F143, 0);
  const std::vector<float> wide{247, 248, -INFINITY, 1};
  std::vector<std::uint8_t> quarters(4);
  std::vector<float> back(4);
  convertToDeviceType(QUARTER, metadata, wide, quarters.data(), false);
  convertFromDeviceType(QUARTER, metadata, quarters.data(), back);
  EXPECT_EQ(back, (std::vector<float>{240, 240, -240, 1}));
  convertToDeviceType(QUARTER, metadata, wide, quarters.data(), true);
  convertFromDeviceType(QUARTER, metadata, quarters.data(), back);
  EXPECT_EQ(back[0], 240);
  EXPECT_TRUE(std::isnan(back[1]) && std::isnan(back[2]));

  const float device[] = {1e6f, 3};
  std::vector<IeeeHalf> host(2);
  convertFromDeviceType(FLOAT, device, host, true);
  EXPECT_TRUE(host[0].isNaN());
  EXPECT_EQ(float(host[1]), 3);
}

} // namespace
} // namespace poplar::types
