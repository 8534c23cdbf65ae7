// SPDX-License-Identifier: MIT
// Every public function of poputil, popops and poplin, with all its overloads,
// called once: compiled, never run. docs/compatibility.md lists what is left out on purpose.
#include "Surface.hpp"
#include <poplin/Cholesky.hpp>
#include <poplin/codelets.hpp>
#include <poplin/ConvPreplan.hpp>
#include <poplin/experimental/LuFactorization.hpp>
#include <poplin/experimental/QRFactorization.hpp>
#include <poplin/FullyConnected.hpp>
#include <poplin/MeshGrid.hpp>
#include <poplin/MultiConvolution.hpp>
#include <poplin/Norms.hpp>
#include <poplin/TriangularSolve.hpp>
#include <popops/AllTrue.hpp>
#include <popops/Cast.hpp>
#include <popops/CircBuf.hpp>
#include <popops/codelets.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/ExprOpUtils.hpp>
#include <popops/Fill.hpp>
#include <popops/Gather.hpp>
#include <popops/GatherStatistics.hpp>
#include <popops/HostSliceTensor.hpp>
#include <popops/Loop.hpp>
#include <popops/NaN.hpp>
#include <popops/NormaliseImage.hpp>
#include <popops/OperationDefUtil.hpp>
#include <popops/Pad.hpp>
#include <popops/Rearrange.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Scatter.hpp>
#include <popops/SelectScalarFromRows.hpp>
#include <popops/SequenceSlice.hpp>
#include <popops/Sort.hpp>
#include <popops/SplineBasis.hpp>
#include <popops/SplineWeighting.hpp>
#include <popops/TopK.hpp>
#include <popops/UpdateScalarInRows.hpp>
#include <popops/Zero.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/cyclesTables.hpp>
#include <poputil/GraphFunction.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/VarStructure.hpp>

