// SPDX-License-Identifier: MIT
// All three passes of a layer, and products, against dense loops; the pattern changes between runs.
#include "base/Threads.hpp"
#include "popsparse/Embedding.hpp"
#include "popsparse/FullyConnected.hpp"
#include "popsparse/MatMul.hpp"
#include "popsparse/SparsePartitioner.hpp"
#include "poputil/exceptions.hpp"
#include "TestMatrices.hpp"

using namespace popsparse;
using namespace popsparse::dynamic;

static SparsityParams blocksOf(std::size_t rows, std::size_t columns) {
  return {SparsityType::Block, SparsityStructure::Unstructured, {{rows, columns}}};
}
static Doubles asDoubles(const std::vector<std::size_t> &values) {
  return Doubles(values.begin(), values.end());
}

struct Layer {
  std::size_t block, lines, stacks, batch, blocks;
  poplar::Type type;
  poplar::OptionFlags options;
};

struct Pending { // outputs of a layer and what they should be
  std::size_t forward, gradA, gradW;
  Doubles expectedForward, expectedGradA, expectedGradW;
  poplar::Type type;
};

static Pending addLayer(Session &s, const Layer &l, PlanningCache *cache) {
  const std::size_t out = l.lines * l.block, in = l.stacks * l.block;
  auto w = randomSparse(out, in, l.block, l.block, l.blocks);
  auto params = FullyConnectedParams::createWithNumNonZeroValues(
      blocksOf(l.block, l.block), w.nzValues.size(), l.batch, 1, in, out);
  Partitioner<double> partitioner(params, l.type, s.graph.getTarget(), l.options, cache);
  auto data = partitioner.createSparsityDataImpl(w);
  auto weights = createFullyConnectedWeights(s.graph, l.type, params, "w", l.options, cache);
  s.set(weights.getMetaInfoTensor(), asDoubles(data.metaInfo));
  s.set(weights.getNzValuesTensor(), data.nzValues);
  auto x = createFullyConnectedInput(s.graph, l.type, params, "x", l.options, cache);
  auto xs = s.integers(l.batch * in, -4, 4), gs = s.integers(l.batch * out, -4, 4);
  s.set(x, xs);
  auto g = s.input(l.type, {l.batch, out}, gs); // batch outermost: the other layout
  Pending p;
  p.type = l.type;
  p.forward =
      s.output(fullyConnectedFwd(s.graph, weights, x, params, s.prog, "fwd", l.options, cache));
  p.gradA =
      s.output(fullyConnectedGradA(s.graph, weights, g, params, s.prog, "ga", l.options, cache));
  p.gradW = s.output(fullyConnectedSparseGradW(s.graph, weights.getMetaInfoTensor(), g, x, params,
                                               s.prog, "gw", l.options, cache));
  p.expectedForward = product(xs, transposed(dense(w), out, in), l.batch, in, out);
  p.expectedGradA = product(gs, dense(w), l.batch, out, in);
  const Doubles all = product(transposed(gs, l.batch, out), xs, out, l.batch, in);
  auto gradient = w;
  for (std::size_t b = 0; b < w.rowIndices.size(); ++b)
    for (std::size_t e = 0; e < l.block * l.block; ++e)
      gradient.nzValues[b * l.block * l.block + e] =
          all[(w.rowIndices[b] + e / l.block) * in + w.columnIndices[b] + e % l.block];
  p.expectedGradW = partitioner.createSparsityDataImpl(gradient).nzValues;
  return p;
}

TEST(SparseFullyConnected, AllPassesAgreeWithDenseLoops) {
  Session s(32);
  PlanningCache cache;
  const poplar::OptionFlags training{{"doGradAPass", "true"}, {"doGradWPass", "true"}};
  poplar::OptionFlags apart = training;
  apart.set("sharedBuckets", "false");
  poplar::OptionFlags spills = training;
  spills.set("partitioner.forceBucketSpills", "true");
  std::vector<Pending> layers;
  for (auto type : {poplar::FLOAT, poplar::HALF}) {
    for (std::size_t block : {1, 4, 8, 16})
      layers.push_back(addLayer(s, {block, 6, 9, 37, 20, type, training}, &cache));
    layers.push_back(addLayer(s, {1, 100, 90, 70, 900, type, apart}, &cache));
    layers.push_back(addLayer(s, {4, 10, 7, 1, 70, type, spills}, nullptr));    // dense as sparse
    layers.push_back(addLayer(s, {1, 16, 16, 33, 0, type, training}, nullptr)); // nothing at all
  }
  s.run();
  for (const auto &p : layers) {
    // Sums of multiples of 1/8 are exact in float.
    const double relative = p.type == poplar::HALF ? 1e-3 : 0;
    expectClose(s.values(p.forward), p.expectedForward, relative);
    expectClose(s.values(p.gradA), p.expectedGradA, relative);
    expectClose(s.values(p.gradW), p.expectedGradW, relative);
  }
}

