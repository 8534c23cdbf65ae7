// SPDX-License-Identifier: MIT
// Convolutions of fields with any number of dimensions, their gradients, and what they would take.
// Activations are [batch][groups * channels][field...], weights [groups][out channels][in
// channels][kernel...]. Operands may be any views; those from createInput and createWeights lie
// where the plan and the host want them. Options are listed with convolutionValidateOptions.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/ConvParams.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/PlanningCache.hpp>
#include <poputil/DebugInfo.hpp>
#include <set>
#include <tuple>
#include <vector>

namespace poplin {

// The input [batch][groups * channels][field...], laid out for convolution. createWeights and
// createConvOutput do the same for [groups][out channels][in channels][kernel...] and the result.
poplar::Tensor createInput(poplar::Graph &graph, const ConvParams &params,
                           const poplar::DebugContext &debugContext = {},
                           const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
poplar::Tensor createWeights(poplar::Graph &graph, const ConvParams &params,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);
poplar::Tensor createConvOutput(poplar::Graph &graph, const ConvParams &params,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {},
                                PlanningCache *cache = nullptr);
// One per channel of the activations, on the tiles that hold the channel.
poplar::Tensor createBiases(poplar::Graph &graph, const poplar::Tensor &activations,
                            const poplar::DebugContext &debugContext = {"biases"});
poplar::Tensor createBiases(poplar::Graph &graph, const poplar::Tensor &activations,
                            const ConvParams &params, const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {},
                            PlanningCache *cache = nullptr);

// With `transposeAndFlipWeights` the weights are those of the forward pass: their channels are
// swapped and their kernel flipped, which gives the gradient of the input when params are
// getGradientParams(forward).
// The convolution that params describe.
//
//   ConvParams params(HALF, 1, {28, 28}, {3, 3}, 16, 32, 1);
//   Tensor in = createInput(graph, params, "in");
//   Tensor weights = createWeights(graph, params, "weights");
//   Tensor out = convolution(graph, in, weights, params, false, prog, "conv");
//
// (type, batch, field, kernel, input and output channels of a group, groups).
//
// Throws poputil::poplibs_error if shapes and params do not fit.
poplar::Tensor convolution(poplar::Graph &graph, const poplar::Tensor &in,
                           const poplar::Tensor &weights, const ConvParams &params,
                           bool transposeAndFlipWeights, poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {},
                           const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
void convolutionWithOutput(poplar::Graph &graph, const poplar::Tensor &in,
                           const poplar::Tensor &weights, const poplar::Tensor &out,
                           const ConvParams &params, bool transposeAndFlipWeights,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {},
                           const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

// weightsOut[g][i][o][k...] = weightsIn[g][o][i][reversed k...]
void weightsTransposeChansFlipXY(poplar::Graph &graph, const poplar::Tensor &weightsIn,
                                 const poplar::Tensor &weightsOut, poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {});

// The gradient of the weights, [groups][out channels][in channels][kernel...].
poplar::Tensor calculateWeightDeltas(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                                     const poplar::Tensor &activations, const ConvParams &fwdParams,
                                     poplar::program::Sequence &prog,
                                     const poplar::DebugContext &debugContext = {},
                                     const poplar::OptionFlags &options = {},
                                     PlanningCache *cache = nullptr);
// weights += scale * gradient of the weights. A tensor scale has one element.
void convolutionWeightUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                             const poplar::Tensor &weights, const poplar::Tensor &activations,
                             ConvParams params, const poplar::Tensor &scale,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);
void convolutionWeightUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                             const poplar::Tensor &weights, const poplar::Tensor &activations,
                             ConvParams params, float scale, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);
// biases += scale * sum of zDeltas over everything but channels.
void convolutionBiasUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                           const poplar::Tensor &biases, const poplar::Tensor &scale,
                           const poplar::OptionFlags &options, poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {});
void convolutionBiasUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                           const poplar::Tensor &biases, float scale,
                           const poplar::OptionFlags &options, poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {});
