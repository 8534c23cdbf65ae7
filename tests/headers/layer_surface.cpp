// SPDX-License-Identifier: MIT
// Every public function of popnn, poprand, popsparse and gcl, with all its overloads,
// called once: compiled, never run. docs/compatibility.md lists what is left out on purpose.
#include "Surface.hpp"
#include <gcl/CollectiveBalancedReorder.hpp>
#include <gcl/Collectives.hpp>
#include <gcl/TileAllocation.hpp>
#include <popfloat/codelets.hpp>
#include <popfloat/experimental/CastToHalf.hpp>
#include <popnn/BatchNorm.hpp>
#include <popnn/codelets.hpp>
#include <popnn/CTCInference.hpp>
#include <popnn/CTCLoss.hpp>
#include <popnn/experimental/ROIAlign.hpp>
#include <popnn/GroupNorm.hpp>
#include <popnn/Gru.hpp>
#include <popnn/InstanceNorm.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/LogSoftmax.hpp>
#include <popnn/Loss.hpp>
#include <popnn/Lstm.hpp>
#include <popnn/NonLinearityDefUtil.hpp>
#include <popnn/Norms.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/Recurrent.hpp>
#include <popnn/SpatialSoftMax.hpp>
#include <poprand/codelets.hpp>
#include <poprand/RandomGen.hpp>
#include <popsparse/codelets.hpp>
#include <popsparse/Embedding.hpp>
#include <popsparse/experimental/BlockSparse.hpp>
#include <popsparse/experimental/BlockSparseMatMul.hpp>
#include <popsparse/MatMul.hpp>
#include <popsparse/SparsePartitioner.hpp>

