// SPDX-License-Identifier: MIT
#include "popops/Fill.hpp"
#include "popops/Zero.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"

using namespace poplar;

TEST(Fill, EveryTypeTakesTheValue) {
  Session s;
  struct Case {
    std::size_t output;
    double value;
  };
  std::vector<Case> cases;
  auto add = [&](const Type &type, auto value, double expected) {
    for (const Shape &shape : {Shape{}, Shape{1}, Shape{7, 3}, Shape{5000}, Shape{0, 2}}) {
      const auto t = s.input(type, shape, Doubles(count(shape), 5));
      popops::fill(s.graph, t, s.prog, value);
      cases.push_back({s.output(t), expected});
    }
  };
  add(FLOAT, 1.25f, 1.25);
  add(HALF, 0.1f, Session::stored(HALF, {0.1})[0]);
  add(INT, -7, -7);
  add(UNSIGNED_INT, 7u, 7);
  add(BOOL, true, 1);
  add(CHAR, char(-3), -3);
  add(UNSIGNED_CHAR, (unsigned char)200, 200);
  add(SHORT, short(-300), -300);
  add(LONGLONG, -5000000000ll, -5e9);
  add(UNSIGNED_LONGLONG, 5000000000ull, 5e9);
  s.run();
  for (const auto &c : cases)
    for (double v : s.values(c.output))
      EXPECT_EQ(v, c.value);
}

TEST(Fill, ViewsAreFilledAndNothingElse) {
  Session s;
  const auto t = s.input(FLOAT, {4, 6}, Doubles(24, 1));
  popops::fill(s.graph, t.slice({1, 2}, {3, 5}).transpose(), s.prog, 9.0f);
  popops::zero(s.graph, t[3].reverse(0).slice(0, 2), s.prog);
  popops::zero(s.graph, t[0][0].expand({0}).broadcast(4, 0), s.prog); // one element, four times
  const auto values = s.run(t);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 6; ++j) {
      const bool filled = i >= 1 && i < 3 && j >= 2 && j < 5;
      const bool zeroed = (i == 3 && j >= 4) || i + j == 0;
      EXPECT_EQ(values[i * 6 + j], filled ? 9 : zeroed ? 0 : 1) << i << "," << j;
    }
}

TEST(Fill, ComputeSetsTakeIntervalsTilesAndMappings) {
  Session s;
  const auto t = s.input(INT, {20}, Doubles(20, 1));
  const auto cs = s.graph.addComputeSet("fills");
  popops::fill(s.graph, t, {Interval(0, 2), Interval(5, 6)}, 3, cs, 7);
  popops::zero(s.graph, t.slice(10, 12), 1, cs);
  popops::zero(s.graph, t, {{Interval(15, 16)}, {}, {Interval(17, 19)}}, cs);
  s.prog.add(program::Execute(cs));
  EXPECT_THROW(popops::zero(s.graph, t, {Interval(15, 21)}, 0, cs), poputil::poplibs_error);
  EXPECT_EQ(s.run(t), (Doubles{7, 7, 1, 1, 1, 7, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1}));
}