// in[b][c][field...] += biases[c]
void addBias(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &biases,
             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

// A copy of a fully connected layer's weights, channels swapped, placed for the backward pass.
// params are those of the backward pass.
poplar::Tensor fullyConnectedWeightTranspose(poplar::Graph &graph, poplar::Tensor weights,
                                             const ConvParams &params,
                                             poplar::program::Sequence &prog,
                                             const poplar::DebugContext &debugContext = {},
                                             const poplar::OptionFlags &options = {},
                                             PlanningCache *cache = nullptr);

// Two for every product of two elements; products with the zeros of padding and dilation are left
// out.
std::uint64_t getFwdFlops(const ConvParams &params);
std::uint64_t getBwdFlops(const ConvParams &params);
std::uint64_t getWuFlops(const ConvParams &params);
// If all tiles did nothing but multiply, at the highest rate.
double getFwdPerfectCycleCount(const poplar::Graph &graph, const ConvParams &params);
double getBwdPerfectCycleCount(const poplar::Graph &graph, const ConvParams &params);
double getWuPerfectCycleCount(const poplar::Graph &graph, const ConvParams &params);

// Writes how a convolution is planned: splits, cycles, memory.
void reportPlanInfo(std::ostream &out, const poplar::Graph &graph, const ConvParams &params,
                    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
// Writes how the gradient of its weights is planned.
void reportWeightUpdatePlanInfo(std::ostream &out, const poplar::Graph &graph,
                                const ConvParams &fwdParams,
                                const poplar::OptionFlags &fwdOptions = {},
                                PlanningCache *cache = nullptr);

// What a plan is expected to take.
struct PlanCosts {
  // Stands for a figure that is not known.
  static constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max();
  std::size_t cycles = unknown, memory = unknown; // memory: bytes of the fullest tile
};
std::ostream &operator<<(std::ostream &out, const PlanCosts &costs); // "12 cycles, 34 bytes"
// The cycles and bytes that the best plan is expected to take.
PlanCosts reportPlanEstimatedCosts(const poplar::Graph &graph, const ConvParams &params,
                                   const poplar::OptionFlags &options = {},
                                   PlanningCache *cache = nullptr);
namespace internal {
// Cycles and temporary bytes by what they are spent on; parts that a plan does not have are 0.
struct DetailedPlanCosts {
  std::size_t parallelSplit = 1, serialSplit = 1; // tiles used, and times they are used
  PlanCosts broadcast, rearrangement, dynamicSlice, transform, exchange, tileLevelTransform,
      inputsCast, compute, reduction, dynamicUpdate, addInPlace, outputCast, total;

  // Calls function(costs) for every part in the order above.
  template <class Function> void apply(Function &&function, bool includeTotal = true) {
    forEach(*this, function, includeTotal);
  }
  template <class Function> void apply(Function &&function, bool includeTotal = true) const {
    forEach(*this, function, includeTotal);
  }

private:
  template <class Costs, class Function>
  static void forEach(Costs &c, Function &&function, bool includeTotal) {
    for (auto *part : {&c.broadcast, &c.rearrangement, &c.dynamicSlice, &c.transform, &c.exchange,
                       &c.tileLevelTransform, &c.inputsCast, &c.compute, &c.reduction,
                       &c.dynamicUpdate, &c.addInPlace, &c.outputCast})
      function(*part);
    if (includeTotal)
      function(c.total);
  }
};
// One line for each part, with its name.
std::ostream &operator<<(std::ostream &out, const DetailedPlanCosts &costs);
} // namespace internal
// The same by what they are spent on.
internal::DetailedPlanCosts
reportDetailedPlanEstimatedCosts(const poplar::Graph &graph, const ConvParams &params,
                                 const poplar::OptionFlags &options = {},
                                 PlanningCache *cache = nullptr);

// A target, a convolution and its options.
using ConvPlanParams =
    std::tuple<const poplar::Target *, const ConvParams, const poplar::OptionFlags *>;
// Plans all convolutions into the cache.
void preplanConvolutions(const std::set<ConvPlanParams> &convs, PlanningCache &cache);
void preplanConvolutions(poplar::Graph &graph, const std::set<ConvPlanParams> &convs,
                         PlanningCache &cache);

// Throws poplar::invalid_option for an unknown name or a bad value. docs/convolution-options.md has
// the options.
void convolutionValidateOptions(const poplar::OptionFlags &options);

} // namespace poplin
