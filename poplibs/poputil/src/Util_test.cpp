// SPDX-License-Identifier: MIT
// Splitting is compared with its rules on many sizes; views with hand-written ones.
#include "poputil/exceptions.hpp"
#include "poputil/Util.hpp"
#include "poputil/VertexTemplates.hpp"
#include "Session.hpp"

using poplar::Interval;
using Intervals = std::vector<Interval>;

TEST(Util, TouchingRegionsMerge) {
  Intervals regions{{7, 9}, {0, 2}, {2, 5}, {5, 5}, {8, 12}};
  poputil::mergeAdjacentRegions(regions);
  EXPECT_EQ(regions, (Intervals{{0, 5}, {7, 12}}));
  EXPECT_EQ(poputil::flattenIntervals({{{1, 2}}, {}, {{3, 4}, {0, 1}}}),
            (Intervals{{1, 2}, {3, 4}, {0, 1}}));
  EXPECT_EQ(poputil::intervalSequenceNumElements({{{1, 4}}, {{3, 4}, {0, 1}}}), 5u);
}

TEST(Util, SplittingKeepsOrderGrainsAndBalance) {
  const Intervals regions{{10, 17}, {20, 21}, {40, 53}}; // 21 elements
  for (unsigned grain : {1, 2, 4, 30})
    for (unsigned parts : {1, 2, 3, 6, 50})
      for (unsigned min : {0, 1, 5, 100}) {
        auto split = poputil::splitRegions(regions, grain, parts, min);
        EXPECT_LE(split.size(), parts);
        auto rejoined = poputil::flattenIntervals(split);
        poputil::mergeAdjacentRegions(rejoined);
        EXPECT_EQ(rejoined, regions);
        for (std::size_t i = 0; i < split.size(); ++i) {
          auto elements = poputil::intervalSequenceNumElements({split[i]});
          if (i + 1 < split.size()) {
            EXPECT_EQ(elements % grain, 0u);
            EXPECT_GE(elements, std::min(min / grain * grain, 21u));
          }
        }
      }
  EXPECT_TRUE(poputil::splitRegions(Intervals{}, 2, 6).empty());
  EXPECT_THROW(poputil::splitRegions(regions, 0, 6), poputil::poplibs_error);
}

TEST(Util, LargestSizesLimitPartsAndRegions) {
  EXPECT_EQ(poputil::splitRegions(Intervals{{0, 10}}, 1, 2, 0, 3),
            (std::vector<Intervals>{{{0, 2}}, {{2, 5}}, {{5, 7}}, {{7, 10}}}));
  EXPECT_EQ(poputil::splitRegions(Intervals{{0, 10}}, 1, 2, 0, UINT_MAX, 2),
            (std::vector<Intervals>{{{0, 2}, {2, 4}, {4, 5}}, {{5, 7}, {7, 9}, {9, 10}}}));
  const std::size_t big = std::size_t(1) << 33;
  auto split = poputil::splitRegions(Intervals{{0, big}}, 1, 6);
  ASSERT_EQ(split.size(), 6u);
  EXPECT_EQ(split[5][0].end(), big);
  EXPECT_EQ(split[0].size(), 1u); // 2^33 / 6 is below the largest region
}

TEST(Util, SequencesOfIntervalsSplitLikeRegions) {
  const std::vector<Intervals> regions{{{0, 3}, {10, 12}}, {{20, 23}}};
  auto split = poputil::splitRegions(regions, 2, 2);
  ASSERT_EQ(split.size(), 2u);
  EXPECT_EQ(split[0], (std::vector<Intervals>{{{0, 3}, {10, 11}}}));
  EXPECT_EQ(split[1], (std::vector<Intervals>{{{11, 12}}, {{20, 23}}}));
  Session s(1);
  auto workers = poputil::splitRegionsBetweenWorkers(s.graph.getTarget(), regions, 1);
  EXPECT_EQ(workers.size(), 4u); // eight elements, two each
  EXPECT_EQ(poputil::splitRegionsBetweenWorkers(s.graph.getTarget(), Intervals{{0, 600}}, 1).size(),
            6u);
}

