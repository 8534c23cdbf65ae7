// SPDX-License-Identifier: MIT
// What the files of the GRU share: options, plans.
#pragma once
#include "openipu/Plan.hpp"
#include "popnn/Gru.hpp"
#include "popnn/kernels/Gru.hpp"
#include "rnn/Layer.hpp"

namespace popnn::gru {

struct Options : rnn::LayerOptions {
  Options() { inferenceOnly = true; }
};
Options parseOptions(const poplar::OptionFlags &options);

kernels::GruOf shapeOf(const GruParams &params);

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
