// SPDX-License-Identifier: MIT
// Matrix products. Device: the convolution with a field of one element that the planner found.
#include "poplin/MatMul.hpp"
#include "base/Text.hpp"
#include "epilogue/EpiloguePlan.hpp"
#include "matmul/MatMulOptions.hpp"
#include "matmul/Quarter.hpp"
#include "openipu/Operation.hpp"
#include "openipu/Placement.hpp"
#include "poplin/kernels/MatMul.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"

namespace poplin {
namespace {

using base::list;
using base::str;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using poputil::poplibs_error;
using Attributes = kernels::MatMulOf;
using Shape = std::vector<std::size_t>;

void checkType(const char *function, const char *what, Type type) {
  if (type != poplar::FLOAT && type != poplar::HALF && type != poplar::QUARTER)
    throw poplibs_error(str("poplin::", function, ": ", what, " is ", type,
                            ". Matrix products take float, half and quarter: cast it."));
}

void checkShapes(const char *function, const Shape &a, const Shape &b, std::size_t rank) {
  if (a.size() != rank || b.size() != rank)
    throw poplibs_error(str("poplin::", function, ": operands of shape ", list(a), " and ", list(b),
                            " where both must have ", rank, " dimensions",
                            rank == 3 ? " [group][row][column]." : " [row][column]."));
  if (a[rank - 1] != b[rank - 2])
    throw poplibs_error(str("poplin::", function, ": the inner dimensions of ", list(a), " and ",
                            list(b), " differ: ", a[rank - 1], " columns meet ", b[rank - 2],
                            " rows. Transpose an operand?"));
  if (rank == 3 && a[0] != b[0])
    throw poplibs_error(str("poplin::", function, ": ", a[0], " groups in ", list(a), " and ", b[0],
                            " in ", list(b), "."));
}

Shape grouped(const Shape &shape) { return {1, shape[0], shape[1]}; }

// One product [g][m][k] x [g][k][n], and its plan.
struct Product {
  const char *function;
  Graph &graph;
  ConvParams params;
  ConvOptions options;
  bool empty, preArranged;
  ConvPlan plan;

  Product(const char *function, Graph &graph, Type in, Type out, const Shape &a, const Shape &b,
          const OptionFlags &flags, PlanningCache *cache)
      : function(function), graph(graph),
        params(convParams(in, quarterOutput(function, in, out), a, b)),
        options(parseConvOptions(convFlags(flags))), empty(a[0] * a[1] * a[2] * b[2] == 0),
        preArranged(isPreArranged(flags)) {
    checkType(function, "the input type", in);
    checkType(function, "the output type", out);
    if (params.outputType == poplar::QUARTER)
      throw poplibs_error(
          str("poplin::", function, ": ", in, " operands do not give quarter. Cast the result."));
    if (!empty)
      plan = planConvolution(graph.getTarget(), params, options, cache);
  }

  // The convolution's tensors as views of a product's.
  static Tensor asInput(const Tensor &a) { // [g][m][k] -> [m][g * k][1]
    return a.dimShuffle({1, 0, 2}).reshape({a.dim(1), a.dim(0) * a.dim(2), 1});
  }
  static Tensor asWeights(const Tensor &b) { return b.dimShuffle({0, 2, 1}).expand({3}); }

  Tensor variable(Type type, const Shape &shape, const poplar::DebugContext &context) const {
    if (empty)
      return graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, context);
    return graph.addVariable(type, shape, context);
  }
  Tensor makeLeft(const poplar::DebugContext &context) const {
    auto t = variable(params.inputType,
                      {params.numConvGroups, params.batchSize, params.inputChannelsPerConvGroup},
                      context);
    if (!empty)
      mapInput(graph, asInput(t), params, plan);
    return t;
  }
  Tensor makeRight(const poplar::DebugContext &context) const {
    auto t = variable(
        params.inputType,
        {params.numConvGroups, params.inputChannelsPerConvGroup, params.outputChannelsPerConvGroup},
        context);
    if (!empty)
      mapWeights(graph, asWeights(t), params, plan);
    return t;
  }
  Tensor makeOutput(const poplar::DebugContext &context) const {
    auto t = variable(params.outputType,
                      {params.numConvGroups, params.batchSize, params.outputChannelsPerConvGroup},
                      context);
    if (!empty)
      mapOutput(graph, asInput(t), params, plan);
    return t;
  }

  openipu::Plan steps() const {
    if (empty)
      return {};
    auto all = supersteps(graph.getTarget(), params, options, plan);
    if (preArranged) // the caller has paid for it with preArrangeMatMulInputRHS
      std::erase_if(all.steps, [](const auto &step) { return step.name == "RegroupWeights"; });
    return all;
  }