TEST(Util, IndicesFlattenAndUnflatten) {
  std::vector<std::size_t> shape{3, 4, 5};
  for (std::size_t i = 0; i < 60; ++i)
    EXPECT_EQ(poputil::flattenIndex(shape, poputil::unflattenIndex(shape, i)), i);
  EXPECT_EQ(poputil::unflattenIndex(shape, 33), (std::vector<std::size_t>{1, 2, 3}));
}

TEST(Util, HalvesRoundAsTheDeviceDoes) {
  Session s(1);
  const auto &target = s.graph.getTarget();
  EXPECT_EQ(poputil::castToDeviceHalfValue(target, 1.0 + 1.0 / 4096), 1.0);
  EXPECT_EQ(poputil::castToDeviceHalfValue(target, 0.5), 0.5);
  EXPECT_TRUE(poputil::checkAccuracyWhenCast(target, 0.1, poplar::FLOAT, poplar::HALF, 1e-3));
  EXPECT_FALSE(poputil::checkAccuracyWhenCast(target, 0.1, poplar::FLOAT, poplar::HALF, 1e-6));
  EXPECT_TRUE(poputil::checkAccuracyWhenCast(target, 0.1, poplar::HALF, poplar::FLOAT, 0));
  EXPECT_THROW(poputil::checkAccuracyWhenCast(target, 1, poplar::INT, poplar::HALF, 1),
               poputil::poplibs_error);
}

TEST(Util, FactoredDimensionsComeBack) {
  Session s(1);
  auto t = s.input(poplar::FLOAT, {4, 6, 2}, s.integers(48, 0, 100));
  auto f = poputil::factorDims(t, {2, 3});
  EXPECT_EQ(f.shape(), (std::vector<std::size_t>{2, 2, 2, 3, 2}));
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = 0; b < 6; ++b)
      EXPECT_EQ(f[a / 2][b / 3][a % 2][b % 3], t[a][b]);
  EXPECT_EQ(poputil::unfactorDims(f, 2), t);
  auto g = poputil::factorDims(t, {3}, 1);
  EXPECT_EQ(g.shape(), (std::vector<std::size_t>{4, 2, 3, 2}));
  EXPECT_EQ(poputil::unfactorDims(g, 1, 1), t);
  EXPECT_THROW(poputil::factorDims(t, {3}), poputil::poplibs_error);
  EXPECT_THROW(poputil::factorDims(t, {2, 3, 2, 1}), poputil::poplibs_error);
  EXPECT_THROW(poputil::unfactorDims(t, 2), poputil::poplibs_error);
}

TEST(Util, PartitionsDifferByAtMostOne) {
  EXPECT_EQ(poputil::balancedPartition(10, 4), (std::vector<int>{3, 3, 2, 2}));
  EXPECT_EQ(poputil::balancedPartition(0, 2), (std::vector<int>{0, 0}));
  EXPECT_THROW(poputil::balancedPartition(1, 0), poputil::poplibs_error);
}

TEST(Util, UnshufflingUndoesSlices) {
  Session s(1);
  auto t = s.graph.addVariable(poplar::FLOAT, {10});
  const Intervals cut{{6, 10}, {0, 1}, {3, 6}, {1, 3}};
  auto shuffled = poplar::concat(t.slices(cut));
  EXPECT_EQ(poplar::concat(shuffled.slices(poputil::calculateUnshufflingIntervals(cut))), t);
}

TEST(Util, MetadataTensorsAreOfTheirType) {
  Session s(1);
  using Format = poplar::QuarterMetadata::Format;
  auto constant = poputil::createConstantMetadataTensor(s.graph, Format::F143, 2);
  auto variable = poputil::createVariableMetadataTensor(s.graph, Format::F152, -1);
  EXPECT_EQ(constant.elementType(), poplar::QUARTER_METADATA);
  EXPECT_EQ(variable.elementType(), poplar::QUARTER_METADATA);
  EXPECT_TRUE(constant.containsConstant());
  EXPECT_FALSE(variable.containsConstant());
}

TEST(Util, VertexNamesCarryTheirTemplateArguments) {
  EXPECT_EQ(poputil::templateVertex("popops::Fill"), "popops::Fill");
  EXPECT_EQ(poputil::templateVertex("A", poplar::FLOAT, true, 3, std::string("x::Y"), "Z"),
            "A<float,true,3,x::Y,Z>");
  EXPECT_EQ(poputil::templateVertex("A", poplar::UNSIGNED_INT, false), "A<unsigned int,false>");
}