TEST(SparseDenseMatMul, TakesTransposedOperandsAndNewPatterns) {
  Session s(32);
  const std::size_t m = 24, k = 40, n = 70;
  auto params = MatMulParams::createWithNumNonZeroValues(blocksOf(4, 8), 32 * 12, 1, m, k, n);
  auto lhs = createSparseDenseMatMulLHS(s.graph, poplar::FLOAT, params);
  auto rhs = createSparseDenseMatMulRHS(s.graph, poplar::FLOAT, params);
  EXPECT_EQ(rhs.shape(), (Shape{1, k, n}));
  auto ks = s.integers(k * n, -4, 4), ms = s.integers(m * n, -4, 4);
  s.set(rhs, ks);
  auto other = s.input(poplar::FLOAT, {1, m, n}, ms);
  auto rhsTransposed = s.input(poplar::FLOAT, {1, n, k}, transposed(ks, k, n));
  Partitioner<double> partitioner(params, poplar::FLOAT, s.graph.getTarget(), {});
  auto first = randomSparse(m, k, 4, 8, 12, 1), second = randomSparse(m, k, 4, 8, 9, 2);
  std::vector<std::array<std::size_t, 4>> outputs;
  for (const auto *matrix : {&first, &second}) {
    auto data = partitioner.createSparsityDataImpl(*matrix);
    auto meta = s.input(poplar::UNSIGNED_SHORT, {data.metaInfo.size()}, asDoubles(data.metaInfo));
    auto values = s.input(poplar::FLOAT, {data.nzValues.size()}, data.nzValues);
    s.prog.add(poplar::program::Copy(meta, lhs.getMetaInfoTensor()));
    s.prog.add(poplar::program::Copy(values, lhs.getNzValuesTensor()));
    auto read = [&](const poplar::Tensor &t) { return s.output(t); };
    outputs.push_back(
        {read(sparseDenseMatMul(s.graph, lhs, rhs, s.prog)),
         read(sparseDenseMatMul(s.graph, lhs, rhsTransposed, s.prog, false, true)),
         read(sparseDenseMatMul(s.graph, lhs, other, s.prog, true)),
         read(sparseDenseMatMul(s.graph, lhs, other.reverse(2), s.prog, true, false, "reversed"))});
  }
  s.run();
  for (unsigned i = 0; i < 2; ++i) {
    auto a = dense(i ? second : first);
    EXPECT_EQ(s.values(outputs[i][0]), product(a, ks, m, k, n));
    EXPECT_EQ(s.values(outputs[i][1]), product(a, ks, m, k, n));
    auto back = product(transposed(a, m, k), ms, k, m, n);
    EXPECT_EQ(s.values(outputs[i][2]), back);
    for (std::size_t r = 0; r < k; ++r)
      std::reverse(back.begin() + r * n, back.begin() + (r + 1) * n);
    EXPECT_EQ(s.values(outputs[i][3]), back);
  }
}

TEST(SparseDenseMatMul, ResultsDoNotDependOnThreads) {
  Session s(16);
  const std::size_t m = 300, k = 200, n = 50;
  auto params = MatMulParams::createWithNzRatio({}, 0.1, 1, m, k, n);
  auto matrix = randomSparse(m, k, 1, 1, 6000);
  Partitioner<double> partitioner(params, poplar::FLOAT, s.graph.getTarget(), {});
  auto data = partitioner.createSparsityDataImpl(matrix);
  auto lhs = createSparseDenseMatMulLHS(s.graph, poplar::FLOAT, params);
  s.set(lhs.getMetaInfoTensor(), asDoubles(data.metaInfo));
  s.set(lhs.getNzValuesTensor(), data.nzValues);
  auto rhs = s.input(poplar::FLOAT, {1, k, n}, s.random(k * n));
  auto y = s.output(sparseDenseMatMul(s.graph, lhs, rhs, s.prog));
  const unsigned before = base::numThreads();
  base::setNumThreads(1);
  s.run();
  auto one = s.values(y);
  base::setNumThreads(3);
  s.run();
  base::setNumThreads(before);
  EXPECT_EQ(s.values(y), one);
}

