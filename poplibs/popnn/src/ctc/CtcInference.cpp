// SPDX-License-Identifier: MIT
// Beam search over label prefixes: checks, plan and call.
#include "popnn/CTCInference.hpp"
#include "base/Text.hpp"
#include "ctc/CtcPlan.hpp"
#include "openipu/Operation.hpp"
#include "popnn/kernels/CtcBeamSearch.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"

namespace popnn::ctc_infer {

using poplar::Tensor;

namespace {

void check(const char *function, const ctc::Plan::Impl &p, const Tensor &data,
           const Tensor &lengths, unsigned blank, unsigned width, unsigned top,
           const poplar::OptionFlags &options) {
  ctc::checkKind(function, p, true);
  ctc::checkData(function, p, data);
  ctc::checkLengths(function, "lengths", lengths, p.batch);
  if (blank >= p.classes)
    throw poputil::poplibs_error(base::str(function, ": the blank class ", blank,
                                           " is not one of the ", p.classes, " classes."));
  if (width != p.beams || !top || top > width)
    throw poputil::poplibs_error(base::str(function, ": ", top, " paths from ", width,
                                           " beams; the plan has ", p.beams,
                                           " beams, and there can be 1 to as many paths."));
  if (!options.empty())
    throw poplar::invalid_option("Unrecognised option '" + options.begin()->first + "'");
}

std::tuple<Tensor, Tensor, Tensor> addSearch(const char *function, poplar::Graph &graph,
                                             const Tensor &data, const Tensor &lengths,
                                             poplar::program::Sequence &prog, unsigned blank,
                                             unsigned width, unsigned top, const ctc::Plan &plan,
                                             bool logits, const poplar::DebugContext &debugContext,
                                             const poplar::OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(
      debugContext,
      {{"data", poputil::toProfileValue(data)}, {"options", poputil::toProfileValue(options)}},
      function);
  const auto &p = plan.getImpl();
  check(function, p, data, lengths, blank, width, top, options);
  auto probabilities = graph.addVariable(p.in, {p.batch, top}, {di, "probabilities"});
  auto found = graph.addVariable(poplar::UNSIGNED_INT, {p.batch, top}, {di, "lengths"});
  auto labels = graph.addVariable(poplar::UNSIGNED_INT, {p.batch, top, p.time}, {di, "labels"});
  for (const auto &t : {probabilities, found, labels})
    poputil::mapTensorLinearly(graph, t);
  prog.add(
      openipu::operation(graph, {kernels::ctcBeamSearch,
                                 {openipu::out(probabilities), openipu::out(found),
                                  openipu::out(labels), openipu::in(data), openipu::in(lengths)},
                                 kernels::CtcBeams{blank, width, logits}.write(),
                                 ctc::inferenceSupersteps(graph.getTarget(), p, top, logits),
                                 {di, "beamSearch"}}));
  return {probabilities, found, labels};
}

} // namespace

std::tuple<Tensor, Tensor, Tensor>
beamSearchDecoderLogProbabilities(poplar::Graph &graph, const Tensor &logProbs,
                                  const Tensor &lengths, poplar::program::Sequence &prog,
                                  unsigned blankClass, unsigned beamwidth, unsigned topPaths,
                                  const ctc::Plan &plan, const poplar::DebugContext &debugContext,
                                  const poplar::OptionFlags &options) {
  return addSearch("ctc_infer::beamSearchDecoderLogProbabilities", graph, logProbs, lengths, prog,
                   blankClass, beamwidth, topPaths, plan, false, debugContext, options);
}

std::tuple<Tensor, Tensor, Tensor>
beamSearchDecoderLogits(poplar::Graph &graph, const Tensor &logits, const Tensor &lengths,
                        poplar::program::Sequence &prog, unsigned blankClass, unsigned beamwidth,
                        unsigned topPaths, const ctc::Plan &plan,
                        const poplar::DebugContext &debugContext,
                        const poplar::OptionFlags &options) {
  return addSearch("ctc_infer::beamSearchDecoderLogits", graph, logits, lengths, prog, blankClass,
                   beamwidth, topPaths, plan, true, debugContext, options);
}

} // namespace popnn::ctc_infer
