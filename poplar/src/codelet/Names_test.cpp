// SPDX-License-Identifier: MIT
#include "codelet/Module.hpp"
#include <gtest/gtest.h>

using poplar::codelet::canonicalName;

TEST(CanonicalName, DropsSpacesBetweenArguments) {
  EXPECT_EQ(canonicalName("ns::Foo< float, half , true >"), "ns::Foo<float,half,true>");
  EXPECT_EQ(canonicalName("::Foo<Bar<int> >"), "Foo<Bar<int>>");
}

TEST(CanonicalName, SpellsArithmeticTypesOneWay) {
  EXPECT_EQ(canonicalName("Foo<unsigned>"), "Foo<unsigned int>");
  EXPECT_EQ(canonicalName("Foo<uint32_t,std::int32_t>"), "Foo<unsigned int,int>");
  EXPECT_EQ(canonicalName("Foo<short int,short unsigned int,uint16_t>"),
            "Foo<short,unsigned short,unsigned short>");
  EXPECT_EQ(canonicalName("Foo<long long int,long unsigned int>"),
            "Foo<long long,unsigned long long>");
  EXPECT_EQ(canonicalName("Foo<signed char,unsigned char,char>"),
            "Foo<signed char,unsigned char,char>");
  EXPECT_EQ(canonicalName("Foo<_Float16,poplar::half>"), "Foo<half,half>");
}

TEST(CanonicalName, DropsIntegerSuffixes) {
  EXPECT_EQ(canonicalName("Foo<4u,0x10UL,7,-3>"), "Foo<4,16,7,-3>");
}

TEST(CanonicalName, KeepsNamesThatOnlyLookLikeTypes) {
  EXPECT_EQ(canonicalName("half::Foo"), "half::Foo");
  EXPECT_EQ(canonicalName("popnn::NonLinearityType::GELU"), "popnn::NonLinearityType::GELU");
  EXPECT_EQ(canonicalName("IntVertex"), "IntVertex");
}
