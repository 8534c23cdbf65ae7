// SPDX-License-Identifier: MIT
#include "frontend/Resampling.hpp"

#include "frontend/TestWriting.hpp"

using namespace frontend;

TEST(FrontendResampling, ScalesThatAreGivenCountMoreThanSizes) {
  EXPECT_EQ(scaleOf(4, 8, false, 0), 0.5f);
  EXPECT_EQ(scaleOf(4, 8, false, 2.5), 0.4f);
  EXPECT_EQ(scaleOf(4, 7, true, 2.5), 0.5f); // corners fall together
  EXPECT_EQ(scaleOf(4, 1, true, 0), 0.0f);
}

TEST(FrontendResampling, NearestIsOneLookup) {
  TestWriting w;
  resampled(w, w.input("x", {1, 2, 3}), 2, Neighbours::Nearest, {3, 5, 0.6f});
  EXPECT_EQ(w.text(), "model:\n  Gather:0 = Gather(x, constant, axis=2)  FLOAT [1,2,5]\n");
}

TEST(FrontendResampling, LinearWeighsTwoNeighbours) {
  TestWriting w;
  resampled(w, w.input("x", {1, 2, 3, 2}), 2, Neighbours::Linear, {3, 6, 0.5f, 0.5f, -0.5f});
  EXPECT_EQ(w.text(), R"(model:
  Gather:0 = Gather(x, constant, axis=2)  FLOAT [1,2,6,2]
  Mul:0 = Mul(Gather:0, constant/1)  FLOAT [1,2,6,2]
  Gather:0/1 = Gather(x, constant/2, axis=2)  FLOAT [1,2,6,2]
  Mul:0/1 = Mul(Gather:0/1, constant/3)  FLOAT [1,2,6,2]
  Add:0 = Add(Mul:0, Mul:0/1)  FLOAT [1,2,6,2]
)");
}

// In the middle between two pixels Keys' weights for a = -0.75 are -3/32, 19/32, 19/32, -3/32.
TEST(FrontendResampling, PlacesAndWeightsAreThoseOfTheLine) {
  TestWriting w;
  const Value x = w.counting({1, 1, 3}), y = w.given({1, 1, 4}, {0, 0, 32, 0}),
              edge = w.given({1, 1, 2}, {32, 0});
  EXPECT_EQ(w.run({resampled(w, x, 2, Neighbours::Nearest, {3, 5, 0.6f}),
                   resampled(w, x, 2, Neighbours::Nearest, {3, 5, 0.6f, 0.5f}),    // middles
                   resampled(w, x, 2, Neighbours::Nearest, {3, 5, 0.5f, 0, 0.5f}), // rounded
                   resampled(w, x, 2, Neighbours::Linear, {3, 6, 0.5f, 0.5f, -0.5f}),
                   resampled(w, x, 2, Neighbours::Linear, {3, 5, 0.5f}), // corners together
                   resampled(w, y, 2, Neighbours::Cubic, {4, 7, 0.5f}),
                   resampled(w, edge, 2, Neighbours::Cubic, {2, 3, 0.5f})}),
            (std::vector<Doubles>{{1, 1, 2, 2, 3},
                                  {1, 1, 2, 3, 3},
                                  {1, 2, 2, 3, 3},
                                  {1, 1.25, 1.75, 2.25, 2.75, 3},
                                  {1, 1.5, 2, 2.5, 3},
                                  {0, -3, 0, 19, 32, 19, 0},
                                  {32, 16, 0}}));
}
