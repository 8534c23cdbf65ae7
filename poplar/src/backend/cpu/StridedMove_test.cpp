// SPDX-License-Identifier: MIT
#include "backend/cpu/StridedMove.hpp"
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace poplar::backend;
using namespace poplar::backend::cpu;

namespace {

using Bytes = std::vector<std::byte>;

Bytes randomBytes(std::size_t n, std::mt19937 &random) {
  Bytes bytes(n);
  for (auto &byte : bytes)
    byte = std::byte(random());
  return bytes;
}

void visit(const RawMove &move, std::size_t level, std::int64_t from, std::int64_t to,
           const std::function<void(std::int64_t, std::int64_t)> &body) {
  if (level == move.loops.size())
    return body(from, to);
  const auto &loop = move.loops[level];
  for (std::uint64_t i = 0; i < loop.extent; ++i)
    visit(move, level + 1, from + std::int64_t(i) * loop.from, to + std::int64_t(i) * loop.to,
          body);
}

// Reads every source before writing any destination.
void naive(const std::vector<RawMove> &moves, const Bytes &from, Bytes &to) {
  auto source = from;
  for (const auto &move : moves)
    visit(move, 0, move.from, move.to,
          [&](auto f, auto t) { std::memcpy(&to[t], &source[f], move.unit); });
}

// A random box walked in a random order on both sides; destination elements are distinct.
RawMove randomMove(std::mt19937 &random, std::uint64_t unit, std::uint64_t limit,
                   std::int64_t &fromBytes, std::int64_t &toBytes) {
  auto pick = [&](std::uint64_t n) { return random() % n; };
  const auto rank = pick(5);
  RawMove move{0, 0, unit, {}};
  std::vector<std::uint64_t> extents;
  std::uint64_t count = 1;
  for (std::uint64_t i = 0; i < rank; ++i) {
    auto extent = 1 + pick(std::max<std::uint64_t>(1, std::min<std::uint64_t>(70, limit / count)));
    extents.push_back(extent);
    count *= extent;
    move.loops.push_back({extent, 0, 0});
  }
  auto layOut = [&](std::int64_t ByteLoop::*stride, std::int64_t &start, std::int64_t &total,
                    bool mayRepeat) {
    std::vector<std::size_t> order(rank);
    for (std::size_t i = 0; i < rank; ++i)
      order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    std::int64_t step = unit * (pick(3) == 0 ? 2 : 1);
    total = unit;
    for (auto i : order) {
      auto &loop = move.loops[i];
      loop.*stride = mayRepeat && pick(6) == 0 ? 0 : step;
      if (loop.*stride != 0)
        step = step * std::int64_t(loop.extent) + (pick(3) == 0 ? std::int64_t(unit * pick(4)) : 0);
      if (pick(5) == 0 && loop.*stride > 0) {
        start += std::int64_t(loop.extent - 1) * (loop.*stride);
        loop.*stride = -(loop.*stride);
      }
    }
    total = step + std::int64_t(unit);
  };
  layOut(&ByteLoop::from, move.from, fromBytes, true);
  layOut(&ByteLoop::to, move.to, toBytes, false);
  return move;
}

void expectSame(const std::vector<RawMove> &moves, const Bytes &from, Bytes to,
                const std::string &what) {
  auto expected = to;
  naive(moves, from, expected);
  MoveList(moves, SameMemory::No).run(from.data(), to.data());
  ASSERT_TRUE(expected == to) << what;
}

} // namespace

TEST(StridedMove, AgreesWithAPlainLoopForRandomShapesAndUnits) {
  std::mt19937 random(1);
  for (int round = 0; round < 1000; ++round) {
    const std::uint64_t units[] = {1, 2, 4, 8, 12, 16, 3};
    std::int64_t fromBytes, toBytes;
    auto move = randomMove(random, units[round % 7], 20000, fromBytes, toBytes);
    expectSame({move}, randomBytes(fromBytes, random), randomBytes(toBytes, random),
               base::str("round ", round));
  }
}

