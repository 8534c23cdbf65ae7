// SPDX-License-Identifier: MIT
#include "tensor/Moves.hpp"
#include "tensor/ViewOracle.hpp"
#include <gtest/gtest.h>

using namespace poplar;
using namespace poplar::tensor;
using namespace poplar::tensor::oracle;

namespace {

// (destination variable, element) -> (source variable, element)
std::map<std::pair<unsigned, std::int64_t>, std::pair<unsigned, std::int64_t>>
carriedOut(const std::vector<Move> &moves) {
  std::map<std::pair<unsigned, std::int64_t>, std::pair<unsigned, std::int64_t>> out;
  for (auto &move : moves) {
    std::size_t n = 1;
    for (auto &loop : move.loops)
      n *= loop.extent;
    for (std::size_t i = 0; i < n; ++i) {
      auto from = move.fromOffset, to = move.toOffset;
      auto rest = i;
      for (std::size_t l = move.loops.size(); l-- > 0;) {
        auto at = std::int64_t(rest % move.loops[l].extent);
        from += at * move.loops[l].from;
        to += at * move.loops[l].to;
        rest /= move.loops[l].extent;
      }
      EXPECT_TRUE(out.emplace(std::pair(move.toVar, to), std::pair(move.fromVar, from)).second)
          << "written twice";
    }
  }
  return out;
}

} // namespace

TEST(Moves, CarryEveryElementOfAnyViewToAnyViewOfTheSameSize) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Sweep sweep(seed);
    auto source = variable(0, {sweep.pick(1, 6), sweep.pick(1, 6), sweep.pick(1, 4)});
    for (unsigned n = 0; n < 6; ++n)
      source = sweep.step(source);
    auto target = variable(7, source.naive.shape);
    for (unsigned n = 0; n < 4; ++n) { // any regular view without aliases of the same size
      auto next = sweep.step(target);
      if (next.naive.elements.size() == target.naive.elements.size() && !containsAliases(next.view))
        target = next;
    }
    auto got = carriedOut(movesBetween(source.view, target.view));
    ASSERT_EQ(got.size(), source.naive.elements.size()) << seed;
    for (std::size_t i = 0; i < source.naive.elements.size(); ++i) {
      auto &to = target.naive.elements[i], &from = source.naive.elements[i];
      ASSERT_EQ(got.at({to.var.value, to.at}), std::pair(from.var.value, from.at))
          << "seed " << seed << " element " << i;
    }
  }
}

TEST(Moves, RegularCopiesOfAHugeTensorAreAFewMoves) {
  auto v = wholeVariable(nullptr, VarId(0), TypeId::Float, {4096, 4096});
  auto to = wholeVariable(nullptr, VarId(1), TypeId::Float, {4096, 4096});
  EXPECT_EQ(movesBetween(dimShuffle(v, {1, 0}), to).size(), 1u);
  EXPECT_EQ(movesBetween(flatten(dimShuffle(v, {1, 0})), to).size(), 1u);
  auto left = slice(v, 0, 1000, 1), right = slice(v, 1000, 4096, 1);
  auto swapped = concat({&right, &left}, 1);
  EXPECT_EQ(movesBetween(swapped, to).size(), 2u);
  EXPECT_EQ(movesBetween(flatten(swapped), flatten(to)).size(), 2u);
}

TEST(Moves, NeighbouringRowsBecomeOneMemcpy) {
  auto from = wholeVariable(nullptr, VarId(0), TypeId::Half, {8, 16});
  auto moves = movesBetween(from, hostBuffer(TypeId::Half, {128}));
  ASSERT_EQ(moves.size(), 1u);
  ASSERT_EQ(moves[0].loops.size(), 1u);
  EXPECT_EQ(moves[0].loops[0].extent, 128u);
  EXPECT_EQ(moves[0].elementBytes, 2);
}
