// SPDX-License-Identifier: MIT
// The operations behind all norms: batch norm (statistics per channel) and group norm (per batch
// element and group of channels) in any memory order, each a single pass or two over the data.
// popnn's norms and poplin/Norms.hpp are thin layers over these.
#pragma once
#include "poplin/NormGroups.hpp"
#include <optional>
#include <poplin/Norms.hpp>
#include <string>

namespace poplin {

struct NormStatisticsOptions {
  float eps;
  bool unbiased, stable;
  poplar::Type partials;
};

// Tensors that may be absent are invalid (Tensor()). All checks name the public function `api`.
namespace norms {

// Refuses ranks below 2, other types than FLOAT and HALF, channels that groups do not divide.
void checkActs(const poplar::Tensor &acts, NormGroups groups, const std::string &api);
std::size_t numStatistics(const poplar::Tensor &acts, NormGroups groups);
// Refuses, unless absent, what is not [size] of FLOAT or HALF.
void checkVector(const poplar::Tensor &t, std::size_t size, const char *what,
                 const poplar::Tensor &acts, const std::string &api);
void checkPartials(const poplar::Type &partials, const std::string &api);

std::pair<poplar::Tensor, poplar::Tensor>
statistics(poplar::Graph &graph, const poplar::Tensor &acts, NormGroups groups,
           const NormStatisticsOptions &options, poplar::program::Sequence &prog,
           const poplar::DebugContext &context, const std::string &api);

// normalised = ((x - mean) * invStdDev) * gamma + beta, whitened = (x - mean) * invStdDev; either
// of (mean, invStdDev) and (gamma, beta) may be absent, beta also alone. Only wanted results are
// made.
struct Affine {
  poplar::Tensor mean, invStdDev, gamma, beta;
  bool wantNormalised = true, wantWhitened = false;
};
std::pair<poplar::Tensor, poplar::Tensor> // (normalised, whitened)
affine(poplar::Graph &graph, const poplar::Tensor &x, NormGroups groups, const Affine &affine,
       poplar::program::Sequence &prog, const poplar::DebugContext &context,
       const std::string &api);

// Statistics and affine in one operation.
struct Normalised {
  poplar::Tensor normalised, mean, invStdDev;
};
Normalised normalised(poplar::Graph &graph, const poplar::Tensor &x, NormGroups groups,
                      const NormStatisticsOptions &options, const poplar::Tensor &gamma,
                      const poplar::Tensor &beta, poplar::program::Sequence &prog,
                      const poplar::DebugContext &context, const std::string &api);

// (sums of grads * whitened, sums of grads) per channel; without mean, x is whitened already.
std::pair<poplar::Tensor, poplar::Tensor>
paramGradients(poplar::Graph &graph, const poplar::Tensor &x, const poplar::Tensor &grads,
               const poplar::Tensor &mean, const poplar::Tensor &invStdDev, NormGroups groups,
               const poplar::Type &partials, poplar::program::Sequence &prog,
               const poplar::DebugContext &context, const std::string &api);

// The gradient of the activations; without mean, x is whitened already; without gamma it is 1.
poplar::Tensor gradients(poplar::Graph &graph, const poplar::Tensor &x, const poplar::Tensor &grads,
                         const poplar::Tensor &mean, const poplar::Tensor &invStdDev,
                         const poplar::Tensor &gamma, NormGroups groups,
                         const poplar::Type &partials, poplar::program::Sequence &prog,
                         const poplar::DebugContext &context, const std::string &api);

// paramGradients and gradients in one operation, or in two that share their sums.
struct AllGradients {
  poplar::Tensor acts, gamma, beta;
};
AllGradients allGradients(poplar::Graph &graph, const poplar::Tensor &x,
                          const poplar::Tensor &grads, const poplar::Tensor &mean,
                          const poplar::Tensor &invStdDev, const poplar::Tensor &gamma,
                          NormGroups groups, const poplar::Type &partials,
                          poplar::program::Sequence &prog, const poplar::DebugContext &context,
                          const std::string &api);

// Batch norm over the activations of several replicas.
struct Distributed {
  DistributedNormReduceCallback reduce;
  unsigned normSize;
};
// Over how many replicas; refuses sizes that do not fit the activations.
unsigned replicasOf(const Distributed &distributed, const poplar::Tensor &acts,
                    const std::string &api);
std::pair<poplar::Tensor, poplar::Tensor>
statistics(poplar::Graph &graph, const poplar::Tensor &acts, const Distributed &distributed,
           const NormStatisticsOptions &options, poplar::program::Sequence &prog,
           const poplar::DebugContext &context, const std::string &api);
poplar::Tensor gradients(poplar::Graph &graph, const poplar::Tensor &x, const poplar::Tensor &grads,
                         const poplar::Tensor &mean, const poplar::Tensor &invStdDev,
                         const poplar::Tensor &gamma, const Distributed &distributed,
                         const poplar::Type &partials, poplar::program::Sequence &prog,
                         const poplar::DebugContext &context, const std::string &api);

} // namespace norms
} // namespace poplin
