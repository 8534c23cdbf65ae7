// SPDX-License-Identifier: MIT
// Kept elements are scaled exactly, the rest is zero; the mask belongs to seed and reference.
#include "poprand/RandomGen.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"
#include <algorithm>

using poplar::Tensor;

struct DropoutTest : testing::Test {
  Session s{16};
  Tensor seed = s.input(poplar::UNSIGNED_INT, {2}, {99, 7});
};

TEST_F(DropoutTest, KeepsTheRightShareAndScalesIt) {
  constexpr std::size_t n = 30011;
  auto values = s.random(n, 1, 2);
  std::vector<std::pair<double, std::size_t>> outputs;
  for (double keep : {0.0, 0.3, 0.9, 1.0})
    for (auto type : {poplar::FLOAT, poplar::HALF}) {
      auto x = s.input(type, {n}, values);
      outputs.emplace_back(
          keep, s.output(poprand::dropout(s.graph, &seed, 3, x, x, keep, 2.0, s.prog, "drop")));
    }
  s.run();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto &[keep, output] = outputs[i];
    const auto stored = Session::stored(i % 2 ? poplar::HALF : poplar::FLOAT, values);
    std::size_t kept = 0;
    for (std::size_t e = 0; e < n; ++e) {
      const double y = s.values(output)[e];
      ASSERT_TRUE(y == 0 || y == 2 * stored[e]);
      kept += y != 0;
    }
    EXPECT_NEAR(double(kept) / n, keep, 5 * std::sqrt(keep * (1 - keep) / n));
  }
}

TEST_F(DropoutTest, ForwardAndBackwardDropTheSameElements) {
  auto x = s.input(poplar::FLOAT, {40, 30}, Doubles(1200, 1));
  auto gradient = s.input(poplar::HALF, {30, 40}, Doubles(1200, 1)).transpose(); // other layout
  auto plain = s.output(poprand::dropout(s.graph, &seed, 1, x, x, 0.5, 1, s.prog));
  auto back = s.output(poprand::dropout(s.graph, &seed, 1, gradient, x, 0.5, 1, false, s.prog));
  auto other = s.output(poprand::dropout(s.graph, &seed, 2, x, x, 0.5, 1, s.prog));
  s.run();
  EXPECT_EQ(s.values(plain), s.values(back));
  EXPECT_NE(s.values(plain), s.values(other));
}

// Decisions follow the reference, whatever the memory order of the input.
TEST_F(DropoutTest, EveryMemoryOrderDropsTheSameElements) {
  const Shape shape{3, 70, 4, 5};
  auto values = s.random(4200, 1, 2);
  auto plain = s.input(poplar::FLOAT, shape, values);
  std::vector<std::pair<poplar::Type, std::size_t>> outputs;
  for (auto type : {poplar::FLOAT, poplar::HALF})
    for (const std::vector<unsigned> &order :
         {std::vector<unsigned>{0, 1, 2, 3}, {0, 2, 3, 1}, {1, 2, 3, 0}, {3, 1, 0, 2}}) {
      Shape inMemory;
      std::vector<unsigned> back(4);
      for (unsigned i = 0; i < 4; ++i) {
        inMemory.push_back(shape[order[i]]);
        back[order[i]] = i;
      }
      auto x = s.graph.addVariable(type, inMemory, poplar::VariableMappingMethod::LINEAR, "x")
                   .dimShuffle(back);
      s.set(x, values);
      outputs.emplace_back(
          type, s.output(poprand::dropout(s.graph, &seed, 1, x, plain, 0.5, 2, false, s.prog)));
    }
  s.run();
  const auto &first = s.values(outputs[0].second);
  for (const auto &[type, output] : outputs) {
    const auto stored = Session::stored(type, values);
    for (std::size_t i = 0; i < stored.size(); ++i)
      ASSERT_EQ(s.values(output)[i], first[i] != 0 ? 2 * stored[i] : 0);
  }
}

