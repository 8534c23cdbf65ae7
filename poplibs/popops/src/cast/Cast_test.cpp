// SPDX-License-Identifier: MIT
#include "popops/Cast.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"
#include <algorithm>
#include <poplar/CSRFunctions.hpp>
#include <poplar/MetadataCreation.hpp>

using namespace poplar;
using popops::cast;

namespace {
struct Range {
  double low, high;
};
Range rangeOf(const Type &t) {
  if (t == BOOL)
    return {0, 1};
  if (t == CHAR || t == SIGNED_CHAR)
    return {-128, 127};
  if (t == UNSIGNED_CHAR)
    return {0, 255};
  if (t == SHORT)
    return {-32768, 32767};
  if (t == UNSIGNED_SHORT)
    return {0, 65535};
  if (t == UNSIGNED_INT || t == UNSIGNED_LONGLONG)
    return {0, 4294967295.0};
  return {-2147483648.0, 2147483647.0};
}
bool isFloating(const Type &t) { return t == FLOAT || t == HALF; }
double expectedOf(double x, const Type &to) {
  if (to == BOOL)
    return x != 0;
  if (isFloating(to))
    return Session::stored(to, {x})[0];
  return std::clamp(std::trunc(x), rangeOf(to).low, rangeOf(to).high);
}
} // namespace

TEST(Cast, AllPairsOfPlainTypesConvertTruncateAndClamp) {
  Session s;
  const Type types[] = {CHAR, SIGNED_CHAR, UNSIGNED_CHAR, FLOAT,          HALF,
                        INT,  SHORT,       UNSIGNED_INT,  UNSIGNED_SHORT, BOOL};
  struct Case {
    std::size_t output;
    Doubles expected;
    std::string what;
  };
  std::vector<Case> cases;
  for (const Type &from : types) {
    const Range range = rangeOf(from);
    const double low = std::max(range.low, -300.0), high = std::min(range.high, 300.0);
    auto values = s.random(101, low, high);
    if (!isFloating(from))
      for (auto &v : values)
        v = std::floor(v);
    if (from == BOOL)
      values = s.integers(101, 0, 1);
    const auto x = s.input(from, {101}, values);
    for (const Type &to : types) {
      const auto y = cast(s.graph, x, to, s.prog);
      EXPECT_EQ(y.elementType(), to);
      Doubles expected;
      for (double v : Session::stored(from, values)) {
        // Wide integers wrap into 16 and 32 bits; only values that fit are tested here.
        const bool negative =
            v < 0 && !isFloating(from) && (to == UNSIGNED_INT || to == UNSIGNED_SHORT);
        expected.push_back(negative ? rangeOf(to).high + 1 + v : expectedOf(v, to));
      }
      cases.push_back({s.output(y), expected, from.toString() + " to " + to.toString()});
    }
  }
  s.run();
  for (const auto &c : cases) {
    SCOPED_TRACE(c.what);
    expectClose(s.values(c.output), c.expected, 0);
  }
}

TEST(Cast, ExtremeFloatsBecomeTheNearestInteger) {
  Session s;
  const auto x = s.input(FLOAT, {6}, {1e20, -1e20, INFINITY, -INFINITY, NAN, 2147483520.0});
  const auto i = s.output(cast(s.graph, x, INT, s.prog));
  const auto u = s.output(cast(s.graph, x, UNSIGNED_CHAR, s.prog));
  s.run();
  const Doubles ints = s.values(i), bytes = s.values(u);
  EXPECT_GE(ints[0], 2147483520.0);
  EXPECT_EQ(ints[1], -2147483648.0);
  EXPECT_EQ(ints[3], -2147483648.0);
  EXPECT_EQ(ints[4], 0);
  EXPECT_EQ(ints[5], 2147483520.0);
  EXPECT_EQ(bytes, (Doubles{255, 0, 255, 0, 0, 255}));
}

TEST(Cast, WideIntegersComeFromIntegersOnly) {
  Session s;
  const auto x = s.input(INT, {3}, {-5, 0, 2147483647});
  const auto b = s.input(BOOL, {2}, {0, 1});
  const auto wide = s.output(cast(s.graph, x, LONGLONG, s.prog));
  const auto flags = s.output(cast(s.graph, b, UNSIGNED_LONGLONG, s.prog));
  EXPECT_THROW(cast(s.graph, s.input(FLOAT, {1}, {1}), LONGLONG, s.prog), poputil::poplibs_error);
  EXPECT_THROW(cast(s.graph, s.input(LONGLONG, {1}, {1}), FLOAT, s.prog), poputil::poplibs_error);
  s.run();
  EXPECT_EQ(s.values(wide), (Doubles{-5, 0, 2147483647}));
  EXPECT_EQ(s.values(flags), (Doubles{0, 1}));
}

TEST(Cast, AllCallShapesAndViewsGiveTheSame) {
  Session s;
  const auto values = s.random(60, -20, 20);
  const auto x = s.input(FLOAT, {6, 10}, values);
  const auto view = x.transpose().slice(2, 9);
  Doubles expected;
  const auto stored = Session::stored(FLOAT, values);
  for (std::size_t j = 2; j < 9; ++j)
    for (std::size_t i = 0; i < 6; ++i)
      expected.push_back(std::trunc(stored[i * 10 + j]));
  const auto a = s.output(cast(s.graph, view, INT, s.prog));
  const auto into = s.graph.addVariable(INT, {6, 7}, VariableMappingMethod::LINEAR);
  popops::castWithOutput(s.graph, view, into.transpose(), s.prog);
  const auto b = s.output(into.transpose());
  const auto other = s.graph.addVariable(INT, {7, 6}, VariableMappingMethod::LINEAR);
  s.prog.add(cast(s.graph, view, other));
  const auto c = s.output(other);
  const auto cs = s.graph.addComputeSet("casts");
  const auto d = s.output(cast(s.graph, view, INT, cs));
  const auto fifth = s.graph.addVariable(INT, {7, 6}, VariableMappingMethod::LINEAR);
  cast(s.graph, view, fifth, cs);
  s.prog.add(program::Execute(cs));
  const auto f = s.output(fifth);
  EXPECT_THROW(popops::castWithOutput(s.graph, view, into, s.prog), poputil::poplibs_error);
  s.run();
  for (auto output : {a, b, c, d, f})
    EXPECT_EQ(s.values(output), expected);
}