  void multiply(const Tensor &a, const Tensor &b, openipu::Used c, Attributes attributes,
                const Tensor *scale, Sequence &prog, const poplar::DebugContext &context,
                const Extras &extras = {}) const {
    std::vector<openipu::Used> uses{c, openipu::in(a), openipu::in(b)};
    if (scale)
      uses.push_back(openipu::in(scale->flatten()));
    if (c.tensor.numElements() == 0)
      return;
    auto plan = steps();
    extras.addTo(plan, graph, c.tensor, unsigned(uses.size()), c.tensor.dim(2));
    for (const auto &t : extras.tensors)
      uses.push_back(openipu::in(t));
    attributes.activation = extras.activation;
    attributes.nearest = roundsToNearest(options, this->plan);
    const auto kernel = quarterUses(graph, kernels::matMul, uses, plan);
    prog.add(
        openipu::operation(graph, {kernel, uses, attributes.write(), std::move(plan), context}));
  }
};

void checkOutput(const char *function, const Shape &a, const Shape &b, const Tensor &out) {
  Shape expected = a;
  expected.back() = b.back();
  if (out.shape() != expected)
    throw poplibs_error(str("poplin::", function, ": the output has shape ", list(out.shape()),
                            ", the product of ", list(a), " and ", list(b), " has ", list(expected),
                            "."));
}

void checkOperands(const char *function, const Tensor &a, const Tensor &b, std::size_t rank) {
  checkShapes(function, a.shape(), b.shape(), rank);
  if (a.elementType() != b.elementType())
    throw poplibs_error(str("poplin::", function, ": A is ", a.elementType(), " and B is ",
                            b.elementType(), ". Cast one of them."));
}

Tensor multiplyNew(const char *function, Graph &graph, const Tensor &a, const Tensor &b,
                   Sequence &prog, Type outputType, const openipu::Epilogue &epilogue,
                   const poplar::DebugContext &context, const OptionFlags &options,
                   PlanningCache *cache) {
  Product p(function, graph, a.elementType(), outputType, a.shape(), b.shape(), options, cache);
  auto c = p.makeOutput({context, "out"});
  auto extras = extrasOf(function, epilogue, c, {c.dim(0), 1, c.dim(2)});
  p.multiply(a, b, openipu::out(c), {}, nullptr, prog, context, extras);
  return c;
}

void multiplyInto(const char *function, Graph &graph, const Tensor &a, const Tensor &b,
                  openipu::Used c, Attributes attributes, const Tensor *scale, Sequence &prog,
                  const poplar::DebugContext &context, const OptionFlags &options,
                  PlanningCache *cache) {
  checkOutput(function, a.shape(), b.shape(), c.tensor);
  const auto scaleType = a.elementType() == poplar::QUARTER ? poplar::HALF : a.elementType();
  if (scale && (scale->numElements() != 1 || scale->elementType() != scaleType))
    throw poplibs_error(str("poplin::", function, ": the scale has shape ", list(scale->shape()),
                            " and type ", scale->elementType(), ". It must be one element of type ",
                            scaleType, "."));
  Product p(function, graph, a.elementType(), c.tensor.elementType(), a.shape(), b.shape(), options,
            cache);
  using openipu::Overlap;
  if (openipu::overlap(a, c.tensor) == Overlap::None &&
      openipu::overlap(b, c.tensor) == Overlap::None)
    return p.multiply(a, b, c, attributes, scale, prog, context);
  // The output lies on an operand: computed aside, then copied there.
  const auto target = c.tensor;
  c.tensor = p.makeOutput({context, "aside"});
  if (attributes.accumulate)
    prog.add(poplar::program::Copy(target, c.tensor, false, {context, "aside"}));
  p.multiply(a, b, c, attributes, scale, prog, context);
  prog.add(poplar::program::Copy(c.tensor, target, false, {context, "out"}));
}

Product shapesOnly(const char *function, Graph &graph, Type in, Type out, const Shape &a,
                   const Shape &b, std::size_t rank, const OptionFlags &options,
                   PlanningCache *cache) {
  checkShapes(function, a, b, rank);
  return Product(function, graph, in, out, rank == 2 ? grouped(a) : a, rank == 2 ? grouped(b) : b,
                 options, cache);
}

void report(const char *function, std::ostream &out, const Graph &graph, Type inputType,
            Type outputType, const Shape &a, const Shape &b, const OptionFlags &options,
            PlanningCache *cache) {
  checkType(function, "the input type", inputType);
  checkType(function, "the output type", outputType);
  auto params = convParams(inputType, quarterOutput(function, inputType, outputType), a, b);
  print(out, params,
        planConvolution(graph.getTarget(), params, parseConvOptions(convFlags(options)), cache));
}

} // namespace

