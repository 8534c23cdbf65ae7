// SPDX-License-Identifier: MIT
#include "popops/CircBuf.hpp"
#include "popops/Loop.hpp"
#include "Session.hpp"
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace {

TEST(Loop, CountedLoopsShowTheirCounterToTheBody) {
  Session s;
  popops::CircBuf seen(s.graph, UNSIGNED_INT, 4, {1});
  s.prog.add(popops::countedLoop(s.graph, 3, 20, 4, [&](const Tensor &i) {
    EXPECT_EQ(i.elementType(), UNSIGNED_INT);
    Sequence body;
    seen.add(i, body);
    return body;
  }));
  // 3, 7, 11, 15, 19: the first is gone.
  std::vector<std::size_t> read;
  for (unsigned back = 0; back < 4; ++back)
    read.push_back(s.output(seen.prev(back, s.prog)));
  popops::CircBuf count(s.graph, UNSIGNED_INT, 1, {1});
  s.prog.add(popops::countedLoop(s.graph, 6, [&](const Tensor &i) {
    Sequence body;
    count.add(i, body);
    return body;
  }));
  auto last = s.output(count.prev(0, s.prog));
  s.run();
  for (unsigned back = 0; back < 4; ++back)
    EXPECT_EQ(s.values(read[back])[0], 19 - 4.0 * back);
  EXPECT_EQ(s.values(last)[0], 5);
  auto nothing = [](const Tensor &) { return Sequence(); };
  EXPECT_THROW(popops::countedLoop(s.graph, 0, 5, 0, nothing), poplibs_error);
  EXPECT_THROW(popops::countedLoop(s.graph, 5, 5, 1, nothing), poplibs_error);
}

TEST(Loop, ForLoopsEndAtALimitKnownAtRunTime) {
  Session s;
  std::vector<std::pair<std::size_t, double>> cases;
  struct Case {
    Type type;
    int first;
    double limit;
    int step;
    double times;
  };
  for (const auto &c : {Case{INT, 0, 5, 1, 5}, Case{INT, -3, 4, 2, 4}, Case{INT, 5, 0, -2, 3},
                        Case{INT, 5, 5, 1, 0}, Case{UNSIGNED_INT, 0, 3, 1, 3},
                        Case{UNSIGNED_INT, 7, 2, -1, 5}, Case{INT, -1, -4, -1, 3}}) {
    auto limit = s.input(c.type, {1}, {c.limit});
    auto steps = s.graph.addVariable(UNSIGNED_INT, {1}, VariableMappingMethod::LINEAR);
    auto zero = s.input(UNSIGNED_INT, {1}, {0}), never = s.input(UNSIGNED_INT, {1}, {1000});
    s.prog.add(Copy(zero, steps));
    Sequence body;
    popops::addForLoopCounterVertex(s.graph, steps, never, 1, 0, body);
    s.prog.add(popops::countedForLoop(s.graph, c.first, limit, c.step, body));
    cases.push_back({s.output(steps), c.times});
  }
  s.run();
  for (const auto &[output, times] : cases)
    EXPECT_EQ(s.values(output)[0], times);
  auto f = s.graph.addVariable(FLOAT, {1}, VariableMappingMethod::LINEAR);
  auto i = s.graph.addVariable(INT, {1}, VariableMappingMethod::LINEAR);
  EXPECT_THROW(popops::countedForLoop(s.graph, 0, f, 1, Sequence()), poplibs_error);
  EXPECT_THROW(popops::countedForLoop(s.graph, 0, i, 0, Sequence()), poplibs_error);
}

TEST(CircBuf, RemembersTheLastEntriesOfAnyShape) {
  Session s;
  popops::CircBuf ring(s.graph, HALF, 3, {2, 5});
  EXPECT_EQ(ring.size(), 3u);
  std::vector<Doubles> added;
  for (int i = 0; i < 5; ++i) {
    added.push_back(s.stored(HALF, s.random(10)));
    ring.add(s.input(HALF, {2, 5}, added.back()), s.prog);
  }
  std::vector<std::size_t> read;
  for (unsigned back = 0; back < 3; ++back) {
    auto t = ring.prev(back, s.prog);
    EXPECT_EQ(t.shape(), (Shape{2, 5}));
    read.push_back(s.output(t));
  }
  s.run();
  for (unsigned back = 0; back < 3; ++back)
    EXPECT_EQ(s.values(read[back]), added[4 - back]);
  EXPECT_THROW(ring.prev(3, s.prog), poplibs_error);
  auto wrong = s.graph.addVariable(HALF, {5, 2}, VariableMappingMethod::LINEAR);
  EXPECT_THROW(ring.add(wrong, s.prog), poplibs_error);
}

} // namespace
