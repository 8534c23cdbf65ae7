// SPDX-License-Identifier: MIT
// What the files of the LSTM share: options, attributes of the kernels, plans.
#pragma once
#include "lstm/LstmHost.hpp"
#include "openipu/Attributes.hpp"
#include "openipu/Plan.hpp"
#include "popnn/Lstm.hpp"
#include "rnn/Layer.hpp"

namespace popnn::lstm {

struct Options : rnn::LayerOptions {
  bool preCalcWeights = false, disableInterleaving = false;
  Recomputation recomputation = Recomputation::None;
  poplar::Type accumulators;
  std::size_t stepsPerUpdate = 1;
};
Options parseOptions(const poplar::OptionFlags &options, const poplar::Type &dataType);

Shape shapeOf(const LstmParams &params, const Options &options);
void write(openipu::AttributeWriter &writer, const Shape &shape);
Shape readShape(openipu::AttributeReader &reader, const openipu::Rounding &rounding);

// Optional operands of the kernels.
enum Present : std::uint32_t {
  HasIntermediates = 1,
  HasLengths = 2,
  HasInputWeights = 4,
  HasInput = 8,
  HasOutput = 16,
  HasLastOutput = 32,
  HasLastCell = 64,
  WantsInputGradient = 128,
  WantsGateGradients = 256,
  WantsWeightGradients = 512,
};

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
