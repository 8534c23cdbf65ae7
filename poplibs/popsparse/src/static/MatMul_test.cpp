// SPDX-License-Identifier: MIT
#include "Plan.hpp"
#include "popsparse/MatMul.hpp"
#include "popsparse/SparsePartitioner.hpp"
#include "poputil/exceptions.hpp"
#include "TestMatrices.hpp"

using namespace popsparse;
using namespace popsparse::static_;

struct Expected {
  std::size_t output;
  Doubles values;
  poplar::Type type;
};

TEST(StaticSparseMatMul, BothSidesAndAllBlocksAgreeWithDenseLoops) {
  Session s(32);
  std::vector<Expected> all;
  for (auto type : {poplar::FLOAT, poplar::HALF})
    for (std::size_t block : {1, 2, 4, 8, 16}) {
      const std::size_t m = 6 * block, k = 5 * block, n = 45;
      auto matrix = randomSparse(m, k, block, block, 14);
      auto params = MatMulParams::createForSparseDense(1, m, k, n);
      Partitioner<double> partitioner(params, type, s.graph.getTarget(), {});
      auto lhs = createSparseDenseMatMulLHS(s.graph, type, params, toCSR(matrix), "lhs");
      s.set(lhs.getNzValuesTensor(), partitioner.createSparsityDataImpl(matrix).nzValues);
      auto rhs = createSparseDenseMatMulRHS(s.graph, type, params, toCSR(matrix));
      auto ks = s.integers(k * n, -4, 4), ms = s.integers(n * m, -4, 4);
      s.set(rhs, ks);
      auto back = s.input(type, {1, n, m}, ms);
      all.push_back(
          {s.output(sparseDenseMatMul(s.graph, lhs, rhs, s.prog, false, false, "a",
                                      {{"nSplit", "2"}, {"enablePreprocessing", "false"}})),
           product(dense(matrix), ks, m, k, n), type});
      all.push_back({s.output(sparseDenseMatMul(s.graph, lhs, back, s.prog, true, true)),
                     product(transposed(dense(matrix), m, k), transposed(ms, n, m), k, m, n),
                     type});

      // Dense [n][k] times sparse [k][m].
      auto right = randomSparse(k, m, block, block, 11, 5);
      auto rightParams = MatMulParams::createForDenseSparse(1, n, k, m);
      auto sparse = createDenseSparseMatMulRHS(s.graph, type, rightParams, toCSR(right));
      s.set(sparse.getNzValuesTensor(), sorted(right).nzValues);
      auto left = createDenseSparseMatMulLHS(s.graph, type, rightParams, toCSR(right));
      EXPECT_EQ(left.shape(), (Shape{1, n, k}));
      auto ls = s.integers(n * k, -4, 4);
      s.set(left, ls);
      all.push_back({s.output(denseSparseMatMul(s.graph, left, sparse, s.prog)),
                     product(ls, dense(right), n, k, m), type});
      auto wide = s.input(type, {1, m, n}, transposed(ms, n, m));
      all.push_back({s.output(denseSparseMatMul(s.graph, wide, sparse, s.prog, true, true)),
                     product(ms, transposed(dense(right), k, m), n, m, k), type});
    }
  s.run();
  for (const auto &e : all)
    expectClose(s.values(e.output), e.values, e.type == poplar::HALF ? 1e-3 : 0);
}

TEST(StaticSparseMatMul, HalfPartialsRoundTheResult) {
  Session s(8);
  auto matrix = randomSparse(8, 8, 1, 1, 40);
  auto params = MatMulParams::createForSparseDense(1, 8, 8, 3);
  auto lhs = createSparseDenseMatMulLHS(s.graph, poplar::FLOAT, params, toCSR(matrix));
  s.set(lhs.getNzValuesTensor(), sorted(matrix).nzValues);
  auto xs = s.random(24);
  auto rhs = s.input(poplar::FLOAT, {1, 8, 3}, xs);
  auto y = s.run(
      sparseDenseMatMul(s.graph, lhs, rhs, s.prog, false, false, "y", {{"partialsType", "half"}}));
  EXPECT_EQ(y, Session::stored(poplar::HALF, y));
  expectClose(y, product(dense(matrix), xs, 8, 8, 3), 2e-3, 2e-3);
}

TEST(StaticSparseMatMul, PartitionersGiveTheMatrixBack) {
  Session s(4);
  auto matrix = randomSparse(16, 24, 4, 8, 7);
  Partitioner<double> p(MatMulParams::createForSparseDense(1, 16, 24, 3), poplar::HALF,
                        s.graph.getTarget(), {});
  auto data = p.createSparsityDataImpl(toCSC(matrix));
  EXPECT_EQ(data.nzValues, p.createSparsityDataImpl(toCSR(matrix)).nzValues);
  EXPECT_EQ(dense(p.sparsityDataImplToCOOMatrix(data)), dense(matrix));
  EXPECT_EQ(dense(toCOO(p.sparsityDataImplToCSCMatrix(data))), dense(matrix));
  EXPECT_THROW(p.createSparsityDataImpl(randomSparse(24, 16, 4, 8, 3)), poputil::poplibs_error);
}

