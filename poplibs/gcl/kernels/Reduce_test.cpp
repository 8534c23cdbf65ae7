// SPDX-License-Identifier: MIT
// Members that were combined before in blocks give the same bits as all at once, however they are
// spread; and the order is the one that is documented.
#include "Reduce.hpp"
#include <cstring>
#include <gtest/gtest.h>

using namespace gcl;
using poplar::TypeId;
using Op = CollectiveOperator;

namespace {

using Values = std::vector<std::vector<float>>;

Values membersWith(unsigned count, std::size_t n) {
  Values out(count, std::vector<float>(n));
  for (unsigned m = 0; m != count; ++m)
    for (std::size_t i = 0; i != n; ++i)
      out[m][i] = float((m * 7919 + i * 104729) % 1000003) / 1e5f - 3.3f;
  return out;
}

std::vector<float> together(Op op, const Values &members) {
  std::vector<float> out(members[0].size());
  std::vector<const std::byte *> from;
  for (const auto &m : members)
    from.push_back(reinterpret_cast<const std::byte *>(m.data()));
  std::vector<std::byte *> to{reinterpret_cast<std::byte *>(out.data())};
  reduceRun(op, TypeId::Float, {from, to, 1, 1, out.size()});
  return out;
}

// As processes do it that have `sizes` members each: all blocks but those of the last are combined.
std::vector<float> spread(Op op, const Values &members, const std::vector<unsigned> &sizes) {
  const auto all = unsigned(members.size());
  const auto n = members[0].size();
  std::vector<std::vector<float>> partial;
  partial.reserve(all);
  std::vector<Node> nodes;
  unsigned first = 0;
  for (auto size : sizes) {
    for (const auto &block : blocksOf({first, first + size}, all)) {
      std::vector<Node> leaves;
      for (auto m = block.begin; m != block.end; ++m)
        leaves.push_back({reinterpret_cast<const std::byte *>(members[m].data()), m, m + 1, false});
      if (leaves.size() == 1) {
        nodes.push_back(leaves[0]);
        continue;
      }
      auto &sum = partial.emplace_back(n);
      auto *data = reinterpret_cast<std::byte *>(sum.data());
      reduceTree(op, TypeId::Float, {leaves, all, {}, 1, 1, n}, data);
      nodes.push_back({data, block.begin, block.end, true});
    }
    first += size;
  }
  std::vector<float> out(n);
  std::vector<std::byte *> to{reinterpret_cast<std::byte *>(out.data())};
  reduceTree(op, TypeId::Float, {nodes, all, to, 1, 1, n}, nullptr);
  return out;
}

} // namespace

TEST(ReduceOrder, IsATreeOverNumbers) {
  const auto m = membersWith(7, 3000);
  const auto sum = together(Op::ADD, m);
  for (std::size_t i = 0; i != sum.size(); ++i)
    ASSERT_EQ(sum[i],
              ((m[0][i] + m[1][i]) + (m[2][i] + m[3][i])) + ((m[4][i] + m[5][i]) + m[6][i]));
}

TEST(ReduceOrder, DoesNotDependOnWhoHasWhichMembers) {
  for (unsigned count : {2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 12u})
    for (auto op : {Op::ADD, Op::MEAN, Op::MUL, Op::SQUARE_ADD, Op::MAX}) {
      const auto members = membersWith(count, 1500);
      const auto whole = together(op, members);
      for (unsigned here = 1; here <= count; ++here)
        for (unsigned begin = 0; begin < here; ++begin) { // the first has fewer than the others
          std::vector<unsigned> sizes;
          if (begin)
            sizes.push_back(std::min(begin, count));
          for (unsigned left = count - (begin ? sizes[0] : 0); left; left -= sizes.back())
            sizes.push_back(std::min(left, here));
          const auto out = spread(op, members, sizes);
          ASSERT_EQ(std::memcmp(out.data(), whole.data(), out.size() * sizeof(float)), 0)
              << count << " members, " << here << " each, " << begin << " of the first";
        }
    }
}

TEST(ReduceOrder, BlocksAreTheLargestAlignedOnes) {
  const auto text = [](std::vector<Range> blocks) {
    std::string out;
    for (const auto &b : blocks)
      out += std::to_string(b.begin) + '-' + std::to_string(b.end) + ' ';
    return out;
  };
  EXPECT_EQ(text(blocksOf({0, 8}, 8)), "0-8 ");
  EXPECT_EQ(text(blocksOf({3, 6}, 6)), "3-4 4-6 ");
  EXPECT_EQ(text(blocksOf({4, 7}, 7)), "4-7 ");
  EXPECT_EQ(text(blocksOf({0, 3}, 6)), "0-2 2-3 ");
  EXPECT_EQ(text(blocksOf({5, 5}, 6)), "");
}
