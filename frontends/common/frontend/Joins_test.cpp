// SPDX-License-Identifier: MIT
#include "frontend/Joins.hpp"

#include "frontend/TestWriting.hpp"

using namespace frontend;

TEST(FrontendJoins, StackingPutsANewAxisIn) {
  TestWriting w;
  const Value a = w.input("a", {2}), b = w.input("b", {2});
  unstacked(w, stacked(w, {a, b}, 1), 1);
  EXPECT_EQ(w.text(), R"(model:
  Reshape:0 = Reshape(a, allowzero=1, shape=[2,1])  FLOAT [2,1]
  Reshape:0/1 = Reshape(b, allowzero=1, shape=[2,1])  FLOAT [2,1]
  Concat:0 = Concat(Reshape:0, Reshape:0/1, axis=1)  FLOAT [2,2]
  Slice:0 = Slice(Concat:0, axes=[1], ends=[1], starts=[0], steps=[1])  FLOAT [2,1]
  Slice:0/1 = Slice(Concat:0, axes=[1], ends=[2], starts=[1], steps=[1])  FLOAT [2,1]
  Reshape:0/2 = Reshape(Slice:0, allowzero=1, shape=[2])  FLOAT [2]
  Reshape:0/3 = Reshape(Slice:0/1, allowzero=1, shape=[2])  FLOAT [2]
)");
  EXPECT_EQ(w.error([&] {
    stacked(w, {a, w.input("c", {3})}, 0);
  }),
            "its inputs have shapes [2] and [3]; they must be the same.");
}

TEST(FrontendJoins, PiecesAddUp) {
  TestWriting w;
  const Value x = w.counting({5});
  const auto parts = pieces(w, x, 0, {2, -1, 1});
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(equalSizes(w, w.input("six", {6}), 0, 3), (Integers{2, 2, 2}));
  EXPECT_EQ(w.error([&] {
    pieces(w, x, 0, {2, 2});
  }),
            "its sections [2,2] are not the 5 elements of dimension 0.");
  EXPECT_EQ(w.error([&] {
    pieces(w, x, 0, {2, 4});
  }),
            "its sections [2,4] are not the 5 elements of dimension 0.");
  EXPECT_EQ(w.error([&] { equalSizes(w, x, 0, 2); }),
            "dimension 0 has 5 elements, which do not divide into 2 equal parts.");
  EXPECT_EQ(w.run({parts[1]}), (std::vector<Doubles>{{3, 4}}));
}
