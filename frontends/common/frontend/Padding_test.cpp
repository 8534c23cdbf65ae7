// SPDX-License-Identifier: MIT
#include "frontend/Padding.hpp"

#include "frontend/TestWriting.hpp"

using namespace frontend;

TEST(FrontendPadding, GoesRoundBySlices) {
  TestWriting w;
  padded(w, w.input("x", {2, 3}), {0, 1}, {0, 2}, "circular");
  EXPECT_EQ(w.text(), R"(model:
  Slice:0 = Slice(x, axes=[1], ends=[3], starts=[2], steps=[1])  FLOAT [2,1]
  Slice:0/1 = Slice(x, axes=[1], ends=[2], starts=[0], steps=[1])  FLOAT [2,2]
  Concat:0 = Concat(Slice:0, x, Slice:0/1, axis=1)  FLOAT [2,6]
)");
}

TEST(FrontendPadding, PutsAroundAndCuts) {
  TestWriting w;
  const Value x = w.counting({1, 4});
  EXPECT_EQ(
      w.run({padded(w, x, {0, 2}, {0, 1}, "circular"), padded(w, x, {0, -1}, {0, 2}, "circular"),
             padded(w, x, {0, 2}, {0, -1}, "constant", 9), padded(w, x, {0, 2}, {0, 1}, "reflect"),
             padded(w, x, {0, 2}, {0, 1}, "replicate")}),
      (std::vector<Doubles>{{3, 4, 1, 2, 3, 4, 1},
                            {2, 3, 4, 2, 3},
                            {9, 9, 1, 2, 3},
                            {3, 2, 1, 2, 3, 4, 3},
                            {1, 1, 1, 2, 3, 4, 4}}));
}

TEST(FrontendPadding, RefusesWhatItCannotDo) {
  TestWriting w;
  const Value x = w.input("x", {1, 2});
  EXPECT_EQ(w.error([&] {
    padded(w, x, {0, 3}, {0, 0}, "circular");
  }),
            "circular padding of 3 elements needs as many in dimension 1, which has 2.");
  EXPECT_EQ(w.error([&] {
    padded(w, x, {0, 3}, {0, 0}, "wrap");
  }),
            "mode \"wrap\" is not one of constant, reflect, replicate, circular.");
}