Tensor matMul(Graph &graph, const Tensor &A, const Tensor &B, Sequence &prog,
              const Type &outputType, const poplar::DebugContext &debugContext,
              const OptionFlags &options, PlanningCache *cache) {
  return openipu::matMul(graph, A, B, outputType, {}, prog, debugContext, options, cache);
}

Tensor matMul(Graph &graph, const Tensor &A, const Tensor &B, Sequence &prog,
              const poplar::DebugContext &debugContext, const OptionFlags &options,
              PlanningCache *cache) {
  return matMul(graph, A, B, prog, A.elementType(), debugContext, options, cache);
}

Tensor matMulGrouped(Graph &graph, const Tensor &A, const Tensor &B, Sequence &prog,
                     const Type &outputType, const poplar::DebugContext &debugContext,
                     const OptionFlags &options, PlanningCache *cache) {
  return openipu::matMulGrouped(graph, A, B, outputType, {}, prog, debugContext, options, cache);
}

void matMulWithOutput(Graph &graph, const Tensor &A, const Tensor &B, Tensor &out, Sequence &prog,
                      const poplar::DebugContext &debugContext, const OptionFlags &options,
                      PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, B, out, options));
  checkOperands("matMulWithOutput", A, B, 2);
  checkOutput("matMulWithOutput", A.shape(), B.shape(), out);
  multiplyInto("matMulWithOutput", graph, A.expand({0}), B.expand({0}),
               openipu::out(out.expand({0})), {}, nullptr, prog, {di}, options, cache);
}

void matMulGroupedWithOutput(Graph &graph, const Tensor &A, const Tensor &B, Tensor &out,
                             Sequence &prog, const poplar::DebugContext &debugContext,
                             const OptionFlags &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, B, out, options));
  checkOperands("matMulGroupedWithOutput", A, B, 3);
  multiplyInto("matMulGroupedWithOutput", graph, A, B, openipu::out(out), {}, nullptr, prog, {di},
               options, cache);
}

void matMulAcc(Graph &graph, const Tensor &C, float k, const Tensor &A, const Tensor &B,
               Sequence &prog, const poplar::DebugContext &debugContext, const OptionFlags &options,
               PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(C, k, A, B, options));
  checkOperands("matMulAcc", A, B, 2);
  checkOutput("matMulAcc", A.shape(), B.shape(), C);
  multiplyInto("matMulAcc", graph, A.expand({0}), B.expand({0}), openipu::inOut(C.expand({0})),
               {true, false, k}, nullptr, prog, {di}, options, cache);
}

void matMulAcc(Graph &graph, const Tensor &C, const Tensor &k, const Tensor &A, const Tensor &B,
               Sequence &prog, const poplar::DebugContext &debugContext, const OptionFlags &options,
               PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(C, k, A, B, options));
  checkOperands("matMulAcc", A, B, 2);
  checkOutput("matMulAcc", A.shape(), B.shape(), C);
  multiplyInto("matMulAcc", graph, A.expand({0}), B.expand({0}), openipu::inOut(C.expand({0})),
               {true, true, 1}, &k, prog, {di}, options, cache);
}

void matMulGroupedAcc(Graph &graph, const Tensor &C, float k, const Tensor &A, const Tensor &B,
                      Sequence &prog, const poplar::DebugContext &debugContext,
                      const OptionFlags &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(C, k, A, B, options));
  checkOperands("matMulGroupedAcc", A, B, 3);
  multiplyInto("matMulGroupedAcc", graph, A, B, openipu::inOut(C), {true, false, k}, nullptr, prog,
               {di}, options, cache);
}

void matMulGroupedAcc(Graph &graph, const Tensor &C, const Tensor &k, const Tensor &A,
                      const Tensor &B, Sequence &prog, const poplar::DebugContext &debugContext,
                      const OptionFlags &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(C, k, A, B, options));
  checkOperands("matMulGroupedAcc", A, B, 3);
  multiplyInto("matMulGroupedAcc", graph, A, B, openipu::inOut(C), {true, true, 1}, &k, prog, {di},
               options, cache);
}

