// SPDX-License-Identifier: MIT
// A model on its way through the passes of session/prepare.cpp, and the passes that are more than a
// call of a transform.
#pragma once
#include "session/prepare.hpp"

namespace popart::session {

struct Preparation {
  Request request; // its graph is in the model
  Prepared out;
  std::map<TensorId, ir::Value> names = {}; // of gradients
  // Of a pipeline: the number of a stage and that of the stage of its gradients together.
  std::optional<std::int64_t> mirror = {};
  std::set<ir::Value> kept = {};  // anchors, once they are found
  std::set<ir::Value> still = {}; // kept, and what is made once

  ir::Graph &graph() { return out.model.graph; }
  const ir::Graph &graph() const { return out.model.graph; }
  lowering::Model &model() { return out.model; }
  const SessionOptions &options() const { return request.options; }
  bool training() const { return request.training; }
  bool pipelined() const { return options().enablePipelining; }
  bool phased() const { return options().virtualGraphMode == VirtualGraphMode::ExecutionPhases; }
  bool severalIpus() const { return out.model.ipusPerReplica > 1; }
};

// placing.cpp
void place(Preparation &p);
void inferStages(Preparation &p);
void checkPipeline(const Preparation &p);
void countStages(Preparation &p);
// The number of IPUs must be what replicas and virtual graphs ask for.
unsigned ipusPerReplica(const Request &request, std::int64_t replicas);

// training.cpp
void addGradients(Preparation &p);

// asked.cpp
void findAnchors(Preparation &p);
// What the user asked for by name: values, those whose gradients are asked for, the loss.
std::set<ir::Value> askedFor(const Preparation &p);
// Anchors named Gradient___x want the gradient of x, whatever x is.
constexpr const char *gradientPrefix = "Gradient___";
std::set<ir::Value> anchoredGradients(const ir::Graph &graph, const DataFlow &flow);
// What is returned of a variable is its value between two updates of all of them.
bool anchorsVariables(const lowering::Model &model);

} // namespace popart::session
