// SPDX-License-Identifier: MIT
// Tensors of convolutions: how they are stored, whether they fit, and where they lie on the tiles.
#pragma once
#include "epilogue/EpiloguePlan.hpp"
#include "poplin/Convolution.hpp"
#include "poplin/ConvPlan.hpp"
#include "poplin/kernels/Convolution.hpp"

namespace poplin::conv {

// Storage of activations. Vectors compute best with channels innermost; layers with few channels
// with the batch innermost, if images, or images and positions of a row together, fill the vectors
// that the target's backend has (openipu/BackendTraits.hpp).
enum class Storage { ChannelsLast, BatchLast };
Storage storageFor(const poplar::Target &target, const ConvParams &params);
// For a result: that of the input where it suits, so that chains of layers agree.
Storage storageFor(const poplar::Target &target, const ConvParams &params,
                   const poplar::Tensor &input);

// A convolution that is to be planned; the planner is not asked about empty ones.
struct Planned {
  ConvParams params;
  ConvOptions options;
  bool empty;
  ConvPlan plan;
  Planned(const char *function, const poplar::Target &target, const ConvParams &params,
          const poplar::OptionFlags &flags, PlanningCache *cache);
  Planned(const char *function, const poplar::Target &target, const ConvParams &params,
          const ConvOptions &options, PlanningCache *cache);

  openipu::Plan steps(const poplar::Target &target) const;
  poplar::Tensor makeInput(poplar::Graph &graph, Storage storage,
                           const poplar::DebugContext &context) const;
  poplar::Tensor makeWeights(poplar::Graph &graph, const poplar::DebugContext &context) const;
  poplar::Tensor makeOutput(poplar::Graph &graph, Storage storage,
                            const poplar::DebugContext &context) const;
};

// Throw poplibs_error with the function's name, what was given and what is needed.
void checkTypes(const char *function, const ConvParams &params);
void checkActivations(const char *function, const char *what, const poplar::Tensor &t,
                      poplar::Type type, std::size_t batch, std::size_t channels,
                      const std::vector<std::size_t> &field);
void checkInput(const char *function, const poplar::Tensor &in, const ConvParams &params);
void checkOutput(const char *function, const char *what, const poplar::Tensor &out,
                 poplar::Type type, const ConvParams &params);
void checkWeights(const char *function, const poplar::Tensor &weights, const ConvParams &params);

kernels::Geometry geometryOf(const ConvParams &params);
// Kernels want at least one dimension of the field.
poplar::Tensor withField(const poplar::Tensor &t, const ConvParams &params);
// [g][out][in][kernel...] -> [g][in][out][reversed kernel...]
poplar::Tensor transposedAndFlipped(const poplar::Tensor &weights);
openipu::Superstep transposeStep(const poplar::Graph &graph, const poplar::Tensor &weights);

// The convolution, with a plan of the caller's making (empty if another operation bears the cost).
void addConvolution(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &weights,
                    const poplar::Tensor &out, const ConvParams &params, openipu::Plan plan,
                    poplar::program::Sequence &prog, const poplar::DebugContext &context,
                    bool nearest, const Extras &extras = {});
// deltas = gradient, or deltas += scale * gradient; a tensor scale wins.
struct Update {
  bool accumulate = false;
  float scale = 1;
  const poplar::Tensor *tensor = nullptr;
  bool nearest = false; // never round stochastically
};
void addWeightGradient(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                       const poplar::Tensor &acts, const poplar::Tensor &deltas,
                       const ConvParams &fwd, Update update, openipu::Plan plan,
                       poplar::program::Sequence &prog, const poplar::DebugContext &context);
// Throws if a tensor scale is not one float or half.
void checkScale(const char *function, const Update &update);
// The superstep weights += scale * gradient, where the weights lie.
openipu::Superstep updateStep(const poplar::Graph &graph, const poplar::Tensor &weights);
poplar::Tensor makeDeltas(poplar::Graph &graph, const ConvParams &fwd,
                          const poplar::OptionFlags &options, PlanningCache *cache,
                          const poplar::DebugContext &context);
void checkWeightGradient(const char *function, const poplar::Tensor &zDeltas,
                         const poplar::Tensor &acts, const ConvParams &fwd);
// The convolution that the weight gradient is planned as, with the pass of the options adapted.
Planned plannedWeightGradient(const char *function, const poplar::Target &target,
                              const ConvParams &fwd, const poplar::OptionFlags &flags,
                              PlanningCache *cache);

} // namespace poplin::conv
