// SPDX-License-Identifier: MIT
#include "poplin/Convolution.hpp"
#include "poplin/MatMul.hpp"
#include "popops/Cast.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"
#include <poplar/MetadataCreation.hpp>

using namespace poplar;

namespace {

struct Quarters {
  Session s;
  Tensor make(const Shape &shape, const Doubles &values, signed char scale) {
    auto metadata = createConstantMetadataTensor(s.graph, QuarterMetadata::Format::F143, scale);
    return popops::cast(s.graph, s.input(FLOAT, shape, values), QUARTER, metadata, s.prog);
  }
};

} // namespace

// Small integers are exact in 8 bits, whatever the scale.
TEST(Quarter, ProductsOfEightBitFloatsAreHalf) {
  Quarters q;
  auto a = q.s.integers(3 * 4, -3, 3), b = q.s.integers(4 * 5, -3, 3);
  auto c = poplin::matMul(q.s.graph, q.make({3, 4}, a, 0), q.make({4, 5}, b, 1), q.s.prog);
  EXPECT_EQ(c.elementType(), HALF);
  Doubles expected(15);
  for (std::size_t i = 0; i < 60; ++i)
    expected[i / 20 * 5 + i % 5] += a[i / 20 * 4 + i / 5 % 4] * b[i / 5 % 4 * 5 + i % 5];
  EXPECT_EQ(q.s.run(c), expected);
  EXPECT_THROW(
      poplin::matMul(q.s.graph, q.make({3, 4}, a, 0), q.make({4, 5}, b, 1), q.s.prog, FLOAT),
      poputil::poplibs_error);
}

TEST(Quarter, ConvolutionsOfEightBitFloatsAreHalf) {
  Quarters q;
  auto x = q.s.integers(2 * 6, -3, 3), w = q.s.integers(3 * 2 * 2, -2, 2);
  poplin::ConvParams params(QUARTER, HALF, 1, {6}, {2}, 2, 3, 1);
  auto y = poplin::convolution(q.s.graph, q.make({1, 2, 6}, x, 0), q.make({1, 3, 2, 2}, w, 0),
                               params, false, q.s.prog);
  EXPECT_EQ(y.elementType(), HALF);
  Doubles expected(15);
  for (std::size_t o = 0; o < 3; ++o)
    for (std::size_t c = 0; c < 2; ++c)
      for (std::size_t k = 0; k < 2; ++k)
        for (std::size_t i = 0; i < 5; ++i)
          expected[o * 5 + i] += x[c * 6 + i + k] * w[(o * 2 + c) * 2 + k];
  EXPECT_EQ(q.s.run(y), expected);
}