struct Layers : Surface {
  void layers(float &scaling) {
    using namespace popnn;
    popnn::addCodelets(graph), poprand::addCodelets(graph), popsparse::addCodelets(graph),
        popfloat::addCodelets(graph), poputil::templateVertex("a", NonLinearityType::RELU);
    const auto kind = NonLinearityType::RELU;
    nonLinearityInPlace(graph, kind, t, prog, d),
        nonLinearityInPlace(graph, kind, t, scaling, prog, d),
        nonLinearityInPlace(graph, kind, t, cs, d),
        nonLinearityInPlace(graph, kind, t, scaling, cs, d);
    nonLinearity(graph, kind, t, prog, d), nonLinearity(graph, kind, t, scaling, prog, d),
        nonLinearityInputGradient(graph, kind, t, t, prog, d),
        nonLinearityInputGradient(graph, kind, t, t, cs, d);
#define LAYER(f)                                                                                   \
  f(graph, t, prog, d), f##InPlace(graph, t, prog, d), f(graph, t, scaling, prog, d),              \
      f##InPlace(graph, t, scaling, prog, d);
    // clang-format off
    LAYER(sigmoid) LAYER(relu) LAYER(popnn::tanh) LAYER(gelu) LAYER(geluErf) LAYER(swish)
    LAYER(softmax) LAYER(softmaxStable) LAYER(scaledSoftmaxStable)
        // clang-format on
        logSoftmax(graph, t, prog, d),
        logSoftmaxInPlace(graph, t, prog, d);
    std::cout << kind << asString(kind);
    std::pair<Tensor, Tensor> two;
#define NORM(ns, N, normalise, extra, last)                                                        \
  two = ns::N##Statistics(graph, t, 1e-5f, prog, extra true, last FLOAT, d, o),                    \
  ns::N##Whiten(graph, t, t, t, prog, d, o),                                                       \
  two = ns::normalise(graph, t, t, t, t, t, prog, d, o),                                           \
  two = ns::N##ParamGradients(graph, t, t, t, t, prog, FLOAT, d, o),                               \
  two = ns::N##ParamGradients(graph, t, t, prog, FLOAT, d, o),                                     \
  ns::N##Gradients(graph, t, t, t, t, t, prog, FLOAT, d, o),                                       \
  ns::N##Gradients(graph, t, t, t, t, prog, FLOAT, d, o),                                          \
  ns::N##ParamUpdate(graph, t, t, 1.f, t, t, prog, d, o),                                          \
  ns::N##ParamUpdate(graph, t, t, t, t, t, prog, d, o);
#define NOTHING
#define GROUPS 2,
#define STABLE false,
    NORM(bn, batchNorm, batchNormalise, NOTHING, STABLE)
    NORM(gn, groupNorm, groupNormalise, GROUPS, STABLE)
    NORM(in, instanceNorm, instanceNormalise, NOTHING, STABLE)
    NORM(ln, layerNorm, layerNormalise, NOTHING, STABLE)
    bn::batchNormalise(graph, t, t, t, prog, d, o), createNormGamma(graph, t, d),
        createNormBeta(graph, t, d), two = createNormParams(graph, t, d);
    poplin::DistributedNormReduceCallback callback;
    bn::distributedBatchNormStatistics(graph, t, 1e-5f, prog, true, callback, 4, false, FLOAT, d,
                                       o),
        bn::distributedBatchNormGradients(graph, t, t, t, t, t, prog, callback, 4, FLOAT, d, o),
        bn::distributedBatchNormGradients(graph, t, t, t, t, prog, callback, 4, FLOAT, d, o);
    Program p = calcLoss(graph, t, t, t, t, CROSS_ENTROPY_LOSS, d);
    p = calcLoss(graph, t, t, t, t, t, t, SUM_SQUARED_LOSS, d),
    p = calcLoss(graph, t, t, t, t, t, CROSS_ENTROPY_LOSS, d),
    p = calcLoss(graph, t, t, t, t, t, t, t, CROSS_ENTROPY_LOSS, d),
    p = calcAccuracy(graph, t, t, t, d);
    argMax(graph, t, prog, d), argMin(graph, t, prog, d),
        two = maxAndArgMax(graph, t, prog, d), two = minAndArgMin(graph, t, prog, d),
        popnn::topK(graph, t, t, 3, true, prog, d);
    pooling::PoolParams pool(PoolingType::MAX, shape, shape, dims, {0}, {0}, 4, 2, type);
    pool.getOutputFieldShape(), pooling::pool(graph, pool, t, prog, d, o),
        pooling::poolInputGradient(graph, pool, t, t, t, true, prog, d, o),
        pooling::poolInputGradient(graph, pool, 4, t, prog, d, o), pooling::getFwdFlops(pool),
        pooling::getBwdFlops(pool), pooling::getFwdPerfectCycleCount(constGraph, pool),
        pooling::getBwdPerfectCycleCount(constGraph, pool);
    two = spatialSoftMax2D(graph, prog, t, 1.f, true, d);
    popnn::experimental::roiAlignParams roi(1, 2, 3, true, 1.f);
    popnn::experimental::roiAlignFwd(graph, prog, t, t, t, roi, d),
        popnn::experimental::roiAlignInputGradient(graph, prog, t, t, t, t, roi, d);
    auto plan = ctc::plan(constGraph, type, type, 1, 2, 3, 4, o);
    ctc::createDataInput(graph, type, 1, 2, 3, plan, d),
        ctc::createLabelsInput(graph, type, 1, 2, plan, d),
        two =
            ctc::calcLossAndGradientLogProbabilities(graph, type, t, t, t, t, prog, 0, plan, d, o),
        two = ctc::calcLossAndGradientLogits(graph, type, t, t, t, t, prog, 0, plan, d, o),
        ctc::calcCTCLossLogProbabilities(graph, type, t, t, t, t, prog, 0, plan, d, o),
        ctc::calcCTCLossLogits(graph, type, t, t, t, t, prog, 0, plan, d, o);
    auto decode = ctc_infer::plan(constGraph, type, 1, 2, 3, 4, o);
    std::tuple<Tensor, Tensor, Tensor> three =
        ctc_infer::beamSearchDecoderLogProbabilities(graph, t, t, prog, 0, 4, 2, decode, d, o);
    three = ctc_infer::beamSearchDecoderLogits(graph, t, t, prog, 0, 4, 2, decode, d, o),
    ctc_infer::createDataInput(graph, type, 1, 2, 3, decode, d);
  }
  void recurrent(poplin::matmul::PlanningCache *c) {
    using namespace popnn;
    lstm::LstmParams p(type, 1, 2, {3, 4}),
        varying(type, 1, 2, t, {3, 4}, NonLinearityType::TANH, NonLinearityType::SIGMOID);
    p.outputFullSequence = p.doInputWeightCalc = p.calcInputGradients = p.preserveFinalState = true;
    p.cellOrder = {BASIC_LSTM_CELL_FORGET_GATE, BASIC_LSTM_CELL_INPUT_GATE,
                   BASIC_LSTM_CELL_CANDIDATE, BASIC_LSTM_CELL_OUTPUT_GATE};
    lstm::LstmState state = lstm::createInitialState(graph, p, d, o, c);
    lstm::LstmWeights w = lstm::createWeights(graph, p, d, o, c);
    state.getAsTensor(), lstm::createInput(graph, p, d, o, c),
        lstm::createInitialOutput(graph, p, d, o, c),
        lstm::createInitialCellState(graph, p, d, o, c),
        lstm::zeroInitialState(graph, state, prog, d);
    std::pair<Tensor, Tensor> two = lstm::createWeightsKernel(graph, p, d, o, c);
    w.biases = lstm::createWeightsBiases(graph, p, d, o, c), w.inputWeights = two.first,
    w.outputWeights = state.output, w.outputWeights = state.cellState;
    two = lstm::lstmFwd(graph, p, state, t, w, &t, prog, d, o, c);
    const lstm::LstmState *last = nullptr;
    const Tensor *lastCell = nullptr;
    state = lstm::lstmBwd(graph, p, prog, state, t, w, t, t, t, last, &t, &t, d, o, c),
    state = lstm::lstmBwd(graph, p, prog, state, t, w, t, t, t, lastCell, &t, &t, d, o, c),
    w = lstm::lstmWU(graph, p, prog, state, t, t, w, t, t, d, o, c),
    state = lstm::lstmBwdWithWU(graph, p, prog, state, t, w, t, t, t, last, &t, w, d, o, c),
    state = lstm::lstmBwdWithWU(graph, p, prog, state, t, w, t, t, t, lastCell, &t, w, d, o, c);
    lstm::getMatMulPrePlanParameters(p, o), lstm::getBasicLstmCellFwdFlops(p),
        lstm::getBasicLstmCellBwdFlops(p), lstm::getBasicLstmCellWuFlops(p);
    gru::GruParams g(type, 1, 2, {3, 4});
    g.resetAfter = true,
    g.cellOrder = {BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_UPDATE_GATE, BASIC_GRU_CELL_CANDIDATE};
    gru::GruWeights gw = gru::createWeights(graph, g, d, o, c);
    gru::createInput(graph, g, d, o, c), gru::createInitialState(graph, g, d, o, c),
        gru::createWeightsKernel(graph, g, d, o, c), gru::createWeightsBiases(graph, g, d, o, c),
        gru::createAttention(graph, g, d, o);
    gru::gruFwd(graph, g, t, t, gw, &t, prog, d, o, c),
        gru::gruFwd(graph, g, t, t, t, gw, &t, prog, d, o, c),
        gru::auGruFwd(graph, g, t, t, gw, &t, t, prog, d, o, c),
        gru::auGruFwd(graph, g, t, t, t, gw, &t, t, prog, d, o, c);
    gru::gruBwd(graph, g, prog, t, t, gw, t, t, t, &t, &t, d, o, c),
        gru::gruBwd(graph, g, prog, t, t, gw, t, t, t, t, &t, &t, d, o, c),
        gru::auGruBwd(graph, g, prog, t, t, gw, t, t, t, &t, &t, t, &t, d, o, c),
        gw = gru::gruWU(graph, g, prog, t, t, t, gw, t, t, d, o, c),
        gw = gru::auGruWU(graph, g, prog, t, t, t, gw, t, t, d, o, c);
    gru::gruBwdWithWU(graph, g, prog, t, t, gw, t, t, t, &t, gw, d, o, c),
        gru::gruBwdWithWU(graph, g, prog, t, t, gw, t, t, t, t, &t, gw, d, o, c),
        gru::auGruBwdWithWU(graph, g, prog, t, t, gw, t, t, t, &t, gw, t, &t, d, o, c);
    rnn::RnnParams r(type, 1, 2, {3, 4}), r2(type, 1, 2, t, {3, 4});
    r.getMaxShards(graph), r.variableTimeSteps(), r2.batchVariableTimeSteps(),
        rnn::createInitialState(graph, r, true, 1, 1, d),
        rnn::createRecurrentTensor(graph, r, 4, 1, d), rnn::createInputTensor(graph, r, 1, d),
        rnn::createOutputTensor(graph, r, 1, d), rnn::shiftRnnTensor(graph, r, t, t, prog, 1, d);
    const auto f = NonLinearityType::TANH;
    rnn::createInput(graph, 1, 2, 3, 4, type, FLOAT, false, d, c),
        rnn::createFwdState(graph, type, 1, 2, prog, true, false, d, c),
        rnn::createWeightsInput(graph, 1, 2, 3, 4, type, FLOAT, false, d, c),
        rnn::createWeightsFeedback(graph, 1, 2, type, FLOAT, false, d, c),
        rnn::forwardWeightInput(graph, t, t, prog, FLOAT, false, d, c),
        rnn::forwardIterate(graph, t, t, t, t, prog, f, FLOAT, false, d, c),
        rnn::createBwdState(graph, type, 1, 2, prog, d, c);
    rnn::backwardGradientStep(graph, t, t, t, t, t, prog, f, FLOAT, d, c),
        rnn::backwardGradientStep(graph, t, t, t, t, prog, f, FLOAT, d, c),
        rnn::paramDeltaUpdate(graph, t, t, t, t, t, t, prog, FLOAT, d, c),
        rnn::rnnFwdSequence(graph, prog, t, &t, t, t, t, t, f, FLOAT, false, d, c),
        rnn::rnnBwdSequence(graph, true, false, prog, t, t, t, t, t, t, t, f, FLOAT, d, c),
        rnn::getOutputFromFwdState(t);
  }