#define CREATE(function, make, rank, result)                                                       \
  Tensor function(Graph &graph, const Type &inputType, const Type &outputType,                     \
                  const Shape &aShape, const Shape &bShape,                                        \
                  const poplar::DebugContext &debugContext, const OptionFlags &options,            \
                  PlanningCache *cache) {                                                          \
    poputil::PoplibsOpDebugInfo di(debugContext,                                                   \
                                   DI_ARGS(inputType, outputType, aShape, bShape, options));       \
    auto t =                                                                                       \
        shapesOnly(#function, graph, inputType, outputType, aShape, bShape, rank, options, cache)  \
            .make({di});                                                                           \
    di.addOutput(t);                                                                               \
    return result;                                                                                 \
  }
#define CREATE_SAME_TYPE(function)                                                                 \
  Tensor function(Graph &graph, const Type &dataType, const Shape &aShape, const Shape &bShape,    \
                  const poplar::DebugContext &debugContext, const OptionFlags &options,            \
                  PlanningCache *cache) {                                                          \
    return function(graph, dataType, dataType, aShape, bShape, debugContext, options, cache);      \
  }
CREATE(createMatMulInputLHS, makeLeft, 2, t[0])
CREATE(createMatMulInputRHS, makeRight, 2, t[0])
CREATE(createMatMulOutput, makeOutput, 2, t[0])
CREATE(createMatMulGroupedInputLHS, makeLeft, 3, t)
CREATE(createMatMulGroupedInputRHS, makeRight, 3, t)
CREATE(createMatMulGroupedOutput, makeOutput, 3, t)
CREATE_SAME_TYPE(createMatMulInputLHS)
CREATE_SAME_TYPE(createMatMulInputRHS)
CREATE_SAME_TYPE(createMatMulOutput)
#undef CREATE
#undef CREATE_SAME_TYPE

Tensor preArrangeMatMulGroupedInputRHS(Graph &graph, const Shape &aShape, const Tensor &B,
                                       Sequence &prog, const Type &outputType,
                                       const poplar::DebugContext &debugContext,
                                       const OptionFlags &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(aShape, B, outputType, options));
  auto arranged = createMatMulGroupedInputRHS(graph, B.elementType(), outputType, aShape, B.shape(),
                                              {di, "preArranged"}, options, cache);
  prog.add(poplar::program::Copy(B, arranged, false, {di}));
  di.addOutput(arranged);
  return arranged;
}

Tensor preArrangeMatMulInputRHS(Graph &graph, const Shape &aShape, const Tensor &B, Sequence &prog,
                                const Type &outputType, const poplar::DebugContext &debugContext,
                                const OptionFlags &options, PlanningCache *cache) {
  checkShapes("preArrangeMatMulInputRHS", aShape, B.shape(), 2);
  return preArrangeMatMulGroupedInputRHS(graph, grouped(aShape), B.expand({0}), prog, outputType,
                                         debugContext, options, cache)[0];
}

Tensor preArrangeMatMulInputRHS(Graph &graph, const Shape &aShape, const Tensor &B, Sequence &prog,
                                const poplar::DebugContext &debugContext,
                                const OptionFlags &options, PlanningCache *cache) {
  return preArrangeMatMulInputRHS(graph, aShape, B, prog, B.elementType(), debugContext, options,
                                  cache);
}

Tensor transposeGroupedMatrix(const Tensor &A) {
  if (A.rank() != 3)
    throw poplibs_error(str("poplin::transposeGroupedMatrix: shape ", list(A.shape()),
                            " where [group][row][column] is needed."));
  return A.dimShuffle({0, 2, 1});
}

void matMulReportPlan(std::ostream &out, const Graph &graph, const Type &inputType,
                      const Type &outputType, const Shape &aShape, const Shape &bShape,
                      const OptionFlags &options, PlanningCache *cache) {
  checkShapes("matMulReportPlan", aShape, bShape, 2);
  report("matMulReportPlan", out, graph, inputType, outputType, grouped(aShape), grouped(bShape),
         options, cache);
}

void matMulGroupedReportPlan(std::ostream &out, const Graph &graph, const Type &inputType,
                             const Type &outputType, const Shape &aShape, const Shape &bShape,
                             const OptionFlags &options, PlanningCache *cache) {
  checkShapes("matMulGroupedReportPlan", aShape, bShape, 3);
  report("matMulGroupedReportPlan", out, graph, inputType, outputType, aShape, bShape, options,
         cache);
}

} // namespace poplin

namespace poplar::openipu {

using namespace poplin;

Tensor matMul(Graph &graph, const Tensor &A, const Tensor &B, const Type &outputType,
              const Epilogue &epilogue, Sequence &prog, const poplar::DebugContext &debugContext,
              const OptionFlags &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, B, outputType, options));
  checkOperands("matMul", A, B, 2);
  auto grouped = epilogue;
  if (grouped.addend)
    grouped.addend = grouped.addend->expand({0});
  auto c = multiplyNew("matMul", graph, A.expand({0}), B.expand({0}), prog, outputType, grouped,
                       {di}, options, cache)[0];
  di.addOutput(c);
  return c;
}

Tensor matMulGrouped(Graph &graph, const Tensor &A, const Tensor &B, const Type &outputType,
                     const Epilogue &epilogue, Sequence &prog,
                     const poplar::DebugContext &debugContext, const OptionFlags &options,
                     PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, B, outputType, options));
  checkOperands("matMulGrouped", A, B, 3);
  auto c =
      multiplyNew("matMulGrouped", graph, A, B, prog, outputType, epilogue, {di}, options, cache);
  di.addOutput(c);
  return c;
}

} // namespace poplar::openipu