struct Operators : Surface {
  void util() {
    using namespace poputil;
    unsigned u = calcLinearTileMapping(constGraph, shape, 1, 2, 3, true).size();
    calcLinearTileMapping(target, shape, 1, 2, 3, true),
        calcLinearTileMapping(constGraph, t, 1, false);
    calcLinearTileMapping(target, shape, type, 1, false), calcLinearTileMapping(constGraph, t);
    std::pair<Map, unsigned> next = calcLinearTileMappingAndNewOffset(constGraph, t, 1);
    mapTensorLinearly(graph, t), mapTensorLinearly(graph, t, 1, 2);
    mapTensorLinearlyWithOffset(graph, t), mapTensorLinearlyWithOffset(graph, t, 1, false);
    mapTensorLinearlyWithOffset(graph, t, 1, 2, 3, false),
        mapTensorLinearlyWithOffset(graph, t, 1, 2, 3);
    std::size_t offset = chooseMappingOffset(8, shape) + chooseMappingOffset(8, shape, 3);
    u += getTileImbalance(map, 1, 2) + getTileImbalance(constGraph, t, 1, 2);
    TensorUseTracker tracker(8), tracker2(8, 1, false);
    tracker.add(constGraph, 1, t), tracker.add(tracker2), tracker.empty();
    tracker.resolve(constGraph, 1, 2),
        tracker.resolve(constGraph, 1, 2, true, TensorUseTracker::MappingMethod::None);
    tracker.mapTensorsByUse(graph, 1, 2, true,
                            TensorUseTracker::MappingMethod::OptimizeHaloRegions);
    tracker.mapTensorsByUse(graph, 1, 2, false,
                            TensorUseTracker::MappingMethod::ConstrainMappingToUsedTiles);
    cloneToIpu(graph, t, 1, d), cloneToGraph(graph, graph, t, d);
    std::pair<Tensor, unsigned> expanded = cloneAndExpandAliasing(graph, t, 1, d);
    copyToIpu(graph, t, prog, 1, d), createIpuCopy(graph, t, 1, t, t, d);
    dimIsSplitOverTiles(constGraph, t, 1), dimIsSplitOverIPUs(constGraph, t, 1);
    createBroadcastOperand(graph, t, type, 1, true, d);
    u += transformTileIndex(1, 8, 2, true) + invTransformTileIndex(1, 8, 2, false);

    mergeAdjacentRegions(regions), mergeAdjacentRegions(map), flattenIntervals(map);
    Map parts = splitRegions(regions, 1, 2, 3, 4, 5);
    std::vector<Map> many = splitRegions(map, 1, 2),
                     more = splitRegionsBetweenWorkers(target, map, 1, 2, 3, 4);
    splitRegionsBetweenWorkers(target, regions, 1, 2, 3, 4);
    unflattenIndex(shape, 5), flattenIndex(shape, shape), intervalSequenceNumElements(map);
    duplicate(graph, t, prog, d, TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES),
        cloneN(graph, t, 3, d);
    std::vector<int> sizes = balancedPartition(10, 3);
    double half = castToDeviceHalfValue(target, 1.0);
    checkAccuracyWhenCast(target, half, FLOAT, HALF, 0.1), factorDims(t, shape, 1),
        unfactorDims(t, 2, 1);
    createConstantMetadataTensor(graph, QuarterMetadata::Format::F143, 1);
    createVariableMetadataTensor(graph, QuarterMetadata::Format::F143, 1);
    calculateUnshufflingIntervals(regions);

    detectInnermostGrouping(constGraph, t);
    std::vector<GroupingInfo> groupings = detectDimGroupings(constGraph, t);
    createPartitionableTensor(graph, type, shape, shape, d);
    iterateTensorPartitions(t, shape, [](const Sizes &, const Tensor &) {});
    expandToMatchRanks(t, t), broadcastToMatch(t, shape), broadcastToMatch(t, t),
        broadcastToMatch(t, t, t);
    canBroadcastToMatch(t, t);
    graphfn::Signature signature{graphfn::input(t, "a"), graphfn::inout(t), graphfn::output(t),
                                 graphfn::created("c")};
    graphfn::VoidFunction v(
        graph, signature, [](std::vector<Tensor> &, Sequence &) {}, true, d);
    graphfn::VoidFunction v2(graph, signature,
                             [](std::vector<Tensor> &, Sequence &, const DebugNameAndId &) {});
    v(ts, prog, d), v2(ts, prog);
    graphfn::ProgramFunction p(graph, signature, [](std::vector<Tensor> &) { return Program(); });
    Program called = p(ts, d);
    graphfn::TensorFunction f(graph, signature,
                              [](std::vector<Tensor> &args, Sequence &) { return args[0]; });
    Tensor result = f(ts, prog, d);
    PoplibsOpDebugInfo di(d, DI_ARGS(t, shape, o, type), "api");
    di.addOutputs({{"a", toProfileValue(t)}}), di.addOutput(result), di.add("x", ProfileValue(1));
    ArgType argument{"n", ProfileValue(1)};
    ProfileValue pv = argument.pv;
    templateVertex("a"), templateVertex("a", type, true, 1, "x", std::string("y"));
    templateVertex("a", popops::expr::BinaryOpType::ADD, popops::Operation::MAX);
    (void)u, (void)offset, (void)pv;
  }
  void options(double x, bool b, int i, std::string s, std::vector<int> list) {
    using poplibs::OptionHandler;
    poplibs::OptionSpec spec{{"x", OptionHandler::createWithDouble(x, 0., true, 1., false)},
                             {"b", OptionHandler::createWithBool(b)},
                             {"i", OptionHandler::createWithInteger(i)},
                             {"s", OptionHandler::createWithString(s)},
                             {"l", OptionHandler::createWithList(list)},
                             {"e", OptionHandler::createWithEnum(i, {{"one", 1}})}};
    spec.parse("x", "1"), spec.parse("x", "1", true);
    OptionHandler::ensureValueIsWithinBounds(x, 0., true, 1., false);
    poplibs::parse::asInteger<int>("0x1"), poplibs::parse::asFloatingPoint<float>("1"),
        poplibs::parse::asBool("true");
  }

