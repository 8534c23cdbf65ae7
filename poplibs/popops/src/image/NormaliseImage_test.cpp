// SPDX-License-Identifier: MIT
#include "popops/NormaliseImage.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"

using namespace poplar;

TEST(NormaliseImage, PixelsAreScaledShiftedAndPaddedWithZero) {
  Session s;
  struct Case {
    std::size_t output;
    Type type;
    Doubles in;
  };
  std::vector<Case> cases;
  const Doubles offsets{0.5, 0.25, 0.125}, scales{2, 4, 0.5};
  for (const Type &type : {UNSIGNED_CHAR, HALF, FLOAT}) {
    const auto in = popops::createNormaliseImageInput(s.graph, type, {2, 5, 3});
    const auto values = s.integers(30, 0, 255);
    s.set(in, values);
    const Type outType = type == UNSIGNED_CHAR ? HALF : type;
    const auto out =
        popops::normaliseImage(s.graph, s.prog, in, 1 / 255.0f, s.input(outType, {3}, offsets),
                               s.input(outType, {3}, scales));
    EXPECT_EQ(out.shape(), (Shape{2, 5, 4}));
    EXPECT_EQ(out.elementType(), outType);
    cases.push_back({s.output(out), outType, values});
  }
  s.run();
  for (const auto &c : cases)
    for (std::size_t i = 0; i < 40; ++i) {
      const double in = i % 4 < 3 ? c.in[i / 4 * 3 + i % 4] : 0;
      const double expected = i % 4 < 3 ? (in / 255 - offsets[i % 4]) * scales[i % 4] : 0;
      EXPECT_NEAR(s.values(c.output)[i], expected, c.type == HALF ? 1e-3 : 1e-6) << i;
    }
}

TEST(NormaliseImage, OtherChannelsAndTypesAreRefused) {
  Session s;
  EXPECT_THROW(popops::createNormaliseImageInput(s.graph, HALF, {2, 4}), poputil::poplibs_error);
  EXPECT_THROW(popops::createNormaliseImageInput(s.graph, INT, {2, 3}), poputil::poplibs_error);
  const auto in = popops::createNormaliseImageInput(s.graph, HALF, {2, 3});
  const auto f = s.input(FLOAT, {3}, Doubles(3));
  EXPECT_THROW(popops::normaliseImage(s.graph, s.prog, in, 1, f, f), poputil::poplibs_error);
}
