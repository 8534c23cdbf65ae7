// SPDX-License-Identifier: MIT
// What the files of the GRU share: options, attributes of the kernels, plans.
#pragma once
#include "gru/GruHost.hpp"
#include "openipu/Attributes.hpp"
#include "openipu/Plan.hpp"
#include "popnn/Gru.hpp"
#include "rnn/Layer.hpp"

namespace popnn::gru {

struct Options : rnn::LayerOptions {
  Options() { inferenceOnly = true; }
};
Options parseOptions(const poplar::OptionFlags &options);

Shape shapeOf(const GruParams &params);
void write(openipu::AttributeWriter &writer, const Shape &shape);
Shape readShape(openipu::AttributeReader &reader, const openipu::Rounding &rounding);

// Optional operands of the kernels.
enum Present : std::uint32_t {
  HasIntermediates = 1,
  HasLengths = 2,
  HasAttention = 4,
  HasOutput = 8,
  WantsInputGradient = 16,
  WantsGateGradients = 32,
  WantsWeightGradients = 64,
  WantsAttentionGradient = 128,
};

// What a call does beside the plain layer.
struct Extent {
  bool intermediates = false, attention = false, masked = false, inputGradients = false,
       gateGradients = false, weights = false;
};
openipu::Plan forwardPlan(const poplar::Target &target, const GruParams &params,
                          const Options &options, const Extent &extent,
                          poplin::PlanningCache *cache);
openipu::Plan backwardPlan(const poplar::Target &target, const GruParams &params,
                           const Options &options, const Extent &extent,
                           poplin::PlanningCache *cache);
openipu::Plan updatePlan(const poplar::Target &target, const GruParams &params,
                         const Options &options, poplin::PlanningCache *cache);

} // namespace popnn::gru