  void expressions() {
    using namespace popops::expr;
    using namespace popops;
    Any any(_1);
    any = Add(any, _2) - _3 * _4 / _5 % _6 + Select(_1, _2, Lt(_7, _8)) + Clamp(_9, _10, _11);
    Any bits = (_12 & _13) | (_14 ^ ~_15) | (_16 << _17) | (_18 >> 2) | BitwiseXnor(_19, _20);
    Any logic = (_1 == _2) && (_1 != 2) || !(_1 < _2) || (_1 <= 1.f) || (_1 > _2) || (_1 >= _2) ||
                IsFinite(_1) || IsInf(_1) || IsNaN(_1);
    Any unary =
        Abs(Asin(Cbrt(Ceil(Cos(Erf(Exp(Expm1(Exp2(Floor(GeluErf(Inv(Log(Log1p(-_1))))))))))))));
    Any more = NearbyInt(Round(Rsqrt(Sigmoid(Signum(Sin(Sqrt(Square(Tan(Tanh(Trunc(_1)))))))))));
    Any others = Atan2(_1, Max(_2, Min(_3, Pow(_4, Rem(_5, ShrSE(_6, _7))))));
    Any variance = VarianceToInvStdDev(_1, InvStdDevToVariance(_2, _3));
    Any shifted = Shl(_1, Shr(_2, Cast(_3, INT)));
    UnaryOp relu(UnaryOpType::RELU, _1);
    BinaryOp plus(BinaryOpType::ADD, _1, _2);
    TernaryOp choice(TernaryOpType::SELECT, _1, _2, _3);
    relu.getOpType(), relu.getArg(), plus.getLHS(), plus.getRHS(), choice.getArg0(),
        choice.getArg2();
    std::vector<Any> all{any, bits, logic, unary, more, others, variance, shifted};
    Const c(1.5f), c2(3u), c3(TypeTraits::make<float>(), HALF, "1234"), c4 = Const(true),
                                                                        c5(IeeeHalf(1.f));
    c.getType(), c.getTypeTraits(), c.getData(), c.printValue(), c.getDataAsDouble(),
        c2.getDataForUnsignedIntegral();
    ConstHalf h(1.f), h2 = 1.0_half;
    deepEquals(c, c2), c.isA<Const>(), c.getAs<Const>(), c.clone(), c.name(ts);
    std::cout << any << c;
    popops::map(graph, any, ts, prog, d, o), popops::mapInPlace(graph, any, ts, prog, d, o),
        mapWithOutput(graph, any, ts, t, prog, d, o);
    popops::map(graph, UnaryOpType::ABSOLUTE, t, prog, d, o),
        popops::map(graph, BinaryOpType::ADD, t, t, prog, d, o),
        popops::map(graph, TernaryOpType::CLAMP, t, t, t, prog, d, o);
    mapInPlace(graph, UnaryOpType::ABSOLUTE, t, prog, d, o),
        mapInPlace(graph, BinaryOpType::ADD, t, t, prog, d, o),
        mapInPlace(graph, TernaryOpType::CLAMP, t, t, t, prog, d, o);
    mapWithOutput(graph, UnaryOpType::ABSOLUTE, t, t, prog, d, o),
        mapWithOutput(graph, BinaryOpType::ADD, t, t, t, prog, d, o),
        mapWithOutput(graph, TernaryOpType::CLAMP, t, t, t, t, prog, d, o);
    std::vector<Tensor> outs = popops::map(graph, all, ts, prog, d, o);
    mapInPlace(graph, all, ts, prog, d, o), mapWithOutput(graph, all, ts, outs, prog, d, o);
    outputGeneratedCodelet(target, any, ts, o, std::cout),
        createOutputForElementWiseOp(graph, ts, type, d);
  }
  void elementwise() {
    using namespace popops;
#define UNARY(f)                                                                                   \
  f(graph, t, prog, d, o), f##InPlace(graph, t, prog, d, o), f##WithOutput(graph, t, t, prog, d, o);
    // clang-format off
    UNARY(abs) UNARY(inv) UNARY(logicalNot) UNARY(neg) UNARY(signum) UNARY(bitwiseNot)
    UNARY(countLeadingZeros) UNARY(popcount) UNARY(ceil) UNARY(floor) UNARY(round) UNARY(nearbyint)
    UNARY(cbrt) UNARY(exp) UNARY(exp2) UNARY(expm1) UNARY(log) UNARY(log1p) UNARY(sqrt) UNARY(rsqrt)
    UNARY(square) UNARY(sigmoid) UNARY(tanh) UNARY(erf) UNARY(geluErf) UNARY(asin) UNARY(sin)
    UNARY(cos) UNARY(tan)
        // clang-format on
        isFinite(graph, t, prog, d, o),
        isFiniteWithOutput(graph, t, t, prog, d, o);
#define BINARY(f)                                                                                  \
  f(graph, t, t, prog, d, o), f(graph, t, 2.f, prog, d, o), f(graph, 2u, t, prog, d, o),           \
      f##InPlace(graph, t, t, prog, d, o), f##InPlace(graph, t, 2, prog, d, o),                    \
      f##WithOutput(graph, t, t, t, prog, d, o), f##WithOutput(graph, t, 2.f, t, prog, d, o),      \
      f##WithOutput(graph, 2, t, t, prog, d, o);
    // clang-format off
    BINARY(add) BINARY(sub) BINARY(mul) BINARY(div) BINARY(rem) BINARY(pow) BINARY(max) BINARY(min)
    BINARY(atan2) BINARY(bitwiseAnd) BINARY(bitwiseOr) BINARY(bitwiseXor) BINARY(bitwiseXnor)
    BINARY(shiftLeft) BINARY(shiftRight) BINARY(shiftRightSignExtend) BINARY(logicalAnd)
    BINARY(logicalOr) BINARY(eq) BINARY(neq) BINARY(gt) BINARY(lt) BINARY(gteq) BINARY(lteq)
        // clang-format on
        varianceToInvStdDev(graph, t, t, prog, d, o),
        varianceToInvStdDev(graph, t, t, prog, HALF, d),
        varianceToInvStdDev(graph, t, 1e-5f, prog, HALF, d);
    invStdDevToVariance(graph, t, t, prog, d, o), invStdDevToVariance(graph, t, t, prog, FLOAT, d),
        invStdDevToVariance(graph, t, 1e-5f, prog, FLOAT, d);
    varianceToInvStdDevInPlace(graph, t, t, prog, d, o),
        invStdDevToVarianceInPlace(graph, t, t, prog, d, o);
    select(graph, t, t, t, prog, d, o), selectInPlace(graph, t, t, t, prog, d, o),
        selectWithOutput(graph, t, t, t, t, prog, d, o);
    clamp(graph, t, t, t, prog, d, o), clampInPlace(graph, t, t, t, prog, d, o),
        clampWithOutput(graph, t, t, t, t, prog, d, o);
  }
  void reductions() {
    using namespace popops;
    ReduceParams params, p2(Operation::ADD), p3(Operation::ADD, true), p4(Operation::ADD, true, t);
    params.op = p2.op, params.update = p3.update, params.useScale = p4.useScale,
    params.scale = p4.scale;
    std::vector<ComputeSet> css;
    reduce(graph, t, type, shape, params, prog, d, o), reduce(graph, t, shape, params, prog, d, o),
        reduceWithOutput(graph, t, t, shape, params, prog, d, o);
    reduce(graph, t, type, shape, params, css, d, o), reduce(graph, t, shape, params, css, d, o),
        reduceWithOutput(graph, t, t, shape, params, css, d, o);
    SingleReduceOp one(t, shape, params, type, "name"), two(t, shape, params);
    one.useOutType = two.useOutType, one.debugName = "x";
    reduceMany(graph, {one, two}, ts, prog, d, o);
    for (auto op :
         {Operation::ADD, Operation::MUL, Operation::MIN, Operation::MAX, Operation::LOGICAL_AND,
          Operation::LOGICAL_OR, Operation::SQUARE_ADD, Operation::LOG_ADD})
      std::cout << op, std::cin >> op;
  }
  void slices(gccs::ArrayRef<unsigned> constant) {
    using namespace popops;
    SlicePlan plan = embedding::plan(constGraph, type, 8, 4, {2}, o),
              grouped = embedding::plan(constGraph, type, 2, 8, 4, {2}, o);
    embedding::SlicePlanningParameters one(constGraph, type, 8, 4, {2}, o),
        two(constGraph, type, 2, 8, 4, {2}, o);
    std::vector<SlicePlan> plans = embedding::planMultiple({one, two});
    one.numEntries = two.groupSize, two.optionFlags.set("a", "b");
    createSliceableTensor(graph, type, shape, shape, shape, 0, d),
        createSliceableTensor(graph, type, shape, shape, shape, plan, o, d),
        createGroupedSliceableTensor(graph, type, 2, shape, shape, shape, plan, o, d);
    createSliceTensor(graph, t, shape, shape, 3, d),
        createSliceTensor(graph, type, shape, shape, shape, 3, plan, o, d),
        createGroupedSliceTensor(graph, type, 2, shape, shape, shape, 3, plan, o, d);
    createIndicesTensor(graph, shape, 3, plan, o, d),
        createGroupedIndicesTensor(graph, 2, shape, 3, plan, o, d),
        createSliceableTensorFromSlice(graph, t, shape, shape, d);
    dynamicSlice(graph, t, t, shape, shape, prog, d, o),
        createDynamicSliceOutput(graph, t, t, shape, shape, d, o),
        dynamicSliceWithOutput(graph, t, t, t, shape, shape, prog, d, o),
        dynamicUpdate(graph, t, t, t, shape, shape, prog, d, o);
    map = getSliceMapping(graph, t, shape, shape);
    multiSlice(graph, t, t, shape, shape, prog, plan, o, d),
        multiSlice(graph, t, constant, 0, prog, d, o),
        multiUpdate(graph, t, t, t, shape, shape, prog, plan, o, d);
    multiUpdateAdd(graph, t, t, t, t, shape, shape, prog, plan, o, d),
        multiUpdateAdd(graph, t, t, constant, t, 0, prog, d, o),
        multiUpdateMax(graph, t, t, t, shape, shape, prog, plan, o, d),
        multiUpdateMul(graph, t, t, t, shape, shape, prog, plan, o, d);
    groupedMultiSlice(graph, t, t, shape, shape, prog, plan, o, d),
        groupedMultiUpdate(graph, t, t, t, shape, shape, prog, plan, o, d),
        groupedMultiUpdateAdd(graph, t, t, t, t, shape, shape, prog, plan, o, d);
    groupedMultiUpdateMax(graph, t, t, t, shape, shape, prog, plan, o, d),
        groupedMultiUpdateMul(graph, t, t, t, shape, shape, prog, plan, o, d);
    if (plan == grouped || plan != plans[0] || plan < grouped)
      std::cout << plan;
  }
  void restOfPopops(std::vector<std::ptrdiff_t> pads, std::vector<Copy> copies) {
    using namespace popops;
    popops::addCodelets(graph), poplin::addCodelets(graph);
    cast(graph, t, type, prog, d), cast(graph, t, type, t, prog, d),
        castWithOutput(graph, t, t, prog, d);
    Program casting = cast(graph, t, t, d);
    cast(graph, t, t, cs), cast(graph, t, type, cs, d), cast(graph, t, type, t, cs, d),
        popops::checkAccuracyWhenCast(graph, t, HALF, 0.1, prog, d);
    zero(graph, t, prog, d), zero(graph, t, regions, 0u, cs), zero(graph, t, 0u, cs),
        zero(graph, t, map, cs);
    fill(graph, t, prog, 1.f, d), fill(graph, t, regions, 0u, cs, 1), fill(graph, t, 0u, cs, 1u),
        fill(graph, t, map, cs, true);
    allTrue(graph, t, prog, d), hasNaN(graph, t, prog, d), hasNaNOrInf(graph, t, prog, d);
    scaledAddTo(graph, t, t, 1.f, prog, d, o), scaledAddTo(graph, t, t, t, prog, d, o),
        scaledSubtractFrom(graph, t, t, 1.f, prog, d, o),
        scaledSubtractFrom(graph, t, t, t, prog, d, o);
    scaledAddTo(graph, t, t, t, t, prog, d, o), scaledAddTo(graph, t, 1.f, t, 1.f, prog, d, o),
        scaledAddTo(graph, t, t, t, t, prog, ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY, d, o),
        scaledAddTo(graph, t, 1.f, t, 1.f, prog, ScaledAddSpecialisation::DEFAULT, d, o);
    scaledSubtractFrom(graph, t, t, t, t, prog, d, o),
        scaledSubtractFrom(graph, t, 1.f, t, 1.f, prog, d, o);
    encodeOneHot(graph, t, t, prog, d), encodeOneHot(graph, t, t, prog, t, t, d),
        iota(graph, t, 0u, prog, d), iota(graph, t, 0, prog, d);
    GatherParams gatherParams;
    gatherParams.maxElementsPerTile = MASKED_LABEL_CODE;
    createGatherInput(graph, type, shape, 0u, gatherParams, d),
        gather(graph, t, t, 0, prog, gatherParams, d, o),
        createGatherInput(graph, type, shape, shape, dims, d),
        gather(graph, t, t, std::size_t(0), shape, shape, shape, dims, prog, d, o);
    UpdateComputationFunc update = [](Graph &, Tensor &a, Tensor &, Sequence &) { return a; };
    scatter(graph, t, t, t, std::size_t(0), dims, shape, dims, prog, d, o),
        scatter(graph, t, t, t, std::size_t(0), dims, shape, dims, update, prog, d, o);
    Sequence loop = countedLoop(
                 graph, 0, 4, 1, [&](const Tensor &) { return Program(); }, d),
             loop2 = countedLoop(
                 graph, 4, [&](const Tensor &) { return Program(); }, d);
    Sequence loop3 = countedForLoop(graph, t, 0, t, 1, loop, d),
             loop4 = countedForLoop(graph, 0, t, 1, loop2, d);
    Tensor goesOn = addForLoopCounterVertex(graph, t, t, 1, 0u, prog, d);
    using padding::MappingMethod;
    pad(graph, t, pads, pads), pad(graph, t, pads, pads, 1.f, MappingMethod::NONE),
        pad(graph, t, pads, pads, 1, MappingMethod::EDGE),
        pad(graph, t, pads, pads, t, MappingMethod::ZERO), pad(graph, t, 1, 1, 0u, 1.f),
        pad(graph, t, 1, 1, 0u, 1), pad(graph, t, 1, 1, 0u, t),
        pad(t, pads, pads, padding::Type::EDGE), pad(t, 1, 1, 0u, padding::Type::REFLECT);
    TopKParams topKParams(3, true, SortOrder::NONE, true);
    createTopKInput(graph, type, shape, topKParams, d), topK(graph, prog, t, topKParams, d),
        topKKeyValue(graph, prog, t, t, topKParams, d),
        topKWithPermutation(graph, prog, t, topKParams, d);
    popops::sort(graph, t, 0, prog, d), sortInPlace(graph, t, 0, prog, d),
        sortKeyValue(graph, t, t, 0, prog, d), sortKeyValueInPlace(graph, t, t, 0, prog, d);
    sequenceSlice(graph, t, t, t, t, t, true, prog, d), selectScalarFromRows(graph, t, t, prog, d),
        updateScalarInRows(graph, t, t, prog, d);
    histogram(graph, t, t, true, prog, d, o), histogram(graph, t, t, true, t, true, prog, d, o);
    createHostSliceableTensor(graph, type, shape, true, d).indices,
        createHostSliceableTensor(graph, type, shape, true, 1, d).tensor,
        createHostTransferableTensor(graph, type, shape, true, d),
        createHostTransferableTensor(graph, type, shape, true, 1, d);
    using namespace popops::rearrange;
    canUseFastTranspose(target, type, 4, 4, 2), partialTranspose(graph, t, cs, d),
        getMinimumRegroupGrainSize(type), regroupTensor(graph, t, copies, cs, {0, 4}, {1, 4}, d),
        regroupTensor(graph, t, prog, cs, {0, 4}, {1, 4}, d);
    addTransposeVertices(
        graph, cs, type, 4, 4, map, [&](std::size_t) { return std::make_pair(t, t); }, d);
    regroupIfPossible(graph, t, prog, {0, 4}, d), regroupIfBeneficial(graph, t, t, prog, d),
        regroupIfBeneficial(graph, t, t, copies, cs, d), regroupIfBeneficial(graph, t, 8, prog, d);
    createNormaliseImageInput(graph, type, shape, d), normaliseImage(graph, prog, t, 1.f, t, t, d);
    CircBuf buffer(graph, type, 4, shape, d);
    buffer.prev(1, prog, d), buffer.add(t, prog, d), buffer.getIndex(), buffer.size(),
        buffer.getTileMapping();
    splineBasis(graph, t, t, t, t, t, 1, prog, d), splineWeighting(graph, t, t, t, t, prog, d);
  }

