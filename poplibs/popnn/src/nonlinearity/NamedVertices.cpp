// SPDX-License-Identifier: MIT
#include "popnn/NamedVertices.hpp"
#include "NonLinearityCost.hpp"
#include "popnn/codelets.hpp"
#include "popnn/NonLinearityDefUtil.hpp"

namespace popnn {

using namespace popops::named;
using poplar::VertexPerfEstimate;

namespace {

const char *const nonLinearitySource =
#include "../../codelets/NonLinearity.cpp"
    ;

void text(const Name &, Words &pieces) { pieces.push_back(nonLinearitySource); }

const std::string space = "popnn::NonLinearityType::";
constexpr auto last = NonLinearityType::SWISH; // those of single elements; then softmaxes

NonLinearityType functionOf(const Name &name) {
  unsigned i = 0;
  while (NonLinearityType(i) != last && name.arguments[1] != space + asString(NonLinearityType(i)))
    ++i;
  return NonLinearityType(i);
}

Words functions() {
  Words words;
  for (unsigned i = 0; i <= unsigned(last); ++i)
    words.push_back(space + asString(NonLinearityType(i)));
  return words;
}

// ---- cycles

bool hasFormula(const Name &name) { return functionOf(name) != NonLinearityType::HARD_SIGMOID; }

template <bool gradient> VertexPerfEstimate oneRegion(const Priced &v) {
  const auto function = functionOf(v.name);
  const auto n = v.size(gradient ? "inGrad" : "data");
  return {nonLinearityVertexCycles(v.chip(), function, v.type(0), n, gradient),
          n * nonLinearityFlops(function, gradient)};
}

template <bool gradient> VertexPerfEstimate manyRegions(const Priced &v) {
  const auto function = functionOf(v.name);
  const char *field = gradient ? "inGrad" : "data";
  return {nonLinearityWorkerCycles(v.chip(), function, v.type(0), v.sizes(field), gradient),
          v.total(field) * nonLinearityFlops(function, gradient)};
}

const std::vector<Refused> refused{
    {"MaxPooling", "Call popnn::pooling::pool."},
    {"SumPooling", "Call popnn::pooling::pool."},
    {"MaxPoolingGrad*", "Call popnn::pooling::poolInputGradient."},
    {"SelectiveScaling", "Call popnn::pooling::poolInputGradient."},
    {"LossCrossEntropyTransform", "Call popnn::calcLoss."},
    {"LossSumSquaredTransform", "Call popnn::calcLoss."},
    {"ReduceMaxClass*", "Call popnn::maxAndArgMax."},
    {"ReduceMinClass*", "Call popnn::minAndArgMin."},
    {"ReduceMaxNClass*", "Call popnn::topK."},
    {"CalcAccuracy", "Call popnn::calcAccuracy."},
    {"CTC*", "Call popnn::ctc::calcLossAndGradientLogits or "
             "popnn::ctc_infer::beamSearchDecoderLogits."},
    {"ROIAlignForward", "Call popnn::experimental::roiAlignFwd."},
    {"ROIAlignBackward", "Call popnn::experimental::roiAlignInputGradient."}};

} // namespace

const Library &namedVertices() {
  static const Library library(
      "popnn",
      {{"NonLinearity1D", "lk", text, oneRegion<false>, nullptr, hasFormula},
       {"NonLinearity1DInPlace", "lk", text, oneRegion<false>, nullptr, hasFormula},
       {"NonLinearity2D", "lk", text, manyRegions<false>, nullptr, hasFormula},
       {"NonLinearity2DInPlace", "lk", text, manyRegions<false>, nullptr, hasFormula},
       {"NonLinearityGrad1D", "lk", text, oneRegion<true>, nullptr, hasFormula},
       {"NonLinearityGrad2D", "lk", text, manyRegions<true>, nullptr, hasFormula}},
      refused, {{'k', functions()}});
  return library;
}

static std::string vertexSource(const std::string &name) { return namedVertices().source(name); }

void addCodelets(poplar::Graph &graph) { namedVertices().addTo(graph, vertexSource); }

} // namespace popnn
