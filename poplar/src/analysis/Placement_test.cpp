// SPDX-License-Identifier: MIT
#include "compile/TestImage.hpp"
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace poplar::analysis;
using namespace poplar::compile::testing;

static std::set<std::uint64_t> elementsOf(const Pattern &p) {
  std::set<std::uint64_t> out;
  for (std::uint64_t i = 0; i != p.count; ++i)
    for (std::uint64_t j = 0; j != p.block; ++j)
      out.insert(p.begin + i * p.stride + j);
  return out;
}

TEST(Placement, CountsPatternElementsPerMappedRange) {
  TestImage t;
  auto v = t.variable("v", 60, {3, 1, 3, 0, 2, 1});
  Placement placement(t.image);
  for (Pattern p : {Pattern{0, 60, 1, 60}, Pattern{3, 1, 8, 7}, Pattern{5, 3, 5, 11},
                    Pattern{12, 2, 2, 40}, Pattern{9, 1, 1, 1}}) {
    std::map<std::uint32_t, std::uint64_t> expected, got;
    for (auto e : elementsOf(p))
      ++expected[t.image.variables[v].mapping[e / 10].tile];
    placement.forEachPiece(
        v, p, [&](const Placement::Piece &piece) { got[piece.tile] += piece.elements; });
    EXPECT_EQ(got, expected) << p.begin;
  }
}

TEST(Placement, CountsSpansWithinARange) {
  Pattern p{10, 3, 4, 8}; // 10-12, 18-20, 26-28, 34-36
  EXPECT_EQ(p.blocksWithin(0, 100), 4u);
  EXPECT_EQ(p.blocksWithin(12, 19), 2u);
  EXPECT_EQ(p.blocksWithin(13, 18), 0u);
  EXPECT_EQ(p.blocksWithin(19, 20), 1u);
  EXPECT_EQ(p.end(), 37u);
}

TEST(Placement, FindsThePiecesOfOneTileAlone) {
  TestImage t;
  auto v = t.variable("v", 60, {3, 1, 3, 0, 2, 1});
  Placement placement(t.image);
  Pattern p{5, 3, 5, 11}; // 5-7 16-18 27-29 38-40 49-51
  std::vector<std::uint64_t> firsts;
  placement.forEachPieceOn(3, v, p,
                           [&](const Placement::Piece &piece) { firsts.push_back(piece.first); });
  EXPECT_EQ(firsts, (std::vector<std::uint64_t>{5, 27}));
  firsts.clear();
  placement.forEachPieceOn(1, v, p,
                           [&](const Placement::Piece &piece) { firsts.push_back(piece.first); });
  EXPECT_EQ(firsts, (std::vector<std::uint64_t>{16, 50}));
}

TEST(Placement, ReducesASideOfAMoveToTheElementsItTouches) {
  Move move{0, 1, 100, 0, 4, {{5, 0, 12}, {4, -3, 3}, {3, 1, 1}}};
  auto from = sideOf(move, Side::From), to = sideOf(move, Side::To);
  EXPECT_EQ(from.inner, (Pattern{91, 12, 1, 12}));
  EXPECT_TRUE(from.outer.empty());
  EXPECT_EQ(to.inner, (Pattern{0, 60, 1, 60}));
  Move gapped{0, 1, 0, 0, 4, {{2, 100, 0}, {3, 10, 0}, {4, 2, 0}}};
  auto side = sideOf(gapped, Side::From);
  EXPECT_EQ(side.inner, (Pattern{0, 1, 4, 2}));
  std::vector<std::uint64_t> begins;
  forEachPattern(side, [&](const Pattern &p) { begins.push_back(p.begin); });
  EXPECT_EQ(begins, (std::vector<std::uint64_t>{0, 10, 20, 100, 110, 120}));
}
