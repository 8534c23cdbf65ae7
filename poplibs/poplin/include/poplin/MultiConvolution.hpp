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

// Arguments of createWeights and createInput, for one convolution.
struct CreateTensorArgs {
  ConvParams params;           // the convolution that the tensor is for
  poplar::OptionFlags options; // as poplin::convolution takes them
  std::string name;            // the tensor's debug name
};
// Arguments of convolution, for one of them.
struct ConvolutionArgs {
  poplar::Tensor inputs, weights; // its operands
  ConvParams params;              // its shape
  poplar::OptionFlags options;    // as poplin::convolution takes them
};
// Arguments of calculateWeightDeltas, for one convolution.
struct CalculateWeightDeltasArgs {
  poplar::Tensor zDeltas, activations; // gradient of the result; the input of the forward pass
  ConvParams params;                   // the forward convolution's
  poplar::OptionFlags options;         // as poplin::convolution takes them
};
// Arguments of convolutionWeightUpdate, for one convolution.
struct ConvWeightUpdateArgs {
  // Weights += scale * gradient; scale is one element.
  poplar::Tensor zDeltas, weights, activations, scale;
  ConvParams params;           // the forward convolution's
  poplar::OptionFlags options; // as poplin::convolution takes them
};
// ConvWeightUpdateArgs with a scale that is known now.
struct ConvWeightUpdateArgsScalar {
  poplar::Tensor zDeltas, weights, activations; // as in ConvWeightUpdateArgs
  float scale;                                  // weights += scale * gradient
  ConvParams params;                            // the forward convolution's
  poplar::OptionFlags options;                  // as poplin::convolution takes them
};

// The weights of convolution number weightsIndex, laid out for running all of them.
poplar::Tensor createWeights(poplar::Graph &graph, const std::vector<CreateTensorArgs> &args,
                             unsigned weightsIndex, const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);
// The input of convolution number inputIndex, laid out for running all of them.
poplar::Tensor createInput(poplar::Graph &graph, const std::vector<CreateTensorArgs> &args,
                           unsigned inputIndex, const poplar::OptionFlags &options = {},
                           PlanningCache *cache = nullptr);

// All results, in the order of the arguments.
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

// The gradients of all weights, in the order of the arguments.
std::vector<poplar::Tensor>
calculateWeightDeltas(poplar::Graph &graph, const std::vector<CalculateWeightDeltasArgs> &args,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

// Adds the scaled gradients to all weights.
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