TEST(StaticSparseMatMul, BadOperandsAreRefused) {
  Session s(4);
  using poputil::poplibs_error;
  auto matrix = toCSR(randomSparse(8, 16, 1, 1, 20));
  auto params = MatMulParams::createForSparseDense(1, 8, 16, 4);
  auto lhs = createSparseDenseMatMulLHS(s.graph, poplar::FLOAT, params, matrix);
  auto rhs = createSparseDenseMatMulRHS(s.graph, poplar::FLOAT, params, matrix);
  EXPECT_THROW(sparseDenseMatMul(s.graph, lhs, rhs, s.prog, true), poplibs_error);
  EXPECT_THROW(sparseDenseMatMul(s.graph, SparseTensor(rhs), rhs, s.prog), poplibs_error);
  EXPECT_THROW(sparseDenseMatMul(s.graph, lhs, rhs, s.prog, false, false, {}, {{"x", "2"}}),
               poplar::invalid_option);
  EXPECT_THROW(createSparseDenseMatMulLHS(s.graph, poplar::FLOAT,
                                          MatMulParams::createForSparseDense(1, 16, 16, 4), matrix),
               poplibs_error);
  EXPECT_THROW(MatMulParams::createForSparseDense(2, 8, 8, 8), poplibs_error);
  EXPECT_TRUE(s.prog.isEmpty());
}

// Published speeds relative to a dense product of 4096 x 4096 with 2048 columns, which takes about
// 570 thousand cycles in half and 2.23 million in float (rows G3, G7, G9 to G11).
TEST(SparsePlans, CyclesAgreeWithPublishedMeasurements) {
  const auto target = poplar::Target::createIPUTarget(1, "ipu2");
  const auto cycles = [&](SparseKind kind, poplar::Type type, std::size_t block) {
    Problem p;
    p.rows = p.columns = 4096;
    p.dense = 2048;
    p.blockRows = p.blockColumns = block;
    p.blocks = 4096 * 4096 / 16 / (block * block);
    p.type = type;
    SparseOptions options;
    options.partialsType = type;
    const auto plan = planSparse(target, p, kind, options);
    return double(
        openipu::cyclesOf(supersteps(target, p, kind, options, plan, Pass::Forward), target));
  };
  using enum SparseKind;
  EXPECT_NEAR(cycles(Static, poplar::HALF, 16), 570e3 / 4.9, 0.15 * 570e3 / 4.9);
  EXPECT_NEAR(cycles(Static, poplar::HALF, 1), 570e3 / 0.7, 0.15 * 570e3 / 0.7);
  EXPECT_NEAR(cycles(Dynamic, poplar::HALF, 1), 570e3 / 0.4, 0.15 * 570e3 / 0.4);
  EXPECT_NEAR(cycles(Dynamic, poplar::FLOAT, 16), 2.23e6 / 3.8, 0.15 * 2.23e6 / 3.8);
  EXPECT_NEAR(cycles(Static, poplar::FLOAT, 1), 2.23e6 / 1.4, 0.15 * 2.23e6 / 1.4);
  EXPECT_NEAR(cycles(Dynamic, poplar::FLOAT, 1), 2.23e6 / 0.9, 0.15 * 2.23e6 / 0.9);
  // Smaller blocks use less of the matrix unit.
  EXPECT_LT(cycles(Dynamic, poplar::HALF, 16), cycles(Dynamic, poplar::HALF, 8));
  EXPECT_LT(cycles(Dynamic, poplar::HALF, 8), cycles(Dynamic, poplar::HALF, 4));
}

TEST(SparsePlans, OptionsChangeThem) {
  const auto target = poplar::Target::createIPUTarget(1, 64, "ipu2");
  Problem p;
  p.rows = p.columns = 512;
  p.dense = 256;
  p.blockRows = p.blockColumns = 8;
  p.blocks = 400;
  p.type = poplar::HALF;
  SparseOptions base, small, fixed, loose;
  small.availableMemoryProportion = 0.001;
  fixed.x = 4;
  fixed.y = 2;
  fixed.z = 3;
  loose.enableStructuredRearrangements = false;
  const auto plan = [&](const SparseOptions &o) {
    return planSparse(target, p, SparseKind::Dynamic, o);
  };
  EXPECT_LT(plan(small).tempBytes, plan(base).tempBytes);
  EXPECT_EQ(plan(fixed).buckets(), 24u);
  EXPECT_LE(plan(base).cycles, plan(fixed).cycles);
  EXPECT_GT(plan(loose).cycles, plan(base).cycles);
  EXPECT_LE(plan(base).buckets(), 64u);
  SparseOptions oversize = base;
  oversize.metaInfoBucketOversizeProportion = 2;
  EXPECT_GT(plan(oversize).metaElements, plan(base).metaElements);
}
