// SPDX-License-Identifier: MIT
// Losses: loss and gradient of every row, and how many rows are right, in one pass.
//   cross entropy  loss = -log(p[label] + eps), delta = (y - onehot * s) * d / s, with p = y / s
//   sum of squares loss = sum((y / s - onehot)^2) / 2, delta likewise
// s is what the outputs carry (modelOutputScaling), d scales gradients. Tiles: labels encoded as
// rows, the transform, a reduction over classes; for accuracy the largest class of each row.
#include "popnn/Loss.hpp"
#include "base/Text.hpp"
#include "LossPlan.hpp"
#include "popnn/kernels/Loss.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"

namespace popnn {
namespace {

using poplar::Tensor;

[[noreturn]] void fail(const char *api, const char *what, const Tensor &t, const char *want,
                       const Tensor &modelOutputs) {
  throw poputil::poplibs_error(base::str(
      api, ": ", what, " is ", t.elementType(), base::list(t.shape()), " for model outputs ",
      modelOutputs.elementType(), base::list(modelOutputs.shape()), "; it must be ", want));
}

bool isLabel(const poplar::Type &type) {
  return type == poplar::UNSIGNED_INT || type == poplar::INT;
}

struct Arguments {
  Tensor modelOutputs, expected, loss, deltas, deltasScale, modelOutputScaling, numCorrect;
};

void check(const Arguments &a, const char *api) {
  const auto &y = a.modelOutputs;
  if (y.rank() != 2 || (y.elementType() != poplar::FLOAT && y.elementType() != poplar::HALF))
    fail(api, "modelOutputs", y, "FLOAT or HALF of [batch][classes]", y);
  if (a.expected.rank() != 1 || a.expected.dim(0) != y.dim(0) || !isLabel(a.expected.elementType()))
    fail(api, "expected", a.expected, "INT or UNSIGNED_INT of [batch]", y);
  if (a.loss.valid() &&
      (a.loss.rank() != 1 || a.loss.dim(0) != y.dim(0) || a.loss.elementType() != y.elementType()))
    fail(api, "loss", a.loss, "[batch] of the outputs' type", y);
  if (a.deltas.valid() &&
      (a.deltas.shape() != y.shape() || a.deltas.elementType() != y.elementType()))
    fail(api, "deltas", a.deltas, "of the same shape and type", y);
  for (const auto *scale : {&a.deltasScale, &a.modelOutputScaling})
    if (scale->valid() && (scale->numElements() != 1 || (scale->elementType() != poplar::FLOAT &&
                                                         scale->elementType() != poplar::HALF)))
      fail(api, scale == &a.deltasScale ? "deltasScale" : "modelOutputScaling", *scale,
           "one element, FLOAT or HALF", y);
  if (a.numCorrect.valid() &&
      (a.numCorrect.numElements() != 1 || !isLabel(a.numCorrect.elementType())))
    fail(api, "numCorrect", a.numCorrect, "one element, UNSIGNED_INT or INT", y);
}

poplar::program::Program build(poplar::Graph &graph, const Arguments &a, LossType type,
                               const poplar::DebugContext &context, const char *api) {
  check(a, api);
  std::vector<openipu::Used> uses;
  for (const auto *t : {&a.loss, &a.deltas})
    if (t->valid())
      uses.push_back(openipu::out(*t));
  if (a.numCorrect.valid())
    uses.push_back(openipu::inOut(a.numCorrect));
  LossOperands operands{unsigned(uses.size()), unsigned(uses.size()) + 1};
  uses.push_back(openipu::in(a.modelOutputs));
  uses.push_back(openipu::in(a.expected));
  for (const auto *t : {&a.deltasScale, &a.modelOutputScaling})
    if (t->valid())
      uses.push_back(openipu::in(*t));
  openipu::Plan plan;
  if (a.loss.valid())
    plan.append(lossPlan(graph, a.modelOutputs, a.loss, a.deltas, type, operands));
  if (a.numCorrect.valid())
    plan.append(accuracyPlan(graph, a.modelOutputs, a.numCorrect));
  const auto kind =
      type == SUM_SQUARED_LOSS ? kernels::LossKind::SumSquared : kernels::LossKind::CrossEntropy;
  const kernels::LossOf attributes{kind, a.loss.valid(), a.deltasScale.valid(),
                                   a.numCorrect.valid()};
  return openipu::operation(
      graph, {kernels::loss, std::move(uses), attributes.write(), std::move(plan), context});
}

} // namespace

poplar::program::Program calcLoss(poplar::Graph &graph, const Tensor &modelOutputs,
                                  const Tensor &expected, const Tensor &loss, const Tensor &deltas,
                                  const Tensor &deltasScale, const Tensor &modelOutputScaling,
                                  LossType lossType, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(modelOutputs, expected, loss, deltas,
                                                       deltasScale, modelOutputScaling, lossType));
  return build(graph,
               {modelOutputs, expected, loss, deltas, deltasScale, modelOutputScaling, Tensor()},
               lossType, {di, "calcLoss"}, "popnn::calcLoss");
}

poplar::program::Program calcLoss(poplar::Graph &graph, const Tensor &modelOutputs,
                                  const Tensor &expected, const Tensor &loss, const Tensor &deltas,
                                  LossType lossType, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(modelOutputs, expected, loss, deltas, lossType));
  return build(graph, {modelOutputs, expected, loss, deltas, Tensor(), Tensor(), Tensor()},
               lossType, {di, "calcLoss"}, "popnn::calcLoss");
}

poplar::program::Program calcLoss(poplar::Graph &graph, const Tensor &modelOutputs,
                                  const Tensor &expected, const Tensor &loss, const Tensor &deltas,
                                  const Tensor &deltasScale, const Tensor &modelOutputScaling,
                                  const Tensor &numCorrect, LossType lossType,
                                  const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(modelOutputs, expected, loss, deltas, deltasScale,
                                         modelOutputScaling, numCorrect, lossType));
  return build(graph,
               {modelOutputs, expected, loss, deltas, deltasScale, modelOutputScaling, numCorrect},
               lossType, {di, "calcLoss"}, "popnn::calcLoss");
}

poplar::program::Program calcLoss(poplar::Graph &graph, const Tensor &modelOutputs,
                                  const Tensor &expected, const Tensor &loss, const Tensor &deltas,
                                  const Tensor &numCorrect, LossType lossType,
                                  const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(
      debugContext, DI_ARGS(modelOutputs, expected, loss, deltas, numCorrect, lossType));
  return build(graph, {modelOutputs, expected, loss, deltas, Tensor(), Tensor(), numCorrect},
               lossType, {di, "calcLoss"}, "popnn::calcLoss");
}

poplar::program::Program calcAccuracy(poplar::Graph &graph, const Tensor &modelOutputs,
                                      const Tensor &expected, const Tensor &numCorrect,
                                      const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(modelOutputs, expected, numCorrect));
  Arguments arguments;
  arguments.modelOutputs = modelOutputs;
  arguments.expected = expected;
  arguments.numCorrect = numCorrect;
  return build(graph, arguments, CROSS_ENTROPY_LOSS, {di, "calcAccuracy"}, "popnn::calcAccuracy");
}

} // namespace popnn
