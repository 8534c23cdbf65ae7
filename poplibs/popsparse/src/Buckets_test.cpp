// SPDX-License-Identifier: MIT
// Everything that is put into buckets must come out, wherever it went.
#include "Buckets.hpp"
#include "popsparse/SparsePartitioner.hpp"
#include "poputil/exceptions.hpp"
#include "TestMatrices.hpp"

using namespace popsparse;
using dynamic::MatMulParams;
using dynamic::SparsityParams;

static SparsityParams blocksOf(std::size_t size) {
  return {dynamic::SparsityType::Block, dynamic::SparsityStructure::Unstructured, {{size, size}}};
}

TEST(Partitioner, MatricesComeBack) {
  Session s(16);
  for (std::size_t size : {1, 2, 4, 8, 16})
    for (const poplar::OptionFlags &options :
         {poplar::OptionFlags{}, poplar::OptionFlags{{"partitioner.forceBucketSpills", "true"}},
          poplar::OptionFlags{{"partitioner.optimiseForSpeed", "false"},
                              {"partitioner.useActualWorkerSplitCosts", "true"},
                              {"sharedBuckets", "false"},
                              {"doGradAPass", "true"}}}) {
      auto m = randomSparse(8 * size, 16 * size, size, size, 40);
      auto params = MatMulParams::createWithNumNonZeroValues(blocksOf(size), m.nzValues.size(), 1,
                                                             m.numRows, m.numColumns, 5);
      dynamic::Partitioner<double> p(params, poplar::HALF, s.graph.getTarget(), options, {}, "p");
      auto data = p.createSparsityDataImpl(m);
      EXPECT_EQ(dense(p.sparsityDataImplToCOOMatrix(data)), dense(m));
      EXPECT_EQ(dense(toCOO(p.sparsityDataImplToCSRMatrix(data))), dense(m));
      EXPECT_EQ(p.createSparsityDataImpl(toCSR(m)).metaInfo, data.metaInfo);
      EXPECT_EQ(p.createSparsityDataImpl(toCSC(m)).nzValues, data.nzValues);
      EXPECT_EQ(data.metaInfo.size() % p.getmetaInfoBucketElements(), 0u);
    }
}

TEST(Partitioner, CrowdedRowsSpillIntoOtherBuckets) {
  Session s(16);
  COOMatrix<double> m(64, 64); // all in eight rows of 64
  for (std::size_t i = 0; i < 8 * 64; ++i) {
    m.rowIndices.push_back(i / 64);
    m.columnIndices.push_back(i % 64);
    m.nzValues.push_back(double(i + 1));
  }
  auto params = MatMulParams::createWithNumNonZeroValues({}, 8 * 64, 1, 64, 64, 16);
  dynamic::Partitioner<double> p(params, poplar::FLOAT, s.graph.getTarget(),
                                 {{"planConstraints", R"({"x": 8, "y": 2, "z": 1})"}});
  auto cuts = p.getPlanPartitions();
  EXPECT_EQ(cuts[0].size(), 8u);
  EXPECT_EQ(cuts[1], (std::vector<std::size_t>{0, 32}));
  EXPECT_EQ(dense(p.sparsityDataImplToCOOMatrix(p.createSparsityDataImpl(m))), dense(m));
}

TEST(Partitioner, RefusesWhatDoesNotFit) {
  Session s(16);
  using poputil::poplibs_error;
  auto params = MatMulParams::createWithNumNonZeroValues({}, 64, 1, 32, 32, 16);
  dynamic::Partitioner<double> p(params, poplar::FLOAT, s.graph.getTarget(), {});
  EXPECT_NO_THROW(p.createSparsityDataImpl(randomSparse(32, 32, 1, 1, 64)));
  EXPECT_THROW(p.createSparsityDataImpl(randomSparse(32, 32, 1, 1, 200)), poplibs_error);
  EXPECT_THROW(p.createSparsityDataImpl(randomSparse(32, 16, 1, 1, 10)), poplibs_error);
  EXPECT_THROW(p.createSparsityDataImpl(randomSparse(32, 32, 4, 4, 3)), poplibs_error);
  auto data = p.createSparsityDataImpl(randomSparse(32, 32, 1, 1, 10));
  data.metaInfo.pop_back();
  EXPECT_THROW(p.sparsityDataImplToCOOMatrix(data), poplibs_error);
  data.metaInfo.push_back(0);
  data.metaInfo[0] = 60000;
  EXPECT_THROW(p.sparsityDataImplToCOOMatrix(data), poplibs_error);
}

TEST(SparseParams, CheckTheirValues) {
  using poputil::poplibs_error;
  EXPECT_EQ(MatMulParams::createWithNzRatio({}, 0.1, 1, 10, 20, 3).getNumNonZeroValues(), 20u);
  EXPECT_EQ(MatMulParams::createWithNzRatio(blocksOf(4), 0.1, 1, 16, 16, 3).getNumNonZeroValues(),
            32u); // 1.6 blocks
  EXPECT_DOUBLE_EQ(
      dynamic::FullyConnectedParams::createWithNumNonZeroValues({}, 5, 2, 1, 10, 5).getNzRatio(),
      0.1);
  EXPECT_THROW(MatMulParams::createWithNzRatio({}, 0, 1, 8, 8, 8), poplibs_error);
  EXPECT_THROW(MatMulParams::createWithNzRatio({}, 1.5, 1, 8, 8, 8), poplibs_error);
  EXPECT_THROW(MatMulParams::createWithNzRatio({}, 0.5, 2, 8, 8, 8), poplibs_error);
  EXPECT_THROW(MatMulParams::createWithNzRatio(blocksOf(5), 0.5, 1, 10, 10, 8), poplibs_error);
  EXPECT_THROW(MatMulParams::createWithNzRatio(blocksOf(8), 0.5, 1, 12, 16, 8), poplibs_error);
  EXPECT_THROW(MatMulParams::createWithNumNonZeroValues({}, 65, 1, 8, 8, 8), poplibs_error);
}

TEST(SparseOptions, UnknownOnesAreRefused) {
  EXPECT_THROW(parseDynamicOptions({{"numBands", "2"}}), poplar::invalid_option);
  EXPECT_THROW(parseDynamicOptions({{"partialsType", "int"}}), poplar::invalid_option);
  EXPECT_THROW(parseDynamicOptions({{"planConstraints", "{"}}), poplar::invalid_option);
  EXPECT_THROW(parseDynamicOptions({{"planConstraints", R"({"w": 1})"}}), poplar::invalid_option);
  const auto nested =
      parseDynamicOptions({{"planConstraints", R"({"partition": {"x": 2, "y": "3"}})"}});
  EXPECT_EQ(nested.x, 2u);
  EXPECT_EQ(nested.y, 3u);
  for (const char *text :
       {R"({"partition": {"x": 2}, "w": 1})", R"({"partition": 2})", R"({"partition": {"w": 2}})"})
    EXPECT_THROW(parseDynamicOptions({{"planConstraints", text}}), poplar::invalid_option) << text;
  EXPECT_THROW(parseStaticOptions({{"sharedBuckets", "true"}}), poplar::invalid_option);
  EXPECT_EQ(parseStaticOptions({{"nSplit", "3"}}).z, 3u);
}
