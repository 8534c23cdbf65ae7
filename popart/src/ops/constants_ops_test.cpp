// SPDX-License-Identifier: MIT
// Operators whose results are known when a model is compiled.
#include "model.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

std::vector<Doubles> unique(const Shape &shape, const Doubles &values, ir::Attributes attributes) {
  Model m;
  std::vector<Doubles> out;
  for (Value v : m.b.ops("Unique", {m.constant(shape, values)}, 4, std::move(attributes))) {
    EXPECT_EQ(m.graph[v].kind, ir::Kind::Constant);
    out.push_back(m.graph[v].data.doubles());
  }
  return out;
}

} // namespace

TEST(UniqueOp, SortsOrKeepsTheOrderOfElements) {
  using All = std::vector<Doubles>;
  EXPECT_EQ(unique({6}, {2, 1, 1, 3, 4, 3}, {{"sorted", std::int64_t(0)}}),
            (All{{2, 1, 3, 4}, {0, 1, 3, 4}, {0, 1, 1, 2, 3, 2}, {1, 2, 2, 1}}));
  EXPECT_EQ(unique({2, 3}, {2, 1, 1, 3, 4, 3}, {}),
            (All{{1, 2, 3, 4}, {1, 0, 3, 4}, {1, 0, 0, 2, 3, 2}, {2, 1, 2, 1}}));
}

TEST(UniqueOp, ComparesSlicesAlongAnAxis) {
  using All = std::vector<Doubles>;
  const Doubles x{1, 1, 0, 1, 2, 1, 0, 1, 1, 1, 0, 1, 2, 1, 0, 1}; // [2,4,2]
  for (std::int64_t axis : {1, -2})
    EXPECT_EQ(unique({2, 4, 2}, x, {{"axis", axis}}),
              (All{{0, 1, 1, 1, 2, 1, 0, 1, 1, 1, 2, 1}, {1, 0, 2}, {1, 0, 2, 0}, {2, 1, 1}}));
}

TEST(UniqueOp, AsksForAConstant) {
  Model m;
  try {
    m.b.op("Unique", {m.randomInput({3})});
    FAIL();
  } catch (const error &e) {
    EXPECT_STREQ(e.what(), "Unique: its input 0 (\"input\") must be known when the model is "
                           "compiled, because the shape of the result follows from it. Make it a "
                           "constant or an initializer.");
  }
}

// Between the corners of a band its weights rise to 1 and fall again, in even steps.
TEST(MelWeightMatrixOp, HasOneTrianglePerBand) {
  Model m;
  const std::int64_t bands = 5, length = 512;
  const auto whole = [&](double n) { return m.constant({}, {n}, DataType::INT64); };
  const Value y = m.b.op("MelWeightMatrix", {whole(bands), whole(length), whole(16000),
                                             m.constant({}, {125}), m.constant({}, {7500})});
  ASSERT_EQ(m.graph[y].info.shape(), (Shape{length / 2 + 1, bands}));
  const auto got = m.graph[y].data.doubles();
  const auto corner = [&](double i) {
    const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
    const double at = mel(125) + i * (mel(7500) - mel(125)) / (bands + 2);
    return std::floor((length + 1) * 700 * (std::pow(10, at / 2595) - 1) / 16000);
  };
  for (std::int64_t band = 0; band < bands; ++band)
    for (std::int64_t bin = 0; bin <= length / 2; ++bin) {
      const double l = corner(double(band)), c = corner(double(band + 1)),
                   r = corner(double(band + 2)), x = double(bin);
      const double want =
          x <= c ? std::max(0.0, (x - l) / (c - l)) : std::max(0.0, (r - x) / (r - c));
      EXPECT_NEAR(got[std::size_t(bin * bands + band)], want, 1e-6) << band << ' ' << bin;
    }
}