  void random(const Tensor *seed) {
    using namespace poprand;
    uniform(graph, seed, 0, t, type, 0, 1, prog, d), normal(graph, seed, 0, t, type, 0, 1, prog, d),
        truncatedNormal(graph, seed, 0, t, type, 0, 1, 2, prog, d),
        bernoulli(graph, seed, 0, t, type, 0.5, prog, d),
        logUniform(graph, seed, 0, t, type, 1, 2, prog, 10., d),
        dropout(graph, seed, 0, t, t, 0.5, 2, prog, d),
        dropout(graph, seed, 0, t, t, 0.5, 2, true, prog, d),
        shapedDropout(graph, seed, 0, t, t, 0.5, 2, prog, d), setSeed(graph, t, 0, prog, d);
  }
  template <class M> void matrix() {
    M a, b(std::vector<float>{1}, Sizes{0}, Sizes{0}),
        c(std::vector<float>{1}, Sizes{0}, Sizes{0}, {{1, 1}}),
        e(std::array<std::size_t, 2>{{2, 2}}),
        f(popsparse::Block(std::array<std::size_t, 2>{{2, 2}}));
    a.numRows = b.numColumns, a.nzValues = c.nzValues, a.columnIndices = e.rowIndices,
    a.getBlockDimensions(), a.getNumRowsInBlock(), a.getNumColumnsInBlock(), f.getBlockSize();
  }
  void sparse() {
    using namespace popsparse;
    matrix<COOMatrix<float>>(), matrix<CSRMatrix<float>>(), matrix<CSCMatrix<float>>();
    COOMatrix<float> coo(8), coo2(8, {{2, 2}});
    CSRMatrix<float> csr(8, 4), csr2(8, 4, {{2, 2}});
    CSCMatrix<float> csc(8, 4), csc2(8, 4, {{2, 2}});
    dynamic::SparsityParams sp(dynamic::SparsityType::Block,
                               dynamic::SparsityStructure::Unstructured, {{4, 4}});
    auto fc = dynamic::FullyConnectedParams::createWithNzRatio(sp, 0.1, 1, 1, 4, 4),
         fc2 = dynamic::FullyConnectedParams::createWithNumNonZeroValues(sp, 16, 1, 1, 4, 4);
    auto mm = dynamic::MatMulParams::createWithNzRatio(sp, 0.1, 1, 4, 4, 4),
         mm2 = dynamic::MatMulParams::createWithNumNonZeroValues(sp, 16, 1, 4, 4, 4);
    std::cout << fc2 << mm2;
    poplin::PlanningCache poplinCache;
    dynamic::PlanningCache cache, other(&poplinCache);
    auto w = dynamic::createFullyConnectedWeights(graph, type, fc, d, o, &cache);
    w.getMetaInfoTensor(), w.getNzValuesTensor(), w.getOpMetaData(),
        dynamic::createFullyConnectedInput(graph, type, fc, d, o, &cache),
        dynamic::fullyConnectedFwd(graph, w, t, fc, prog, d, o, &cache),
        dynamic::fullyConnectedGradA(graph, w, t, fc, prog, d, o, &cache),
        dynamic::fullyConnectedSparseGradW(graph, t, t, t, fc, prog, d, o, &cache),
        dynamic::fullyConnectedDenseGradWSerialSplits(constGraph, type, fc, o, &cache);
    auto lhs = dynamic::createSparseDenseMatMulLHS(graph, type, mm, d, o, &cache);
    dynamic::createSparseDenseMatMulRHS(graph, type, mm, d, o, &cache),
        dynamic::sparseDenseMatMul(graph, lhs, t, prog, false, false, d, o, &cache),
        dynamic::createIndicesTensor(graph, fc, 4, o, d),
        dynamic::createSliceTensor(graph, type, fc, 4, d, o, &cache),
        dynamic::embeddingSlice(graph, w, t, prog, fc, d, o, &cache),
        dynamic::embeddingUpdateAdd(graph, w, t, t, t, prog, fc, d, o, &cache);
    dynamic::Partitioner<float> partitioner(fc, type, target, o, &cache, "name"),
        partitioner2(mm, type, target, o);
    auto data = partitioner.createSparsityDataImpl(coo);
    data = partitioner.createSparsityDataImpl(csr), data = partitioner.createSparsityDataImpl(csc),
    coo = partitioner.sparsityDataImplToCOOMatrix(data),
    csr = partitioner.sparsityDataImplToCSRMatrix(data),
    csc = partitioner.sparsityDataImplToCSCMatrix(data), partitioner.getPlanPartitions(),
    partitioner.getmetaInfoBucketElements();
    static_::PlanningCache fixed;
    auto a = static_::MatMulParams::createForSparseDense(1, 4, 4, 4),
         b = static_::MatMulParams::createForDenseSparse(1, 4, 4, 4);
    auto sparseLhs = static_::createSparseDenseMatMulLHS(graph, type, a, csr, d, o, &fixed);
    auto sparseRhs = static_::createDenseSparseMatMulRHS(graph, type, b, csr, d, o, &fixed);
    static_::createSparseDenseMatMulRHS(graph, type, a, csr, d, o, &fixed),
        static_::createDenseSparseMatMulLHS(graph, type, b, csr, d, o, &fixed),
        static_::sparseDenseMatMul(graph, sparseLhs, t, prog, false, false, d, o, &fixed),
        static_::denseSparseMatMul(graph, t, sparseRhs, prog, false, false, d, o, &fixed);
    static_::Partitioner<float> fixedPartitioner(a, type, target, o, &fixed, "name");
    using namespace popsparse::experimental;
    BSMatMulParams dense({{8, 8, 8}}, {{8, 8, 8}}, {1}, false, type, type, type, 1),
        toSparse({{8, 8, 8}}, {{8, 8, 8}}, {1}, type, type, type, SubBlockMask::None, 1);
    createBSMatMulInputLHS(graph, dense, d, o), createBSMatMulInputRHS(graph, toSparse, d, o),
        bsMatMul(graph, dense, prog, t, t, o, d),
        bsSoftmax(graph, t, {{8, 8}}, {{8, 8}}, {1}, SubBlockMask::ZeroUpperTriangle, 1, prog, d),
        bsSoftmaxInPlace(graph, t, {{8, 8}}, {{8, 8}}, {1}, SubBlockMask::None, 1, prog, d),
        bsSoftmaxGrad(graph, t, t, {{8, 8}}, {{8, 8}}, {1}, 1, prog, d);
  }
  void collectives() {
    using namespace gcl;
    const auto add = CollectiveOperator::ADD;
    CommGroup group(CommGroupType::CONSECUTIVE, 2, 1), all;
    t = allReduceCrossReplica(graph, t, add, prog, group, d, o),
    ts = allReduceCrossReplica(graph, ts, add, prog, group, d, o),
    allReduceInPlaceCrossReplica(graph, t, add, prog, group, d, o),
    allReduceInPlaceCrossReplica(graph, ts, add, prog, all, d, o),
    allReduceToDestinationCrossReplica(graph, t, t, add, prog, group, d, o),
    allReduceToDestinationCrossReplica(graph, ts, ts, add, prog, group, d, o);
    t = reduceScatterCrossReplica(graph, t, add, prog, group, d, o),
    ts = reduceScatterCrossReplica(graph, ts, add, prog, group, d, o),
    reduceScatterToDestinationCrossReplica(graph, ts, ts, add, prog, group, d, o),
    t = allGatherCrossReplica(graph, t, prog, group, d, o),
    ts = allGatherCrossReplica(graph, ts, prog, group, d, o),
    allGatherToDestinationCrossReplica(graph, ts, ts, prog, group, d, o),
    t = allToAllCrossReplica(graph, t, prog, group, d, o);
    t = allReduceCrossReplica(graph, t, add, prog, d, o),
    ts = allReduceCrossReplica(graph, ts, add, prog, "all"),
    allReduceInPlaceCrossReplica(graph, t, add, prog, "all"),
    allReduceToDestinationCrossReplica(graph, t, t, add, prog, {d}, o);
    t = reduceScatterCrossReplica(graph, t, add, prog, d),
    reduceScatterToDestinationCrossReplica(graph, ts, ts, add, prog, d),
    t = allGatherCrossReplica(graph, t, prog, "all"),
    allGatherToDestinationCrossReplica(graph, ts, ts, prog, d),
    t = allToAllCrossReplica(graph, t, prog, "all"), t = broadcastCrossReplica(graph, t, prog, d);
    t = allReduceWithinReplica(graph, t, add, prog, d, o);
    Chunks chunks = reduceScatterWithinReplica(graph, t, add, prog, d, o);
    t = allGatherWithinReplica(graph, chunks, prog, d, o), chunks.getChunks()[0].getTensor(),
    chunks.setOriginalInput(chunks.getOriginalInput()), chunks.setChunks(chunks.getChunks());
    perIPUTiles(constGraph, 0, 32, true, true), getMinIoTiles(constGraph);
    CollectiveBalancedReorder reorder(graph, t, 2, {"name"}, true, 4);
    reorder.createReplicaSlice(type), reorder.createCollectivesTensor(type, "x"),
        reorder.undoRearrangeForCollective(t), reorder.getReferenceShape();
    const CollectiveBalancedHostRearrangement &host = reorder.getHostRearrangement();
    host.getNumRearrangedTensorElems(), host.rearrangeForCollective("in", nullptr, 4),
        host.undoRearrangeForCollective("in", nullptr, 4), host.getReplicationFactor(),
        host.getTotalElementsPerReplica(), host.getGatheredToRefSlices(), host.getElementMap();
  }
};
