// SPDX-License-Identifier: MIT
// Several independent convolutions at once: with planType "parallel" they share the tiles and run
// in the same supersteps, with "serial" one after the other.
//
// Options of the functions: planType (parallel, serial), perConvReservedTiles, cycleBackOff.
// Options of each convolution stand in its own arguments.
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/ConvParams.hpp>
#include <poplin/PlanningCache.hpp>
#include <poputil/DebugInfo.hpp>
#include <string>
#include <vector>

namespace poplin {
namespace multiconv {

struct CreateTensorArgs {
  ConvParams params;
  poplar::OptionFlags options;
  std::string name;
};
struct ConvolutionArgs {
  poplar::Tensor inputs, weights;
  ConvParams params;
  poplar::OptionFlags options;
};
struct CalculateWeightDeltasArgs {
  poplar::Tensor zDeltas, activations;
  ConvParams params;
  poplar::OptionFlags options;
};
struct ConvWeightUpdateArgs {
  poplar::Tensor zDeltas, weights, activations, scale;
  ConvParams params;
  poplar::OptionFlags options;
};
struct ConvWeightUpdateArgsScalar {
  poplar::Tensor zDeltas, weights, activations;
  float scale;
  ConvParams params;
  poplar::OptionFlags options;
};

poplar::Tensor createWeights(poplar::Graph &graph, const std::vector<CreateTensorArgs> &args,
                             unsigned weightsIndex, const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);
poplar::Tensor createInput(poplar::Graph &graph, const std::vector<CreateTensorArgs> &args,
                           unsigned inputIndex, const poplar::OptionFlags &options = {},
                           PlanningCache *cache = nullptr);

std::vector<poplar::Tensor>
convolution(poplar::Graph &graph, const std::vector<ConvolutionArgs> &args,
            bool transposeAndFlipWeights, poplar::program::Sequence &prog,
            const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
            PlanningCache *cache = nullptr);

// args[i].weights[...] = weightsIn[i], channels swapped and kernel flipped.
void weightsTransposeChansFlipXY(poplar::Graph &graph, std::vector<ConvolutionArgs> &args,
                                 const std::vector<poplar::Tensor> &weightsIn,
                                 poplar::program::Sequence &prog,
                                 const poplar::OptionFlags &options,
                                 const poplar::DebugContext &debugContext, PlanningCache *cache);

std::vector<poplar::Tensor>
calculateWeightDeltas(poplar::Graph &graph, const std::vector<CalculateWeightDeltasArgs> &args,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

void convolutionWeightUpdate(poplar::Graph &graph, const std::vector<ConvWeightUpdateArgs> &args,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);
void convolutionWeightUpdate(poplar::Graph &graph,
                             const std::vector<ConvWeightUpdateArgsScalar> &args,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);

} // namespace multiconv
} // namespace poplin
