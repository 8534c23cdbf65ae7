// SPDX-License-Identifier: MIT
// Weight updates as nodes of the model: what runs per micro-batch (accumulation) and once per
// weight update (reduction over replicas, clipping, state, the update itself), for every weight
// that has a gradient. Hyper-parameters that may change are variables which sessions write from the
// host.
#pragma once
#include "analysis/locations.hpp"
#include "autodiff/autodiff.hpp"
#include "ir/graph.hpp"
#include <popart/commgroup.hpp>
#include <popart/optimizer.hpp>
#include <popart/sessionoptions.hpp>
#include <set>

namespace popart::optimizer {

struct Context {
  std::int64_t accumulationFactor = 1; // micro-batches per weight update
  bool accumulation = false;           // whether gradients are accumulated at all
  std::int64_t replicas = 1;
  ReductionType reduction = ReductionType::Sum;
  MeanReductionStrategy mean = MeanReductionStrategy::Post;
  AutomaticLossScalingSettings automaticLossScaling = {};
  bool floatLossScale = false; // also if the loss is FLOAT16
  // Weights that only some replicas share; all others are the same everywhere.
  std::map<TensorId, CommGroup> sharedBy = {};
  analysis::Locations locations = {};
};

// Appends the nodes. State variables take their first value from `state` (initialisers of a saved
// model by name: Accl1___w, Step___w ...) if it is there, else zero.
void addUpdates(ir::Graph &graph, const autodiff::Gradients &gradients, const Optimizer &optimizer,
                const Context &context, const std::map<TensorId, ir::HostTensor> &state);

// What the changeable hyper-parameters of the model are now, by the name of their variable.
std::map<TensorId, ir::HostTensor>
hyperParameters(const ir::Graph &graph, const Optimizer &optimizer, const Context &context);
// The same without a graph.
struct HyperParameter {
  TensorId id;
  std::string slot; // scaledLearningRate0, lossScaling ...
  TensorId weight;  // "": of all that have no values of their own
  DataType type;
};
std::map<TensorId, ir::HostTensor> hyperParameters(const std::vector<HyperParameter> &which,
                                                   const Optimizer &optimizer,
                                                   const Context &context);

// What the optimizer keeps beside a weight of this type: Accl1___w, Step___w ...
std::vector<TensorId> stateIds(const Optimizer &optimizer, const TensorId &weight, DataType type,
                               const Context &context);

// What they begin with, beside a weight that has this value.
std::map<TensorId, ir::HostTensor> firstStates(const Optimizer &optimizer, const TensorId &weight,
                                               const ir::HostTensor &value, const Context &context);

} // namespace popart::optimizer
