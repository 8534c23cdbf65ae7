// SPDX-License-Identifier: MIT
#include "analysis/RangeSet.hpp"
#include "compile/FindLiveness.hpp"
#include "compile/TestImage.hpp"
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace poplar;
using namespace poplar::analysis;
using namespace poplar::compile;
using namespace poplar::compile::testing;

namespace {

// Source s and sink d are seen by the host; t and u are temporaries.
struct Chain : TestImage {
  std::uint32_t s = variable("s", 8), t = variable("t", 8), u = variable("u", 8),
                d = variable("d", 8);
  void run(std::vector<std::uint32_t> programs) {
    image.hostWrites.push_back({"s", TypeId::Float, 8, {}, view(s)});
    image.hostReads.push_back({"d", TypeId::Float, 8, {}, view(d)});
    image.programs = std::move(programs);
    findLiveness(image);
  }
  bool always(std::uint32_t var) const { return image.variables[var].alwaysLive; }
  std::vector<std::uint32_t> liveAt(std::uint32_t step) const {
    for (std::size_t i = 0; i != image.memory.steps.size(); ++i)
      if (image.memory.steps[i].step == step)
        return image.memory.liveAt(i);
    return {none};
  }
};
using Vars = std::vector<std::uint32_t>;

} // namespace

TEST(FindLiveness, ATemporaryLivesFromItsWriteToItsLastRead) {
  Chain c;
  auto a = c.copy(c.s, c.t), b = c.copy(c.t, c.u), e = c.copy(c.u, c.d);
  c.run({c.sequence({a, b, e})});
  EXPECT_TRUE(c.always(c.s) && c.always(c.d));
  EXPECT_FALSE(c.always(c.t) || c.always(c.u));
  EXPECT_EQ(c.liveAt(a), Vars{c.t});
  EXPECT_EQ(c.liveAt(b), (Vars{c.t, c.u}));
  EXPECT_EQ(c.liveAt(e), Vars{c.u});
  EXPECT_EQ(c.image.memory.steps[1].notAlwaysLiveBytes, 64u);
}

TEST(FindLiveness, TwoHalvesMakeAWhole) {
  Chain c;
  auto first = c.copy(c.s, 0, c.t, 0, {{4, 1, 1}}), second = c.copy(c.s, 4, c.t, 4, {{4, 1, 1}});
  auto use = c.copy(c.t, c.d);
  c.run({c.sequence({first, second, use})});
  EXPECT_FALSE(c.always(c.t));
  EXPECT_EQ(c.liveAt(first), Vars{c.t});

  Chain gap;
  auto part = gap.copy(gap.s, 0, gap.t, 0, {{7, 1, 1}});
  gap.run({gap.sequence({part, gap.copy(gap.t, gap.d)})});
  EXPECT_TRUE(gap.always(gap.t));
}

TEST(FindLiveness, AValueCarriedBetweenProgramsIsAlwaysLive) {
  Chain c;
  auto write = c.copy(c.s, c.t), read = c.copy(c.t, c.d);
  c.run({write, read});
  EXPECT_TRUE(c.always(c.t));
}

TEST(FindLiveness, AValueCarriedRoundALoopIsLiveThroughoutIt) {
  Chain c;
  auto init = c.copy(c.s, c.t), keep = c.copy(c.t, c.u), back = c.copy(c.u, c.t),
       out = c.copy(c.t, c.d);
  c.run({c.sequence({init, c.repeat(5, c.sequence({keep, back})), out})});
  EXPECT_FALSE(c.always(c.t) || c.always(c.u));
  EXPECT_EQ(c.liveAt(keep), (Vars{c.t, c.u}));
  EXPECT_EQ(c.liveAt(out), Vars{c.t});

  Chain carried; // nothing before the loop writes t
  auto body =
      carried.sequence({carried.copy(carried.t, carried.d), carried.copy(carried.s, carried.t)});
  carried.run({carried.repeat(2, body)});
  EXPECT_TRUE(carried.always(carried.t));
}

TEST(FindLiveness, ALoopThatNeverRunsWritesNothing) {
  Chain c;
  c.run({c.sequence({c.repeat(0, c.copy(c.s, c.t)), c.copy(c.t, c.d)})});
  EXPECT_TRUE(c.always(c.t));
}

TEST(FindLiveness, OnlyBothBranchesTogetherWriteSurely) {
  Chain both;
  auto p = both.variable("p", 1, {0}, TypeId::Bool);
  auto test = both.branch(p, both.copy(both.s, both.t), both.copy(both.d, both.t));
  both.run({both.sequence({test, both.copy(both.t, both.d)})});
  EXPECT_FALSE(both.always(both.t));
  EXPECT_TRUE(both.always(p));

  Chain one;
  auto q = one.variable("q", 1, {0}, TypeId::Bool);
  auto maybe = one.branch(q, one.copy(one.s, one.t), one.sequence({}));
  one.run({one.sequence({maybe, one.copy(one.t, one.d)})});
  EXPECT_TRUE(one.always(one.t));
}

