// SPDX-License-Identifier: MIT
#include "base/testing/Message.hpp"
#include "poputil/OptionParsing.hpp"
#include <gtest/gtest.h>

using poplibs::OptionHandler;
using poplibs::OptionSpec;

template <class F> static std::string message(F &&f) {
  return base::testing::messageOf<poplar::invalid_option>(f);
}

TEST(OptionParsing, IntegersAreDecimalOrHexadecimalAndInRange) {
  using poplibs::parse::asInteger;
  EXPECT_EQ(asInteger<int>("-12"), -12);
  EXPECT_EQ(asInteger<unsigned>("0x1F"), 31u);
  EXPECT_EQ(asInteger<int>("010"), 10);
  EXPECT_EQ(asInteger<std::int64_t>("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(asInteger<std::uint64_t>("18446744073709551615"), UINT64_MAX);
  for (const char *bad : {"", "-", "x", "1x", " 1", "1 ", "1.5", "0x", "99999999999"})
    EXPECT_THROW(asInteger<int>(bad), poplar::invalid_option) << bad;
  EXPECT_THROW(asInteger<unsigned>("-1"), poplar::invalid_option);
  EXPECT_THROW(asInteger<std::uint64_t>("18446744073709551616"), poplar::invalid_option);
}

TEST(OptionParsing, HandlersStoreValues) {
  enum class Pass { Fwd, Bwd };
  Pass pass = Pass::Fwd;
  int n = 0;
  bool flag = false;
  double share = 0;
  std::string text;
  std::vector<unsigned> list{9};
  std::optional<double> maybe = 1.0;
  std::optional<Pass> maybePass = Pass::Fwd;
  const OptionSpec spec{
      {"pass", OptionHandler::createWithEnum<Pass>(pass, {{"FWD", Pass::Fwd}, {"BWD", Pass::Bwd}})},
      {"n", OptionHandler::createWithInteger(n)},
      {"flag", OptionHandler::createWithBool(flag)},
      {"share", OptionHandler::createWithDouble(share, 0., false, 1.)},
      {"text", OptionHandler::createWithString(text)},
      {"list", OptionHandler::createWithList(list)},
      {"maybe", poplibs::createOptionalDoubleHandler(maybe)},
      {"maybePass", poplibs::createOptionalEnumHandler<Pass>(maybePass, {{"BWD", Pass::Bwd}})}};
  spec.parse("pass", "BWD");
  spec.parse("n", "0x10");
  spec.parse("flag", "true");
  spec.parse("share", "0.25");
  spec.parse("text", "anything, at all");
  spec.parse("list", "1,2,30");
  spec.parse("maybe", "none");
  spec.parse("maybePass", "BWD");
  EXPECT_EQ(pass, Pass::Bwd);
  EXPECT_EQ(n, 16);
  EXPECT_TRUE(flag);
  EXPECT_EQ(share, 0.25);
  EXPECT_EQ(text, "anything, at all");
  EXPECT_EQ(list, (std::vector<unsigned>{1, 2, 30}));
  EXPECT_FALSE(maybe);
  EXPECT_EQ(maybePass, Pass::Bwd);
  spec.parse("list", "");
  EXPECT_TRUE(list.empty());
  for (const char *bad : {"0", "1.0001", "nan", "x", ""})
    EXPECT_THROW(spec.parse("share", bad), poplar::invalid_option) << bad;
  EXPECT_EQ(share, 0.25);
  for (const char *bad : {"1,", ",", "1 ,2"})
    EXPECT_THROW(spec.parse("list", bad), poplar::invalid_option) << bad;
  EXPECT_THROW(spec.parse("flag", "1"), poplar::invalid_option);
}

TEST(OptionParsing, BoundsAreCheckedForAnyNumber) {
  EXPECT_NO_THROW(OptionHandler::ensureValueIsWithinBounds(3, 3, true, 4, false));
  EXPECT_EQ(message([] { OptionHandler::ensureValueIsWithinBounds(4, 3, true, 4, false); }),
            "it must lie in the interval [3, 4)");
  EXPECT_THROW(OptionHandler::ensureValueIsWithinBounds(0.5, 0.5, false, 1., true),
               poplar::invalid_option);
}

TEST(OptionParsing, MessagesNameOptionValueAndReason) {
  bool flag = false;
  double share = 0;
  const OptionSpec spec{{"inPlace", OptionHandler::createWithBool(flag)},
                        {"share", OptionHandler::createWithDouble(share, 0., false, 1.)}};
  EXPECT_EQ(message([&] { spec.parse("inplace", "true"); }),
            "Unrecognised option 'inplace'. Did you mean \"inPlace\"?");
  EXPECT_EQ(message([&] { spec.parse("inPlace", "yes"); }),
            "Invalid value 'yes' for option 'inPlace': it must be one of [false, true].");
  EXPECT_EQ(message([&] { spec.parse("share", "2"); }),
            "Invalid value '2' for option 'share': it must lie in the interval (0, 1]");
  EXPECT_NO_THROW(spec.parse("other", "1", true));
}
