// SPDX-License-Identifier: MIT
// What norms take on the tiles: reductions to statistics and parameters, and vectors of them
// broadcast to the activations.
#pragma once
#include "openipu/Plan.hpp"
#include "poplin/NormOperations.hpp"
#include "popops/ExprOp.hpp"

namespace poplin::norms {

enum class Key { Statistic, Parameter };

// The activations with channels as [groups][channels of a group] where that tells statistics apart,
// and the dimensions to reduce. The dimensions that stay are those of the key, in its order.
struct Reducible {
  poplar::Tensor view;
  std::vector<std::size_t> dims;
  std::vector<std::size_t> kept; // shape of what stays
};
Reducible reducible(const poplar::Tensor &acts, NormGroups groups, Key key);

// acts `op` vector of keys, computed where `acts` lies: each tile receives the values of the keys
// that its elements have. The result may be a temporary.
openipu::Superstep broadcastStep(const poplar::Graph &graph, const poplar::Tensor &acts,
                                 NormGroups groups, Key key, popops::expr::BinaryOpType op,
                                 const std::string &name, const poplar::Tensor &vector,
                                 bool temporary = false);
openipu::Superstep binaryStep(const poplar::Graph &graph, const poplar::Tensor &at,
                              popops::expr::BinaryOpType op, const std::string &name,
                              std::vector<unsigned> from, unsigned to);

// Statistics of `acts`, and what applies them where `at`, the first operand, lies; the activations
// are the operand `acts`.
poplar::Tensor makeStatistic(poplar::Graph &graph, const poplar::Tensor &acts, NormGroups groups,
                             const poplar::Type &type, const poplar::DebugContext &context);
openipu::Plan statisticsPlan(const poplar::Graph &graph, const poplar::Tensor &acts,
                             NormGroups groups, const poplar::Tensor &mean,
                             const poplar::Tensor &isd, const NormStatisticsOptions &options);
// Of the tensors of `a` that are valid, computed where `at` lies.
openipu::Plan affinePlan(const poplar::Graph &graph, const poplar::Tensor &at, NormGroups groups,
                         const Affine &a, unsigned acts);

// Whether kernels::normForward and normBackward can take these activations.
bool haveUnits(const poplar::Tensor &acts, NormGroups groups);

} // namespace poplin::norms