  void convolutions() {
    using namespace poplin;
    ConvParams p, p2(type, 1, shape, shape, 1, 1, 1), p3(type, type, 1, shape, shape, 1, 1, 1),
        p4(type, type, 1, shape, shape, 1, 1, 1, ConvParams::InputTransform(2),
           ConvParams::InputTransform(), ConvParams::OutputTransform(2));
    p.getUntransformedOutputSize(0), p.getOutputSize(0), p.getOutputFieldShape(),
        p.getNumOutputChansPerConvGroup(), p.getNumOutputChans(), p.getInputSize(0),
        p.getNumInputChansPerConvGroup(), p.getNumInputChans(), p.getNumConvGroups(),
        p.getNumFieldDims(), p.getInputFieldShape(), p.getKernelShape(), p.getBatchSize(),
        p.getTruncatedInputSize(0), p.getTruncatedKernelSize(0), p.getTransformedInputSize(0),
        p.getTransformedKernelSize(0), p.validate(), p.canonicalize();
    std::cout << p << (p == p2) << (p != p3) << (p < p4) << hash_value(p)
              << std::hash<ConvParams>()(p);
    std::cin >> p;
    PlanningCache cache;
    createInput(graph, p, d, o, &cache), createWeights(graph, p, d, o, &cache),
        createConvOutput(graph, p, d, o, &cache), createBiases(graph, t, d), createBiases(graph, t),
        createBiases(graph, t, p, d, o, &cache);
    convolution(graph, t, t, p, false, prog, d, o, &cache),
        convolutionWithOutput(graph, t, t, t, p, false, prog, d, o, &cache),
        weightsTransposeChansFlipXY(graph, t, t, prog, d, o),
        calculateWeightDeltas(graph, t, t, p, prog, d, o, &cache);
    convolutionWeightUpdate(graph, t, t, t, p, t, prog, d, o, &cache),
        convolutionWeightUpdate(graph, t, t, t, p, 1.f, prog, d, o, &cache),
        convolutionBiasUpdate(graph, t, t, t, o, prog, d),
        convolutionBiasUpdate(graph, t, t, 1.f, o, prog, d), addBias(graph, t, t, prog, d),
        fullyConnectedWeightTranspose(graph, t, p, prog, d, o, &cache);
    getFwdFlops(p), getBwdFlops(p), getWuFlops(p), getFwdPerfectCycleCount(constGraph, p),
        getBwdPerfectCycleCount(constGraph, p), getWuPerfectCycleCount(constGraph, p);
    reportPlanInfo(std::cout, constGraph, p, o, &cache),
        reportWeightUpdatePlanInfo(std::cout, constGraph, p, o, &cache);
    PlanCosts costs = reportPlanEstimatedCosts(constGraph, p, o, &cache),
              total = reportDetailedPlanEstimatedCosts(constGraph, p, o, &cache).total;
    costs.cycles = total.memory == PlanCosts::unknown;
    std::set<ConvPlanParams> convs{ConvPlanParams(&target, p, &o)};
    std::set<MatMulPlanParams> matmuls{
        MatMulPlanParams(&target, MatMulParams{type, type, shape, shape}, &o)};
    preplanConvolutions(convs, cache), preplanConvolutions(graph, convs, cache),
        preplan(convs, matmuls, cache), convolutionValidateOptions(o), cache.size();
    getDilatedSize(1, 2), getInputIndex(0, 1, 2, p), getKernelIndex(0, 1, 2, p),
        getOutputRangeForKernelIndex(0, {0, 1}, 0, p), getOutputRangeForInputIndex(0, {0, 1}, 0, p),
        getOutputRangeForKernelRange(0, {0, 1}, {0, 1}, p),
        getOutputRangeForInputRange(0, {0, 1}, {0, 1}, p), getInputRange(0, {0, 1}, {0, 1}, p),
        getKernelRange(0, {0, 1}, {0, 1}, p);
    p = getGradientParams(p), p = getWeightUpdateParams(p);

    matmul::PlanningCache m;
    matMul(graph, t, t, prog, type, d, o, &m), matMul(graph, t, t, prog, d, o, &m),
        matMulGrouped(graph, t, t, prog, type, d, o, &m),
        matMulWithOutput(graph, t, t, t, prog, d, o, &m),
        matMulGroupedWithOutput(graph, t, t, t, prog, d, o, &m);
    matMulAcc(graph, t, 1.f, t, t, prog, d, o, &m), matMulAcc(graph, t, t, t, t, prog, d, o, &m),
        matMulGroupedAcc(graph, t, 1.f, t, t, prog, d, o, &m),
        matMulGroupedAcc(graph, t, t, t, t, prog, d, o, &m);
    createMatMulInputLHS(graph, type, shape, shape, d, o, &m),
        createMatMulInputLHS(graph, type, type, shape, shape, d, o, &m),
        createMatMulInputRHS(graph, type, shape, shape, d, o, &m),
        createMatMulInputRHS(graph, type, type, shape, shape, d, o, &m),
        createMatMulGroupedInputLHS(graph, type, type, shape, shape, d, o, &m),
        createMatMulGroupedInputRHS(graph, type, type, shape, shape, d, o, &m),
        createMatMulOutput(graph, type, type, shape, shape, d, o, &m),
        createMatMulGroupedOutput(graph, type, type, shape, shape, d, o, &m);
    preArrangeMatMulInputRHS(graph, shape, t, prog, type, d, o, &m),
        preArrangeMatMulInputRHS(graph, shape, t, prog, d, o, &m),
        preArrangeMatMulGroupedInputRHS(graph, shape, t, prog, type, d, o, &m),
        transposeGroupedMatrix(t);
    matMulReportPlan(std::cout, constGraph, type, type, shape, shape, o, &m),
        matMulGroupedReportPlan(std::cout, constGraph, type, type, shape, shape, o, &m),
        preplanMatMuls(matmuls, m), matmulValidateOptions(o);
    MatMulToConvOptions kept;
    convs = matMulGetConvPlanParams(matmuls, kept);
  }
  void restOfPoplin(poplin::PlanningCache *c) {
    using namespace poplin;
    std::vector<multiconv::CreateTensorArgs> create{{ConvParams(), o, "name"}};
    multiconv::createWeights(graph, create, 0, o, c),
        multiconv::createInput(graph, create, 0, o, c);
    std::vector<multiconv::ConvolutionArgs> convs{{t, t, ConvParams(), o}};
    std::vector<multiconv::CalculateWeightDeltasArgs> deltas{{t, t, ConvParams(), o}};
    std::vector<multiconv::ConvWeightUpdateArgs> updates{{t, t, t, t, ConvParams(), o}};
    std::vector<multiconv::ConvWeightUpdateArgsScalar> scaled{{t, t, t, 1.f, ConvParams(), o}};
    ts = multiconv::convolution(graph, convs, false, prog, d, o, c),
    multiconv::weightsTransposeChansFlipXY(graph, convs, ts, prog, o, d, c),
    ts = multiconv::calculateWeightDeltas(graph, deltas, prog, d, o, c),
    multiconv::convolutionWeightUpdate(graph, updates, prog, d, o, c),
    multiconv::convolutionWeightUpdate(graph, scaled, prog, d, o, c);
    DistributedNormReduceCallback callback = [](Graph &, const std::vector<Tensor> &in, Sequence &,
                                                unsigned, const DebugContext &,
                                                const OptionFlags &) { return in; };
    createNormGamma(graph, t, d), createNormGamma(graph, t, type, d), createNormBeta(graph, t, d),
        createNormBeta(graph, t, type, d), createNormParams(graph, t, d);
    std::pair<Tensor, Tensor> two = normStatistics(graph, t, 1e-5f, prog, true, false, FLOAT, d);
    two = distributedNormStatistics(graph, t, 1e-5f, prog, true, callback, 4, false, FLOAT, d),
    normWhiten(graph, t, t, t, prog, d), normalise(graph, t, t, t, prog, d),
    two = normParamGradients(graph, t, t, prog, FLOAT, d), normGradients(graph, t, t, prog, d),
    normStatisticsGradients(graph, t, t, t, prog, FLOAT, d),
    distributedNormStatisticsGradients(graph, t, t, t, prog, callback, 4, FLOAT, d);
    createTriangularSolveInputLHS(graph, type, type, shape, shape, true, d, o),
        createTriangularSolveInputRHS(graph, type, type, shape, shape, true, d, o),
        triangularMask(graph, t, true, true, prog, d),
        triangularSolve(graph, t, t, true, true, true, prog, d, o);
    createCholeskyInput(graph, type, shape, true, d, o), cholesky(graph, t, true, prog, d, o),
        choleskyInPlace(graph, t, true, prog, d, o);
    two = poplin::experimental::LUFactorization(graph, t, prog, d);
    std::array<Tensor, 2> qr =
        poplin::experimental::createQRFactorizationMatrices(graph, type, 4, 4, d);
    poplin::experimental::QRFactorization(graph, qr[0], qr[1], prog, d, o),
        linspace(graph, type, 0.f, 1.f, 4, d), meshgrid2d(graph, t, t);
    fc::FullyConnectedParams fcParams;
    fcParams.numGroups = fcParams.batchSize = fcParams.inputSize = fcParams.outputSize = 4;
    fc::getMatMulPrePlanParameters(fcParams, o, type, true);
  }
};