TEST(SparseEmbedding, SlicesAndUpdatesRows) {
  Session s(16);
  struct Case {
    std::size_t slices, values;
    Doubles expectedSlices, expectedValues;
    poplar::Type type;
  };
  std::vector<Case> cases;
  const Doubles indices{3, 0, 19, 3, 1000, 7};
  for (auto type : {poplar::FLOAT, poplar::HALF})
    for (std::size_t block : {1, 4}) {
      const std::size_t rows = 20, columns = 24;
      auto w = randomSparse(rows, columns, block, block, block == 1 ? 200 : 15);
      auto params = FullyConnectedParams::createWithNumNonZeroValues(
          blocksOf(block, block), w.nzValues.size(), 8, 1, columns, rows);
      Partitioner<double> partitioner(params, type, s.graph.getTarget(), {});
      auto data = partitioner.createSparsityDataImpl(w);
      auto weights = createFullyConnectedWeights(s.graph, type, params);
      s.set(weights.getMetaInfoTensor(), asDoubles(data.metaInfo));
      s.set(weights.getNzValuesTensor(), data.nzValues);
      auto index = createIndicesTensor(s.graph, params, indices.size());
      s.set(index, indices);
      auto updates = createSliceTensor(s.graph, type, params, indices.size());
      auto us = s.integers(indices.size() * columns, -4, 4);
      s.set(updates, us);
      auto scale = s.input(type, {}, {0.5});
      Case c;
      c.type = type;
      c.slices = s.output(embeddingSlice(s.graph, weights, index, s.prog, params, "slice"));
      embeddingUpdateAdd(s.graph, weights, updates, index, scale, s.prog, params, "update");
      c.values = s.output(weights.getNzValuesTensor());
      auto table = dense(w);
      auto changed = w;
      for (std::size_t i = 0; i < indices.size(); ++i)
        for (std::size_t j = 0; j < columns; ++j)
          c.expectedSlices.push_back(indices[i] < rows ? table[indices[i] * columns + j] : 0);
      for (std::size_t b = 0; b < w.rowIndices.size(); ++b)
        for (std::size_t e = 0; e < block * block; ++e)
          for (std::size_t i = 0; i < indices.size(); ++i)
            if (indices[i] == double(w.rowIndices[b] + e / block))
              changed.nzValues[b * block * block + e] +=
                  0.5 * us[i * columns + w.columnIndices[b] + e % block];
      c.expectedValues = partitioner.createSparsityDataImpl(changed).nzValues;
      cases.push_back(c);
    }
  s.run();
  for (const auto &c : cases) {
    EXPECT_EQ(s.values(c.slices), c.expectedSlices);
    expectClose(s.values(c.values), c.expectedValues, c.type == poplar::HALF ? 1e-3 : 0);
  }
}

TEST(SparseDenseMatMul, BadOperandsAreRefused) {
  Session s(8);
  using poputil::poplibs_error;
  auto params = MatMulParams::createWithNzRatio({}, 0.5, 1, 8, 16, 4);
  auto lhs = createSparseDenseMatMulLHS(s.graph, poplar::FLOAT, params);
  auto rhs = createSparseDenseMatMulRHS(s.graph, poplar::FLOAT, params);
  auto half = createSparseDenseMatMulRHS(s.graph, poplar::HALF, params);
  EXPECT_THROW(sparseDenseMatMul(s.graph, lhs, half, s.prog), poplibs_error);
  EXPECT_THROW(sparseDenseMatMul(s.graph, lhs, rhs[0], s.prog), poplibs_error);
  EXPECT_THROW(sparseDenseMatMul(s.graph, lhs, rhs, s.prog, true), poplibs_error);
  SparseTensor unknown(lhs.getMetaInfoTensor(), lhs.getNzValuesTensor());
  EXPECT_THROW(sparseDenseMatMul(s.graph, unknown, rhs, s.prog), poplibs_error);
  SparseTensor cut(lhs.getMetaInfoTensor().slice(0, 4), lhs.getNzValuesTensor(),
                   lhs.getOpMetaData());
  EXPECT_THROW(sparseDenseMatMul(s.graph, cut, rhs, s.prog), poplibs_error);
  EXPECT_THROW(createSparseDenseMatMulLHS(s.graph, poplar::INT, params), poplibs_error);
  EXPECT_THROW(createSparseDenseMatMulRHS(s.graph, poplar::FLOAT, params, {}, {{"x", "1"}}),
               poplar::invalid_option);
  EXPECT_TRUE(s.prog.isEmpty());
}

TEST(SparseParams, RefuseSeveralGroupsAndSayWhatToDo) {
  const SparsityParams elements;
  const auto expectRefusal = [](auto &&make) {
    try {
      make();
      ADD_FAILURE() << "three groups were taken";
    } catch (const poputil::poplibs_error &e) {
      for (const char *part : {"one group, not 3", "once for each"})
        EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  expectRefusal([&] { MatMulParams::createWithNzRatio(elements, 0.5, 3, 8, 12, 4); });
  expectRefusal([&] { FullyConnectedParams::createWithNzRatio(elements, 0.5, 4, 3, 12, 8); });
  expectRefusal([&] { popsparse::static_::MatMulParams::createForSparseDense(3, 8, 12, 4); });
  expectRefusal([&] { popsparse::static_::MatMulParams::createForDenseSparse(3, 4, 12, 8); });
}
