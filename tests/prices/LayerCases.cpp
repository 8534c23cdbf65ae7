// SPDX-License-Identifier: MIT
// Operators of poplin, popnn and popsparse.
#include "poplin/NormOperations.hpp"
#include "popnn/LossOperations.hpp"
#include "Prices.hpp"
#include <numeric>
#include <poplar/MetadataCreation.hpp>
#include <poplin/Cholesky.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/experimental/LuFactorization.hpp>
#include <poplin/experimental/QRFactorization.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/Norms.hpp>
#include <poplin/TriangularSolve.hpp>
#include <popnn/CTCInference.hpp>
#include <popnn/CTCLoss.hpp>
#include <popnn/experimental/ROIAlign.hpp>
#include <popnn/Gru.hpp>
#include <popnn/Loss.hpp>
#include <popnn/Lstm.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/Recurrent.hpp>
#include <popnn/SpatialSoftMax.hpp>
#include <popops/Cast.hpp>
#include <popsparse/Embedding.hpp>
#include <popsparse/experimental/BlockSparse.hpp>
#include <popsparse/experimental/BlockSparseMatMul.hpp>
#include <popsparse/FullyConnected.hpp>
#include <popsparse/MatMul.hpp>

using namespace poplar;

namespace prices {
namespace {

void products(Build &b) {
  poplin::matMul(b.graph, b.floats({60, 200}), b.floats({200, 90}), b.prog);
  poplin::matMul(b.graph, b.halves({600, 256}), b.halves({256, 512}), b.prog);
}
void outerProducts(Build &b) {
  poplin::matMul(b.graph, b.floats({1, 30}).transpose(), b.floats({1, 60}), b.prog);
}

poplin::ConvParams params(const Type &type, std::size_t in, std::size_t out, std::size_t groups,
                          unsigned kernel) {
  poplin::ConvParams p(type, 4, {20, 20}, {kernel, kernel}, in, out, groups);
  p.inputTransform.paddingLower = p.inputTransform.paddingUpper = {kernel / 2, kernel / 2};
  return p;
}
void convolve(Build &b, const poplin::ConvParams &p, const OptionFlags &options = {},
              bool gradient = true) {
  auto x = poplin::createInput(b.graph, p, "x", options);
  auto w = poplin::createWeights(b.graph, p, "w", options);
  auto y = poplin::convolution(b.graph, x, w, p, false, b.prog, {}, options);
  if (gradient)
    poplin::calculateWeightDeltas(b.graph, y, x, p, b.prog, {}, options);
}
void convolutions(Build &b) {
  convolve(b, params(HALF, 16, 32, 1, 3));
  convolve(b, params(HALF, 64, 64, 1, 1));
  convolve(b, params(FLOAT, 8, 8, 1, 3));
}
OptionFlags method(const std::string &name) {
  return {{"planConstraints", "{\"method\": {\"type\": \"" + name + "\"}}"}};
}
void windows(Build &b) { convolve(b, params(HALF, 4, 4, 1, 5), method("SLIC"), false); }
void horizontal(Build &b) { convolve(b, params(HALF, 4, 4, 1, 3), method("HMAC")); }
void vertical(Build &b) { convolve(b, params(HALF, 1, 1, 16, 3), method("VMAC")); }

Tensor eightBit(Build &b, const Shape &shape) {
  auto metadata = createConstantMetadataTensor(b.graph, QuarterMetadata::Format::F143, 0);
  b.graph.setTileMapping(metadata, 0);
  return popops::cast(b.graph, b.halves(shape), QUARTER, metadata, b.prog);
}
void eightBits(Build &b) {
  poplin::matMul(b.graph, eightBit(b, {64, 64}), eightBit(b, {64, 64}), b.prog);
  poplin::ConvParams p(QUARTER, HALF, 2, {16}, {3}, 32, 32, 1);
  auto x = eightBit(b, {2, 32, 16});
  poplin::convolution(b.graph, x, eightBit(b, {1, 32, 32, 3}), p, false, b.prog);
  poplin::calculateWeightDeltas(b.graph, eightBit(b, {2, 32, 14}), x, p, b.prog);
}

void solvers(Build &b) {
  auto a = b.floats({96, 96}), square = b.floats({96, 96});
  poplin::cholesky(b.graph, a, true, b.prog);
  poplin::triangularMask(b.graph, a, true, false, b.prog);
  poplin::triangularSolve(b.graph, a, b.floats({96, 20}), true, true, false, b.prog);
  poplin::experimental::LUFactorization(b.graph, square, b.prog);
  auto both = poplin::experimental::createQRFactorizationMatrices(b.graph, FLOAT, 96, 96, "qr");
  poplin::experimental::QRFactorization(b.graph, both[0], both[1], b.prog);
}

void norms(Build &b) {
  namespace pn = poplin::norms;
  auto x = b.halves({4, 32, 10, 10}), dy = b.halves({4, 32, 10, 10});
  auto gamma = b.halves({32}), beta = b.halves({32});
  auto [mean, isd] = poplin::normStatistics(b.graph, x, 1e-3f, b.prog, false, true);
  auto white = poplin::normWhiten(b.graph, x, mean, isd, b.prog);
  poplin::normalise(b.graph, white, gamma, beta, b.prog);
  poplin::normParamGradients(b.graph, white, dy, b.prog);
  poplin::normStatisticsGradients(b.graph, white, dy, isd, b.prog);
  auto y = pn::normalised(b.graph, x, {4, false}, {1e-3f, false, false, FLOAT}, gamma, beta, b.prog,
                          {}, "test");
  pn::allGradients(b.graph, x, dy, y.mean, y.invStdDev, gamma, {4, false}, FLOAT, b.prog, {},
                   "test");
}
void distributedNorms(Build &b) {
  const auto same = [](Graph &, const std::vector<Tensor> &in, program::Sequence &, unsigned,
                       const DebugContext &, const OptionFlags &) { return in; };
  auto x = b.halves({4, 32, 10, 10}), dy = b.halves({4, 32, 10, 10});
  auto [mean, isd] =
      poplin::distributedNormStatistics(b.graph, x, 1e-3f, b.prog, false, same, 4, true);
  poplin::distributedNormStatisticsGradients(b.graph, x, dy, isd, b.prog, same, 4);
}

void functions(Build &b) {
  using Type = popnn::NonLinearityType;
  auto x = b.floats({20, 200}), dy = b.floats({20, 200});
  for (auto type : {Type::SIGMOID, Type::RELU, Type::GELU, Type::SWISH, Type::HARD_SIGMOID,
                    Type::SOFTMAX_STABLE}) {
    auto y = popnn::nonLinearity(b.graph, type, x, b.prog);
    popnn::nonLinearityInputGradient(b.graph, type, y, dy, b.prog);
  }
  popnn::spatialSoftMax2D(b.graph, b.prog, b.floats({4, 10, 10}), 1);
}

void losses(Build &b) {
  auto x = b.halves({40, 100}), loss = b.halves({40}), dx = b.halves({40, 100});
  auto labels = b.indices({40}), correct = b.indices({1});
  Tensor best;
  b.prog.add(popnn::calcLoss(b.graph, x, labels, loss, dx, popnn::LossType::CROSS_ENTROPY_LOSS));
  b.prog.add(popnn::calcAccuracy(b.graph, x, labels, correct));
  popnn::softmaxLossGradient(b.graph, {x, labels, true, {}, 1}, b.prog, {});
  popnn::argMax(b.graph, b.floats({40, 100}), b.prog);
  popnn::argMin(b.graph, b.floats({40, 100}), b.prog);
  popnn::topK(b.graph, b.floats({40, 100}), best, 5, true, b.prog);
}

void pools(Build &b) {
  for (auto type : {popnn::PoolingType::MAX, popnn::PoolingType::AVG}) {
    popnn::pooling::PoolParams p(type, {20, 20}, {3, 3}, {2, 2}, {0, 0}, {0, 0}, 16, 2, HALF);
    auto x = b.halves({2, 16, 20, 20});
    auto y = popnn::pooling::pool(b.graph, p, x, b.prog);
    popnn::pooling::poolInputGradient(b.graph, p, x, y, b.halves(y.shape()), false, b.prog);
  }
  const popnn::experimental::roiAlignParams p(2, 7, 7, true, 1);
  auto x = b.floats({1, 8, 20, 20}), regions = b.floats({3, 4});
  auto which = b.variable(INT, {3});
  auto y = popnn::experimental::roiAlignFwd(b.graph, b.prog, x, regions, which, p);
  popnn::experimental::roiAlignInputGradient(b.graph, b.prog, x, regions, which, y, p);
}

void temporal(Build &b) {
  auto plan = popnn::ctc::plan(b.graph, FLOAT, FLOAT, 2, 20, 5, 8);
  auto x = popnn::ctc::createDataInput(b.graph, FLOAT, 2, 20, 8, plan);
  auto labels = popnn::ctc::createLabelsInput(b.graph, UNSIGNED_INT, 2, 5, plan);
  auto n = b.indices({2}), m = b.indices({2});
  popnn::ctc::calcLossAndGradientLogits(b.graph, FLOAT, x, labels, n, m, b.prog, 0, plan);
  popnn::ctc::calcCTCLossLogProbabilities(b.graph, FLOAT, x, labels, n, m, b.prog, 0, plan);
  auto search = popnn::ctc_infer::plan(b.graph, FLOAT, 2, 20, 8, 3);
  auto y = popnn::ctc_infer::createDataInput(b.graph, FLOAT, 2, 20, 8, search);
  popnn::ctc_infer::beamSearchDecoderLogits(b.graph, y, n, b.prog, 0, 3, 2, search);
}

void lstm(Build &b) {
  const popnn::lstm::LstmParams p(HALF, 4, 6, {32, 48});
  auto x = popnn::lstm::createInput(b.graph, p, "x");
  auto state = popnn::lstm::createInitialState(b.graph, p, "s");
  auto w = popnn::lstm::createWeights(b.graph, p, "w");
  Tensor kept, dx, forUpdate;
  auto y = popnn::lstm::lstmFwd(b.graph, p, state, x, w, &kept, b.prog).first;
  const popnn::lstm::LstmState *none = nullptr;
  popnn::lstm::lstmBwd(b.graph, p, b.prog, state, kept, w, x, y, b.halves(y.shape()), none, &dx,
                       &forUpdate);
  popnn::lstm::lstmWU(b.graph, p, b.prog, state, kept, forUpdate, w, x, y);
}
void gru(Build &b) {
  const popnn::gru::GruParams p(HALF, 4, 6, {32, 48});
  auto x = popnn::gru::createInput(b.graph, p, "x");
  auto state = popnn::gru::createInitialState(b.graph, p, "s", {}, nullptr);
  auto w = popnn::gru::createWeights(b.graph, p, "w");
  Tensor kept, dx, forUpdate;
  auto y = popnn::gru::gruFwd(b.graph, p, state, x, w, &kept, b.prog);
  popnn::gru::gruBwd(b.graph, p, b.prog, state, kept, w, x, y, b.halves(y.shape()), &dx, &forUpdate,
                     {}, {}, nullptr);
  popnn::gru::gruWU(b.graph, p, b.prog, state, kept, forUpdate, w, x, y, {}, {}, nullptr);
}
void rnn(Build &b) {
  using namespace popnn::rnn;
  auto x = createInput(b.graph, 6, 4, 32, 48, HALF);
  auto state = createFwdState(b.graph, HALF, 4, 48, b.prog, false, false);
  auto w = createWeightsInput(b.graph, 6, 4, 32, 48, HALF);
  auto u = createWeightsFeedback(b.graph, 4, 48, HALF);
  auto bias = b.halves({48}), dy = b.halves({6, 4, 48});
  const auto tanh = popnn::NonLinearityType::TANH;
  auto y = rnnFwdSequence(b.graph, b.prog, state, nullptr, bias, w, u, x, tanh);
  rnnBwdSequence(b.graph, true, false, b.prog, state, y, bias, w, u, dy, x, tanh);
  auto back = createBwdState(b.graph, HALF, 4, 48, b.prog);
  auto dw = b.halves({32, 48}), du = b.halves({48, 48}), db = b.halves({48});
  paramDeltaUpdate(b.graph, back, x[0], state, dw, du, db, b.prog);
}

void dynamicSparse(Build &b) {
  using namespace popsparse;
  const std::size_t in = 64, out = 128, batch = 32;
  auto p = dynamic::FullyConnectedParams::createWithNzRatio(
      {dynamic::SparsityType::Block, dynamic::SparsityStructure::Unstructured, {{8, 8}}}, 0.2,
      batch, 1, in, out);
  auto w = dynamic::createFullyConnectedWeights(b.graph, HALF, p, "w");
  auto x = dynamic::createFullyConnectedInput(b.graph, HALF, p, "x");
  auto y = dynamic::fullyConnectedFwd(b.graph, w, x, p, b.prog);
  dynamic::fullyConnectedGradA(b.graph, w, y, p, b.prog);
  dynamic::fullyConnectedSparseGradW(b.graph, w.getMetaInfoTensor(), y, x, p, b.prog);
  auto rows = dynamic::createIndicesTensor(b.graph, p, 20);
  auto slices = dynamic::embeddingSlice(b.graph, w, rows, b.prog, p);
  dynamic::embeddingUpdateAdd(b.graph, w, slices, rows, b.halves({1}).reshape({}), b.prog, p);
}

void staticSparse(Build &b) {
  using namespace popsparse;
  CSRMatrix<float> matrix; // the diagonal
  matrix.numRows = matrix.numColumns = 64;
  matrix.nzValues.assign(64, 1);
  matrix.columnIndices.resize(64);
  matrix.rowIndices.resize(65);
  std::iota(matrix.columnIndices.begin(), matrix.columnIndices.end(), 0);
  std::iota(matrix.rowIndices.begin(), matrix.rowIndices.end(), 0);
  auto p = static_::MatMulParams::createForSparseDense(1, 64, 64, 50);
  auto lhs = static_::createSparseDenseMatMulLHS(b.graph, FLOAT, p, matrix);
  auto rhs = static_::createSparseDenseMatMulRHS(b.graph, FLOAT, p, matrix);
  static_::sparseDenseMatMul(b.graph, lhs, rhs, b.prog);
}

void blockSparse(Build &b) {
  using namespace popsparse::experimental;
  const std::vector<unsigned char> mask(16, 1);
  BSMatMulParams p({{32, 32, 32}}, {{8, 8, 8}}, mask, HALF, HALF, FLOAT);
  auto y = bsMatMul(b.graph, p, b.prog, createBSMatMulInputLHS(b.graph, p, "a"),
                    createBSMatMulInputRHS(b.graph, p, "b"));
  auto s = bsSoftmax(b.graph, y, {{32, 32}}, {{8, 8}}, mask, SubBlockMask::None, b.prog);
  bsSoftmaxGrad(b.graph, s, b.halves(s.shape()), {{32, 32}}, {{8, 8}}, mask, b.prog);
}

} // namespace

Cases layerCases() {
  return {{"products", products},
          {"outer products", outerProducts},
          {"convolutions", convolutions},
          {"windows of four", windows},
          {"horizontal multiplications", horizontal},
          {"vertical multiplications", vertical},
          {"8-bit products", eightBits},
          {"solvers", solvers},
          {"norms", norms},
          {"distributed norms", distributedNorms, 2, 2},
          {"functions", functions},
          {"losses", losses},
          {"pools", pools},
          {"temporal classification", temporal},
          {"lstm", lstm},
          {"gru", gru},
          {"rnn", rnn},
          {"dynamic sparsity", dynamicSparse},
          {"static sparsity", staticSparse},
          {"block sparsity", blockSparse}};
}

} // namespace prices
