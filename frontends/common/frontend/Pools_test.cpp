// SPDX-License-Identifier: MIT
#include "frontend/Pools.hpp"

#include "frontend/TestWriting.hpp"

using namespace frontend;

namespace {

Pool poolOf(const Shape &field, const Integers &kernel, const Integers &strides,
            const Integers &pads) {
  return Pool({field, kernel, strides, Integers(field.size(), 1), pads});
}

} // namespace

TEST(FrontendPools, WriteOnePoolEach) {
  TestWriting w;
  const Value x = w.input("x", {1, 2, 6, 4});
  const Pool pool = poolOf({6, 4}, {3, 2}, {3, 2}, {0, 0, 0, 0});
  maxima(w, x, pool);
  means(w, x, pool, true);
  AdaptivePool(w, x, {2, 3}).means(); // parts of 3 by 2, which overlap by one
  EXPECT_EQ(w.text(), R"(model:
  MaxPool:0 = MaxPool(x, first_of_ties=1, kernel_shape=[3,2], pads=[0,0,0,0], strides=[3,2])  FLOAT [1,2,2,2]
  AveragePool:0 = AveragePool(x, kernel_shape=[3,2], pads=[0,0,0,0], strides=[3,2])  FLOAT [1,2,2,2]
  AveragePool:0/1 = AveragePool(x, kernel_shape=[3,2], pads=[0,0,0,0], strides=[3,1])  FLOAT [1,2,2,3]
)");
}

TEST(FrontendPools, CountPaddingOnlyIfAskedTo) {
  TestWriting w;
  Pool pool = poolOf({4}, {3}, {2}, {1, 1});
  means(w, w.input("x", {1, 1, 4}), pool, true);
  EXPECT_EQ(w.text(), R"(model:
  SumPool:0 = SumPool(x, kernel_shape=[3], pads=[1,1], strides=[2])  FLOAT [1,1,2]
  Mul:0 = Mul(SumPool:0, constant)  FLOAT [1,1,2]
)");
  EXPECT_EQ(pool.counts(true).second, (Doubles{3, 3}));
  EXPECT_EQ(pool.counts(false).second, (Doubles{2, 3}));
  pool.reach(0, 3); // the last window begins at the last element and covers padding of one
  EXPECT_EQ(pool.reached, (Integers{1, 2}));
  EXPECT_EQ(pool.counts(true), (std::pair<Shape, Doubles>{{1, 1, 3}, {3, 3, 2}}));
  EXPECT_EQ(pool.counts(false).second, (Doubles{2, 3, 1}));
}

TEST(FrontendPools, PartsCoverWhatTheyShould) {
  TestWriting w;
  const Value x = w.given({1, 2, 4}, {1, 4, 2, 3, 8, 5, 6, 6}), y = w.counting({1, 1, 5, 3}),
              same = w.given({1, 1, 3, 3}, Doubles(9, 1));
  const AdaptivePool uneven(w, y, {3, 2}); // rows 0-1, 1-3, 3-4 of 5; columns 0-1 and 1-2 of 3
  const Value first = AdaptivePool(w, w.m.op("Identity", {same}), {2, 2}).maxima();
  EXPECT_EQ(w.run({positions(w, x, poolOf({4}, {2}, {2}, {0, 0})), uneven.means(), uneven.maxima(),
                   uneven.positions(), w.model.gradients({first}, {same})[0]}),
            (std::vector<Doubles>{{1, 3, 0, 2},
                                  {3, 4, 7.5, 8.5, 12, 13},
                                  {5, 6, 11, 12, 14, 15},
                                  {4, 5, 10, 11, 13, 14},
                                  {1, 1, 0, 1, 1, 0, 0, 0, 0}})); // of equal maxima the first one
  EXPECT_EQ(TestWriting().error([] {
    TestWriting v;
    AdaptivePool(v, v.input("x", {1, 1, 2}), {0});
  }),
            "an adaptive pool needs a positive number of results, not 0.");
}