TEST(StridedMove, LargeMovesDoNotDependOnTheNumberOfThreads) {
  std::mt19937 random(2);
  const auto before = base::numThreads();
  for (unsigned threads : {1u, 2u, 3u, 7u}) {
    base::setNumThreads(threads);
    for (int round = 0; round < 6; ++round) {
      std::int64_t fromBytes, toBytes;
      auto move = randomMove(random, 4, 600000, fromBytes, toBytes);
      expectSame({move}, randomBytes(fromBytes, random), randomBytes(toBytes, random),
                 base::str(threads, " threads"));
    }
    RawMove matrix{0, 0, 4, {{700, 4, 2800}, {700, 2800, 4}}}, run{0, 0, 1, {{3 << 20, 1, 1}}};
    expectSame({matrix}, randomBytes(700 * 700 * 4, random), Bytes(700 * 700 * 4), "matrix");
    expectSame({run}, randomBytes(3 << 20, random), Bytes(3 << 20), "run");
    RawMove colours{0, 0, 4, {{2, 720000, 720000}, {3, 240000, 4}, {60000, 4, 12}}};
    expectSame({colours}, randomBytes(1440000, random), Bytes(1440000), "colours");
    std::vector<RawMove> many;
    for (int i = 0; i < 3000; ++i)
      many.push_back({(i * 7 % 3000) * 600, i * 600, 600, {}});
    expectSame(many, randomBytes(3000 * 600, random), Bytes(3000 * 600), "many");
  }
  base::setNumThreads(before);
}

TEST(StridedMove, LargeTransposesOfRunsBypassTheCachesAndStayRight) {
  std::mt19937 random(5);
  for (std::int64_t unit : {64, 192, 100}) {
    const std::int64_t rows = 300, columns = (20 << 20) / (rows * unit);
    RawMove move{
        0,
        64,
        std::uint64_t(unit),
        {{std::uint64_t(columns), unit, unit * rows}, {std::uint64_t(rows), unit * columns, unit}}};
    expectSame({move}, randomBytes(rows * columns * unit, random),
               Bytes(rows * columns * unit + 64), base::str(unit));
  }
}

TEST(StridedMove, TransposesEveryElementSizeAndRaggedEdges) {
  std::mt19937 random(3);
  for (std::int64_t unit : {1, 2, 4, 8})
    for (std::int64_t rows : {4, 15, 16, 17, 64, 131})
      for (std::int64_t columns : {4, 33, 64, 100}) {
        RawMove move{0,
                     0,
                     std::uint64_t(unit),
                     {{std::uint64_t(columns), unit, unit * rows},
                      {std::uint64_t(rows), unit * columns, unit}}};
        expectSame({move}, randomBytes(rows * columns * unit, random), Bytes(rows * columns * unit),
                   base::str(unit, " ", rows, "x", columns));
      }
}

TEST(StridedMove, OverlappingSourceAndDestinationAreReadBeforeWritten) {
  std::mt19937 random(4);
  for (int round = 0; round < 1500; ++round) {
    std::vector<RawMove> moves;
    std::int64_t size = 0, nextTo = 0;
    for (int i = 0, n = 1 + round % 3; i < n; ++i) {
      std::int64_t fromBytes, toBytes;
      auto move = randomMove(random, 4, 300, fromBytes, toBytes);
      move.from += 4 * (random() % 50);
      move.to += nextTo;
      nextTo += toBytes;
      size = std::max({size, fromBytes + 200, nextTo});
      moves.push_back(move);
    }
    auto memory = randomBytes(size, random);
    auto expected = memory;
    naive(moves, memory, expected);
    MoveList(moves, SameMemory::Yes).run(memory.data(), memory.data());
    ASSERT_TRUE(expected == memory) << "round " << round;
  }
}

TEST(StridedMove, ColumnsOfOneMatrixNeedNoBuffer) {
  RawMove move{0, 4, 4, {{100, 400, 400}}};
  EXPECT_FALSE(MoveList({move}, SameMemory::Yes).buffered());
  RawMove shift{0, 4, 4, {{100, 4, 4}}};
  EXPECT_TRUE(MoveList({shift, {2000, 1000, 4, {}}}, SameMemory::Yes).buffered());
}

TEST(StridedMove, EmptyLoopsMoveNothing) {
  MoveList list({{0, 0, 4, {{0, 4, 4}, {3, 4, 4}}}}, SameMemory::Yes);
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.bytes(), 0u);
  list.run(nullptr, nullptr);
}