TEST(Cast, QuartersNeedMetadataAndGoThereAndBack) {
  Session s;
  const Doubles values{0, 1, -1.5, 2.25, 100, -1000, 0.01, 1e6, NAN};
  const auto x = s.input(FLOAT, {values.size()}, values);
  auto back = [&](QuarterMetadata::Format format, int scale) {
    const auto metadata = createConstantMetadataTensor(s.graph, format, scale);
    s.graph.setTileMapping(metadata, 0);
    const auto q = cast(s.graph, x, QUARTER, metadata, s.prog);
    EXPECT_TRUE(q.hasMetadata());
    return s.output(cast(s.graph, q, FLOAT, s.prog));
  };
  const auto narrow = back(QuarterMetadata::Format::F143, 0);
  const auto wide = back(QuarterMetadata::Format::F152, 0);
  const auto scaled = back(QuarterMetadata::Format::F143, 4);
  EXPECT_THROW(cast(s.graph, x, QUARTER, s.prog), poputil::poplibs_error);
  EXPECT_THROW(cast(s.graph, s.input(INT, {1}, {1}), QUARTER,
                    createConstantMetadataTensor(s.graph, QuarterMetadata::Format::F143, 0),
                    s.prog),
               poputil::poplibs_error);
  s.run();
  // F143: steps of 1/8 of a power of two, largest 240; F152: steps of a quarter, largest 57344.
  expectClose(s.values(narrow), {0, 1, -1.5, 2.25, 96, -240, 0.009765625, 240, NAN}, 0);
  expectClose(s.values(wide), {0, 1, -1.5, 2, 96, -1024, 0.009765625, 57344, NAN}, 0);
  expectClose(s.values(scaled), {0, 1, -1.5, 2.25, 96, -1024, 0.015625, 3840, NAN}, 0);
}

TEST(Cast, OverflowOfQuartersFollowsTheFloatingPointState) {
  Session s;
  const Doubles values{INFINITY, -INFINITY, 300, -1e30, 240, 247, NAN};
  const auto x = s.input(FLOAT, {values.size()}, values);
  const auto metadata = createConstantMetadataTensor(s.graph, QuarterMetadata::Format::F143, 0);
  s.graph.setTileMapping(metadata, 0);
  auto bits = [&] {
    const auto q = cast(s.graph, x, QUARTER, metadata, s.prog);
    return s.output(q.reinterpret(UNSIGNED_CHAR));
  };
  const auto before = bits();
  setFloatingPointBehaviour(s.graph, s.prog, {false, false, false, false, true});
  const auto nanoo = bits();
  setFloatingPointBehaviour(s.graph, s.prog, {false, false, false, false, false});
  const auto after = bits();
  s.run();
  const Doubles saturated{0x80, 0x80, 0x7f, 0xff, 0x7f, 0x7f, 0x80};
  EXPECT_EQ(s.values(before), saturated);
  EXPECT_EQ(s.values(nanoo), (Doubles{0x80, 0x80, 0x80, 0x80, 0x7f, 0x7f, 0x80}));
  EXPECT_EQ(s.values(after), saturated);
}

TEST(Cast, QuartersWithoutMetadataAreF143OfScaleZero) {
  Session s;
  const auto x = s.input(FLOAT, {3}, {1.5, -240, 0.0009765625});
  const auto plain = s.graph.addVariable(QUARTER, {3}, VariableMappingMethod::LINEAR);
  popops::castWithOutput(s.graph, x, plain, s.prog);
  const auto least = createConstantMetadataTensor(s.graph, QuarterMetadata::Format::F152, -32);
  s.graph.setTileMapping(least, 0);
  const auto small = s.input(FLOAT, {2}, {std::ldexp(1.25, -32), std::ldexp(-1.5, -40)});
  const auto a = s.output(cast(s.graph, plain, FLOAT, s.prog)),
             b = s.output(
                 cast(s.graph, cast(s.graph, small, QUARTER, least, s.prog), FLOAT, s.prog));
  s.run();
  EXPECT_EQ(s.values(a), (Doubles{1.5, -240, 0.0009765625}));
  EXPECT_EQ(s.values(b), (Doubles{std::ldexp(1.25, -32), std::ldexp(-1.5, -40)}));
}

TEST(Cast, AccuracyOfAFloatAsHalfIsTold) {
  Session s;
  const auto exact = s.input(FLOAT, {}, {0.5}), rounded = s.input(FLOAT, {1}, {0.1});
  const auto a = s.output(popops::checkAccuracyWhenCast(s.graph, exact, HALF, 1e-6, s.prog));
  const auto b = s.output(popops::checkAccuracyWhenCast(s.graph, rounded, HALF, 1e-6, s.prog));
  const auto c = s.output(popops::checkAccuracyWhenCast(s.graph, rounded, HALF, 1e-3, s.prog));
  s.run();
  EXPECT_EQ(s.values(a), Doubles{1});
  EXPECT_EQ(s.values(b), Doubles{0});
  EXPECT_EQ(s.values(c), Doubles{1});
}