TEST_F(DropoutTest, TheOutputIsLaidOutAsAsked) {
  auto x = s.input(poplar::FLOAT, {64, 8}, Doubles(512, 1));
  auto reference = s.graph.addVariable(poplar::HALF, {64, 8});
  s.graph.setTileMapping(reference, 3);
  auto likeReference = poprand::dropout(s.graph, &seed, 1, x, reference, 0.5, 1, s.prog);
  auto likeInput = poprand::dropout(s.graph, &seed, 1, x, reference, 0.5, 1, false, s.prog);
  EXPECT_EQ(s.graph.getTileMapping(likeReference), s.graph.getTileMapping(reference));
  EXPECT_EQ(s.graph.getTileMapping(likeInput), s.graph.getTileMapping(x));
  EXPECT_EQ(likeReference.elementType(), poplar::FLOAT);
}

TEST_F(DropoutTest, WhatIsDroppedIsZeroEvenIfItIsNotFinite) {
  auto x = s.input(poplar::FLOAT, {200}, Doubles(200, INFINITY));
  for (double y : s.run(poprand::dropout(s.graph, &seed, 1, x, x, 0.5, 1, s.prog)))
    EXPECT_TRUE(y == 0 || std::isinf(y));
}

TEST_F(DropoutTest, ShapedMasksRepeat) {
  auto values = s.random(6 * 50 * 4, 1, 2);
  auto x = s.input(poplar::FLOAT, {6, 50, 4}, values);
  auto reference =
      s.graph.addVariable(poplar::FLOAT, {50, 1}, poplar::VariableMappingMethod::LINEAR);
  auto whole =
      s.graph.addVariable(poplar::FLOAT, {6, 50, 4}, poplar::VariableMappingMethod::LINEAR);
  auto a = s.output(poprand::shapedDropout(s.graph, &seed, 1, x, reference, 0.5, 4, s.prog));
  auto b = s.output(poprand::shapedDropout(s.graph, &seed, 1, x, whole, 0.5, 4, s.prog));
  auto c =
      s.output(poprand::shapedDropout(s.graph, &seed, 1, x.reverse(0), reference, 0.5, 4, s.prog));
  auto d = s.output(poprand::shapedDropout(s.graph, nullptr, 1, x, reference, 1, 4, s.prog));
  s.run();
  const auto stored = Session::stored(poplar::FLOAT, values);
  std::size_t kept = 0, keptAlone = 0;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const bool keep = s.values(a)[i / 4 % 50 * 4] != 0;
    ASSERT_EQ(s.values(a)[i], keep ? 4 * stored[i] : 0);
    ASSERT_EQ(s.values(d)[i], 4 * stored[i]);
    ASSERT_EQ(s.values(c)[i], keep ? 4 * stored[(5 - i / 200) * 200 + i % 200] : 0);
    kept += keep;
    keptAlone += s.values(b)[i] != 0;
  }
  EXPECT_EQ(kept % 24, 0u);
  EXPECT_NEAR(double(keptAlone) / 1200, 0.5, 0.08);
}

TEST_F(DropoutTest, BadArgumentsAreRefused) {
  auto x = s.graph.addVariable(poplar::FLOAT, {4, 3}, poplar::VariableMappingMethod::LINEAR);
  auto ints = s.graph.addVariable(poplar::INT, {4, 3}, poplar::VariableMappingMethod::LINEAR);
  using poputil::poplibs_error;
  EXPECT_THROW(poprand::dropout(s.graph, &seed, 0, x, x, 1.1, 1, s.prog), poplibs_error);
  EXPECT_THROW(poprand::dropout(s.graph, &seed, 0, x, x, -0.1, 1, s.prog), poplibs_error);
  EXPECT_THROW(poprand::dropout(s.graph, &seed, 0, x, x[0], 0.5, 1, s.prog), poplibs_error);
  EXPECT_THROW(poprand::dropout(s.graph, &seed, 0, ints, ints, 0.5, 1, s.prog), poplibs_error);
  EXPECT_THROW(poprand::dropout(s.graph, &x, 0, x, x, 0.5, 1, s.prog), poplibs_error);
  EXPECT_THROW(poprand::shapedDropout(s.graph, &seed, 0, x[0], x, 0.5, 1, s.prog), poplibs_error);
  EXPECT_TRUE(s.prog.isEmpty());
}