TEST(FindLiveness, AWhileLoopKeepsWhatItsConditionReads) {
  Chain c;
  auto p = c.variable("p", 8);
  auto start = c.copy(c.s, c.t), condition = c.copy(c.t, p), body = c.copy(c.s, c.u),
       turn = c.copy(c.u, c.t);
  auto loop = c.put(step::RepeatWhile{condition, c.view(p), true, c.sequence({body, turn})});
  c.run({c.sequence({start, loop})});
  EXPECT_FALSE(c.always(c.t) || c.always(c.u) || c.always(p));
  EXPECT_EQ(c.liveAt(condition), (Vars{c.t, p}));
  EXPECT_EQ(c.liveAt(body), Vars{c.u});
}

TEST(FindLiveness, FunctionsSeeTheNeedsOfAllCallers) {
  Chain c;
  auto body = c.copy(c.s, c.u);
  c.image.functions = {body};
  auto call = c.put(step::Call{0}), call2 = c.put(step::Call{0});
  auto a = c.copy(c.s, c.t), use = c.copy(c.u, c.d), use2 = c.copy(c.t, c.d);
  c.run({c.sequence({a, call, use, use2}), c.sequence({call2})});
  EXPECT_EQ(c.liveAt(body), (Vars{c.t, c.u}));
}

TEST(FindLiveness, WriteUndefEndsALife) {
  Chain c;
  auto half = c.copy(c.s, 0, c.t, 0, {{4, 1, 1}});
  auto undef = c.put(step::WriteUndef{c.view(c.t)});
  c.run({c.sequence({undef, half, c.copy(c.t, c.d)})});
  EXPECT_FALSE(c.always(c.t));
  EXPECT_EQ(c.liveAt(undef), Vars{c.t}); // the half that nobody writes is read in the end
}

TEST(FindLiveness, OutputsCountAsWritesInReportsOnly) {
  Chain c;
  auto type = c.vertexType("V", {{"in"}, {"out", FieldDirection::Output}});
  auto cs = c.computeSet("cs");
  c.vertex(cs, type, 0, {c.span(c.s, 0, 8), c.span(c.t, 0, 8)});
  c.run({c.sequence({c.execute(cs), c.copy(c.t, c.d)})});
  EXPECT_FALSE(c.always(c.t));
  EXPECT_TRUE(storageLives(c.image)[c.t].always);
}

TEST(FindLiveness, InitialValuesAndConstantsNeverDie) {
  Chain c;
  c.image.variables[c.t].initial = {{0, std::string(32, '\0')}};
  c.image.variables[c.u].kind = VariableKind::Constant;
  c.run({c.sequence({c.copy(c.s, c.t), c.copy(c.t, c.d), c.copy(c.u, c.d)})});
  EXPECT_TRUE(c.always(c.t) && c.always(c.u));
}

// Not a list of variables for every step: that is the square of the program.
TEST(FindLiveness, AVariableHasOneSpanHoweverManyLiveBesideIt) {
  TestImage t;
  const auto s = t.variable("s", 1), d = t.variable("d", 1);
  t.image.hostWrites.push_back({"s", TypeId::Float, 1, {}, t.view(s)});
  t.image.hostReads.push_back({"d", TypeId::Float, 1, {}, t.view(d)});
  constexpr std::uint32_t count = 3000;
  std::vector<std::uint32_t> steps, temporaries;
  for (std::uint32_t i = 0; i != count; ++i)
    steps.push_back(t.copy(s, temporaries.emplace_back(t.variable("t", 1))));
  steps.push_back(t.repeat(2, t.copy(s, d))); // others live through it
  for (auto var : temporaries)
    steps.push_back(t.copy(var, d));
  t.image.programs = {t.sequence(steps)};
  findLiveness(t.image);
  ASSERT_EQ(t.image.memory.spans.size(), count);
  for (std::uint32_t i = 0; i != count; ++i)
    EXPECT_EQ(t.image.memory.spans[i], (LiveSpan{temporaries[i], i, count + 2}));
  EXPECT_EQ(t.image.memory.steps[count].notAlwaysLiveBytes, 4 * count);
  EXPECT_EQ(t.image.memory.liveAt(2 * count), Vars{temporaries.back()});
}

