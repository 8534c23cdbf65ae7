// SPDX-License-Identifier: MIT
// What the files of the LSTM share: options, plans.
#pragma once
#include "openipu/Plan.hpp"
#include "popnn/kernels/Lstm.hpp"
#include "popnn/Lstm.hpp"
#include "rnn/Layer.hpp"

namespace popnn::lstm {

using kernels::Recomputation;

struct Options : rnn::LayerOptions {
  bool preCalcWeights = false, disableInterleaving = false;
  Recomputation recomputation = Recomputation::None;
  poplar::Type accumulators;
  std::size_t stepsPerUpdate = 1;
};
Options parseOptions(const poplar::OptionFlags &options, const poplar::Type &dataType);

kernels::LstmOf shapeOf(const LstmParams &params, const Options &options);

openipu::Plan forwardPlan(const poplar::Target &target, const LstmParams &params,
                          const Options &options, bool keepsIntermediates,
                          poplin::PlanningCache *cache);
openipu::Plan backwardPlan(const poplar::Target &target, const LstmParams &params,
                           const Options &options, bool inputGradients, bool keepsGateGradients,
                           bool updatesWeights, poplin::PlanningCache *cache);
openipu::Plan updatePlan(const poplar::Target &target, const LstmParams &params,
                         const Options &options, poplin::PlanningCache *cache);

// The product of one step, and where its weights lie: [in + out] x [4 out], or [out] x [4 out] if
// the input's part is done beforehand.
std::size_t stepDepth(const LstmParams &params, const Options &options);

} // namespace popnn::lstm
