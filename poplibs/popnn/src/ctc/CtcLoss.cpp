// SPDX-License-Identifier: MIT
// The CTC loss: checks, options and call.
#include "popnn/CTCLoss.hpp"
#include "base/Text.hpp"
#include "ctc/CtcPlan.hpp"
#include "openipu/Operation.hpp"
#include "popnn/kernels/CtcLoss.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/OptionParsing.hpp"
#include "poputil/TileMapping.hpp"

namespace popnn::ctc {

using openipu::in;
using openipu::out;
using poplar::Tensor;

namespace {

using Settings = kernels::CtcLossOf;

Settings parse(const poplar::OptionFlags &options) {
  Settings s{.blank = 0,
             .logits = false,
             .includeSoftmax = true,
             .zeroInfinity = false,
             .gradient = true,
             .tolerance = 0.01};
  using poplibs::OptionHandler;
  const poplibs::OptionSpec spec{
      {"includeSoftmaxGradient", OptionHandler::createWithBool(s.includeSoftmax)},
      {"zeroInfinity", OptionHandler::createWithBool(s.zeroInfinity)},
      {"zeroInfinityRelTolerance",
       OptionHandler::createWithDouble(s.tolerance, 0., true, 1., false)}};
  for (const auto &[name, value] : options)
    spec.parse(name, value);
  return s;
}

void check(const char *function, const Plan::Impl &p, const poplar::Type &outType,
           const Tensor &data, const Tensor &labels, const Tensor &dataLengths,
           const Tensor &labelLengths, unsigned blank) {
  checkKind(function, p, false);
  checkData(function, p, data);
  checkLengths(function, "dataLengths", dataLengths, p.batch);
  checkLengths(function, "labelLengths", labelLengths, p.batch);
  const auto type = labels.elementType();
  const bool integer =
      type == poplar::UNSIGNED_INT || type == poplar::INT || type == poplar::UNSIGNED_SHORT;
  if (!integer || labels.shape() != std::vector<std::size_t>{p.batch, p.labels})
    throw poputil::poplibs_error(base::str(function, ": labels are ", type, " ",
                                           base::list(labels.shape()), " but must be integers [",
                                           p.batch, ",", p.labels, "]."));
  if (outType != p.out)
    throw poputil::poplibs_error(base::str(function, ": the output type is ", outType,
                                           " but the plan was made for ", p.out, "."));
  if (blank >= p.classes)
    throw poputil::poplibs_error(base::str(function, ": the blank class ", blank,
                                           " is not one of the ", p.classes, " classes."));
}

std::pair<Tensor, Tensor> addLoss(const char *function, poplar::Graph &graph,
                                  const poplar::Type &outType, const Tensor &data,
                                  const Tensor &labels, const Tensor &dataLengths,
                                  const Tensor &labelLengths, poplar::program::Sequence &prog,
                                  unsigned blank, const Plan &plan, bool logits, bool gradient,
                                  const poplar::DebugContext &debugContext,
                                  const poplar::OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 {{"data", poputil::toProfileValue(data)},
                                  {"labels", poputil::toProfileValue(labels)},
                                  {"options", poputil::toProfileValue(options)}},
                                 function);
  const auto &p = plan.getImpl();
  check(function, p, outType, data, labels, dataLengths, labelLengths, blank);
  auto set = parse(options);
  set.blank = blank;
  set.logits = logits;
  set.gradient = gradient;
  auto loss = graph.addVariable(outType, {p.batch}, {di, "loss"});
  poputil::mapTensorLinearly(graph, loss);
  std::pair<Tensor, Tensor> result{loss, Tensor()};
  std::vector<openipu::Used> uses{out(loss)};
  if (gradient) {
    result.second = graph.clone(outType, data, {di, "gradient"});
    uses.push_back(out(result.second));
  }
  for (const auto &t : {data, labels, dataLengths, labelLengths})
    uses.push_back(in(t));
  prog.add(openipu::operation(graph, {kernels::ctcLoss,
                                      uses,
                                      set.write(),
                                      lossSupersteps(graph.getTarget(), p, gradient, logits),
                                      {di, "ctcLoss"}}));
  return result;
}

} // namespace

std::pair<Tensor, Tensor> calcLossAndGradientLogProbabilities(
    poplar::Graph &graph, const poplar::Type &outType, const Tensor &logProbs, const Tensor &labels,
    const Tensor &dataLengths, const Tensor &labelLengths, poplar::program::Sequence &prog,
    unsigned blankClass, const Plan &plan, const poplar::DebugContext &debugContext,
    const poplar::OptionFlags &options) {
  return addLoss("ctc::calcLossAndGradientLogProbabilities", graph, outType, logProbs, labels,
                 dataLengths, labelLengths, prog, blankClass, plan, false, true, debugContext,
                 options);
}

std::pair<Tensor, Tensor> calcLossAndGradientLogits(
    poplar::Graph &graph, const poplar::Type &outType, const Tensor &logits, const Tensor &labels,
    const Tensor &dataLengths, const Tensor &labelLengths, poplar::program::Sequence &prog,
    unsigned blankClass, const Plan &plan, const poplar::DebugContext &debugContext,
    const poplar::OptionFlags &options) {
  return addLoss("ctc::calcLossAndGradientLogits", graph, outType, logits, labels, dataLengths,
                 labelLengths, prog, blankClass, plan, true, true, debugContext, options);
}

Tensor calcCTCLossLogProbabilities(poplar::Graph &graph, const poplar::Type &outType,
                                   const Tensor &logProbs, const Tensor &labels,
                                   const Tensor &dataLengths, const Tensor &labelLengths,
                                   poplar::program::Sequence &prog, unsigned blankClass,
                                   const Plan &plan, const poplar::DebugContext &debugContext,
                                   const poplar::OptionFlags &options) {
  return addLoss("ctc::calcCTCLossLogProbabilities", graph, outType, logProbs, labels, dataLengths,
                 labelLengths, prog, blankClass, plan, false, false, debugContext, options)
      .first;
}

Tensor calcCTCLossLogits(poplar::Graph &graph, const poplar::Type &outType, const Tensor &logits,
                         const Tensor &labels, const Tensor &dataLengths,
                         const Tensor &labelLengths, poplar::program::Sequence &prog,
                         unsigned blankClass, const Plan &plan,
                         const poplar::DebugContext &debugContext,
                         const poplar::OptionFlags &options) {
  return addLoss("ctc::calcCTCLossLogits", graph, outType, logits, labels, dataLengths,
                 labelLengths, prog, blankClass, plan, true, false, debugContext, options)
      .first;
}

} // namespace popnn::ctc