TEST(FindLiveness, DeepNestingCostsNoStack) {
  Chain c;
  auto program = c.copy(c.s, c.t);
  for (int i = 0; i != 20000; ++i)
    program = c.sequence({program, c.copy(c.t, c.u)});
  c.run({c.sequence({program, c.copy(c.u, c.d)})});
  EXPECT_FALSE(c.always(c.u));
  EXPECT_EQ(c.image.memory.steps.size(), 20002u);
}

namespace {

// Copies of pieces within one temporary t, between a copy from s and one to d, some of them in a
// loop; and the same by single elements, element sets and nothing else.
struct Pieces : TestImage {
  struct Piece {
    std::int64_t from, to, elements, stride;
  };
  std::uint32_t s, t, d;
  std::vector<Piece> before, body, after;
  std::uint64_t elements;

  explicit Pieces(std::uint64_t n)
      : s(variable("s", n)), t(variable("t", n)), d(variable("d", n)), elements(n) {
    image.hostWrites.push_back({"s", TypeId::Float, n, {}, view(s)});
    image.hostReads.push_back({"d", TypeId::Float, n, {}, view(d)});
  }
  std::vector<std::uint32_t> copies(const std::vector<Piece> &pieces) {
    std::vector<std::uint32_t> steps;
    for (auto p : pieces)
      steps.push_back(copy(t, p.from, t, p.to, {{std::uint64_t(p.elements), p.stride, p.stride}}));
    return steps;
  }
  void find(std::uint64_t written) {
    auto first = copies(before), loop = copies(body), last = copies(after);
    first.insert(first.begin(), copy(s, 0, t, 0, {{written, 1, 1}}));
    first.push_back(repeat(3, sequence(loop)));
    first.insert(first.end(), last.begin(), last.end());
    first.push_back(copy(t, d));
    image.programs = {sequence(first)};
    findLiveness(image);
  }

  using Elements = std::set<std::int64_t>;
  static void backOver(Elements &live, Piece p) {
    for (std::int64_t i = 0; i != p.elements; ++i)
      live.erase(p.to + i * p.stride);
    for (std::int64_t i = 0; i != p.elements; ++i)
      live.insert(p.from + i * p.stride);
  }
  // What is needed before everything: t dies only if that is what the first copy writes.
  Elements neededAtFirst() const {
    Elements live;
    for (std::uint64_t i = 0; i != elements; ++i)
      live.insert(std::int64_t(i));
    for (auto p = after.rbegin(); p != after.rend(); ++p)
      backOver(live, *p);
    for (int round = 0; round != 3; ++round)
      for (auto p = body.rbegin(); p != body.rend(); ++p)
        backOver(live, *p);
    for (auto p = before.rbegin(); p != before.rend(); ++p)
      backOver(live, *p);
    return live;
  }
};

} // namespace

TEST(FindLiveness, PiecesAreFollowedElementByElement) {
  std::mt19937 random(7);
  unsigned dying = 0;
  for (int trial = 0; trial != 400; ++trial) {
    constexpr std::int64_t n = 24;
    Pieces p(n);
    for (auto *list : {&p.before, &p.body, &p.after})
      for (unsigned i = random() % 40; i-- > 0;) {
        const std::int64_t stride = 1 + random() % 3, length = 1 + random() % 6,
                           room = n - (length - 1) * stride;
        list->push_back(
            {std::int64_t(random() % room), std::int64_t(random() % room), length, stride});
      }
    const std::int64_t written = 8 + random() % (n - 7);
    p.find(std::uint64_t(written));
    const auto needed = p.neededAtFirst();
    const bool dies = needed.empty() || *needed.rbegin() < written;
    EXPECT_EQ(!p.image.variables[p.t].alwaysLive, dies) << "trial " << trial;
    dying += dies;
  }
  EXPECT_GT(dying, 40u);
  EXPECT_LT(dying, 360u);
}

// Every tile of a ring gets the borders of its neighbours, in slices of one variable.
TEST(FindLiveness, WorkGrowsWithTheCopiesAndNotWithTheirSquare) {
  auto workOf = [](std::int64_t tiles) {
    constexpr std::int64_t inner = 6, size = inner + 2;
    Pieces p(std::uint64_t(tiles * size));
    for (std::int64_t t = 0; t != tiles; ++t) {
      const auto left = (t + tiles - 1) % tiles * size, right = (t + 1) % tiles * size;
      p.before.push_back({left + inner, t * size, 1, 1});
      p.body.push_back({right + 1, t * size + size - 1, 1, 1});
    }
    const auto before = RangeSet::work();
    p.find(p.elements);
    storageLives(p.image);
    return double(RangeSet::work() - before);
  };
  workOf(100);
  const auto once = workOf(2000), twice = workOf(4000);
  EXPECT_GT(once, 2000);
  EXPECT_LT(twice, 2.5 * once);
}
