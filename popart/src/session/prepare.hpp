// SPDX-License-Identifier: MIT
// From an imported model to one that can be lowered: loss and gradients, weight updates,
// transforms. All that is wrong with a model is said here.
#pragma once
#include "lowering/programs.hpp"
#include "optimizer/update.hpp"
#include <popart/inputshapeinfo.hpp>
#include <popart/patterns/patterns.hpp>

namespace popart::session {

struct Request {
  ir::Graph graph; // as imported
  DataFlow flow;
  SessionOptions options;
  Patterns patterns;
  bool training = false;
  TensorId loss;                            // of training
  const Optimizer *optimizer = nullptr;     // of training
  std::map<TensorId, ir::HostTensor> state; // initialisers of optimiser state in the model
  unsigned ipus = 1;                        // of the device
  std::map<TensorId, InputSettings> inputSettings;
  std::map<TensorId, VariableSettings> variableSettings;
};

struct Prepared {
  lowering::Model model;
  lowering::Options options;
  optimizer::Context context;
  std::map<TensorId, ir::Value> tensors; // every name a user may ask for, gradients included
};

Prepared prepare(Request request);

// What the optimizer must know of a session; Prepared::context is the same.
optimizer::Context contextOf(const SessionOptions &options, bool training,
                             const std::map<TensorId, VariableSettings> &variables);

} // namespace popart::session
