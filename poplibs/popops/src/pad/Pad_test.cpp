// SPDX-License-Identifier: MIT
#include "popops/Pad.hpp"
#include "Session.hpp"
#include <poputil/exceptions.hpp>

using namespace poplar;
namespace padding = popops::padding;

namespace {

TEST(Pad, AddsConstantsAndTakesAway) {
  Session s;
  auto t = s.input(FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6});
  auto i = s.input(INT, {3}, {1, 2, 3});
  auto nine = s.input(FLOAT, {1}, {9});
  auto a = s.output(popops::pad(s.graph, t, {1, 0}, {0, 2}));
  auto b = s.output(popops::pad(s.graph, t, {0, -1}, {-1, 1}, 7.0f));
  auto c = s.output(popops::pad(s.graph, i, {1}, {1}, 5));
  auto d = s.output(popops::pad(s.graph, t, {0, 1}, {1, 0}, nine));
  auto e = s.output(popops::pad(s.graph, t, 2, -1, 0u, 0.5f, padding::MappingMethod::EDGE));
  s.run();
  EXPECT_EQ(s.values(a), (Doubles{0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 4, 5, 6, 0, 0}));
  EXPECT_EQ(s.values(b), (Doubles{2, 3, 7}));
  EXPECT_EQ(s.values(c), (Doubles{5, 1, 2, 3, 5}));
  EXPECT_EQ(s.values(d), (Doubles{9, 1, 2, 3, 9, 4, 5, 6, 9, 9, 9, 9}));
  EXPECT_EQ(s.values(e), (Doubles{.5, .5, .5, .5, .5, .5, 1, 2, 3}));
}

TEST(Pad, RepeatsAndReflectsTheTensorItself) {
  Session s;
  auto t = s.input(FLOAT, {4}, {1, 2, 3, 4});
  auto edge = popops::pad(t, {2}, {1}, padding::Type::EDGE);
  EXPECT_TRUE(edge.containsAliases());
  auto a = s.output(edge), b = s.output(popops::pad(t, 3, 2, 0, padding::Type::REFLECT));
  auto c = s.output(popops::pad(t, {-1}, {2}, padding::Type::REFLECT));
  s.run();
  EXPECT_EQ(s.values(a), (Doubles{1, 1, 1, 2, 3, 4, 4}));
  EXPECT_EQ(s.values(b), (Doubles{4, 3, 2, 1, 2, 3, 4, 3, 2}));
  EXPECT_EQ(s.values(c), (Doubles{2, 3, 4, 3, 2}));
  EXPECT_THROW(popops::pad(t, 4, 0, 0, padding::Type::REFLECT), poputil::poplibs_error);
}

TEST(Pad, PutsConstantsWhereAsked) {
  Session s(4);
  auto t = s.graph.addVariable(FLOAT, {4}, "t");
  for (unsigned i = 0; i < 4; ++i)
    s.graph.setTileMapping(t[i], 3 - i);
  auto edge = popops::pad(s.graph, t, {1}, {1}, 0.0f, padding::MappingMethod::EDGE);
  auto mapping = s.graph.getTileMapping(edge);
  EXPECT_EQ(mapping[3].front(), Interval(0, 2));
  EXPECT_EQ(mapping[0].front(), Interval(4, 6));
  auto zero = popops::pad(s.graph, t, {1}, {1});
  EXPECT_EQ(s.graph.getTileMapping(zero)[0].front(), Interval(0, 1));
  auto none = popops::pad(s.graph, t, {1}, {1}, 0.0f, padding::MappingMethod::NONE);
  EXPECT_THROW(s.graph.getTileMapping(none), poplar::poplar_error);
  EXPECT_THROW(popops::pad(s.graph, t, {1, 1}, {1, 1}), poputil::poplibs_error);
  EXPECT_THROW(popops::pad(s.graph, t, {-3}, {-3}), poputil::poplibs_error);
}

} // namespace
