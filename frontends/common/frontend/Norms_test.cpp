// SPDX-License-Identifier: MIT
#include "frontend/Norms.hpp"

#include "frontend/TestWriting.hpp"

using namespace frontend;

namespace {

Norm normOf(TestWriting &w) {
  return {w.input("x", {2, 4, 3}), w.input("scale", {4}), w.input("offset", {4}), 0.5};
}

} // namespace

TEST(FrontendNorms, StatisticsAreGivenOrOfTheBatch) {
  TestWriting w;
  const Norm n = normOf(w);
  const Value mean = w.input("mean", {4}), variance = w.input("variance", {4});
  fixedNorm(w, n, mean, variance);
  batchNorm(w, n, {mean, variance, 0.75});
  batchNorm(w, n, {mean, variance, 0.75, true, 2});
  EXPECT_EQ(w.text(), R"(model:
  BatchNormalization:0 = BatchNormalization(x, scale, offset, mean, variance, epsilon=0.5)  FLOAT [2,4,3]
  BatchNormalization:0/1, BatchNormalization:1, BatchNormalization:2, BatchNormalization:3, BatchNormalization:4, BatchNormalization:5 = BatchNormalization(x, scale, offset, mean, variance, epsilon=0.5, momentum=0.75, training_mode=1)  FLOAT [2,4,3]
  BatchNormalization:0/2, BatchNormalization:1/1, BatchNormalization:2/1, BatchNormalization:3/1, BatchNormalization:4/1, BatchNormalization:5/1 = BatchNormalization(x, scale, offset, mean, variance, epsilon=0.5, momentum=0.75, replica_group_size=2, sample_variance=1, training_mode=1)  FLOAT [2,4,3]
)");
}

TEST(FrontendNorms, LayersAreGroupsOfAllThatIsBehindTheAxis) {
  TestWriting w;
  const Norm n = normOf(w);
  groupNorm(w, n, 2, false);
  groupNorm(w, n, 4, true);
  layerNorm(w, {n.x, w.input("s", {3}), w.input("o", {3}), 0.25}, 2);
  EXPECT_EQ(w.text(), R"(model:
  GroupNormalization:0, GroupNormalization:1, GroupNormalization:2 = GroupNormalization(x, scale, offset, epsilon=0.5, num_groups=2)  FLOAT [2,4,3]
  GroupNormalization:0/1, GroupNormalization:1/1, GroupNormalization:2/1 = GroupNormalization(x, scale, offset, contiguous_groups=1, epsilon=0.5, num_groups=4)  FLOAT [2,4,3]
  Reshape:0 = Reshape(x, allowzero=1, shape=[8,3])  FLOAT [8,3]
  GroupNormalization:0/2, GroupNormalization:1/2, GroupNormalization:2/2 = GroupNormalization(Reshape:0, s, o, epsilon=0.25, num_groups=1)  FLOAT [8,3]
  Reshape:0/1 = Reshape(GroupNormalization:0/2, allowzero=1, shape=[2,4,3])  FLOAT [2,4,3]
  Reshape:0/2 = Reshape(GroupNormalization:1/2, allowzero=1, shape=[2,4,1])  FLOAT [2,4,1]
  Reshape:0/3 = Reshape(GroupNormalization:2/2, allowzero=1, shape=[2,4,1])  FLOAT [2,4,1]
)");
}

TEST(FrontendNorms, RowsHaveMeansAndVariances) {
  TestWriting w;
  const auto [mean, variance] = rowStatistics(w, w.given({2, 2}, {1, 3, 5, 5}));
  EXPECT_EQ(w.run({mean, variance}), (std::vector<Doubles>{{2, 5}, {1, 0}}));
}
