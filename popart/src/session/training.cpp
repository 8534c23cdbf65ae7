// SPDX-License-Identifier: MIT
// The backward pass and the weight updates of a session.
#include "session/preparation.hpp"

#include "autodiff/autodiff.hpp"
#include "base/Text.hpp"
#include "opdef/graphbuilder.hpp"
#include "optimizer/lossscale.hpp"
#include <algorithm>
#include <popart/error.hpp>

namespace popart::session {

using ir::Kind;
using ir::Value;

namespace {

// Variables that training may change: floating point, and nobody else's business.
std::set<Value> trainable(const ir::Graph &graph) {
  std::set<Value> out;
  for (std::uint32_t i = 0; i < graph.size(); ++i)
    if (const auto &value = graph[Value{i}]; value.kind == Kind::Variable &&
                                             value.role == ir::Role::Weight &&
                                             isFloatingPoint(value.info.dataType()))
      out.insert(Value{i});
  return out;
}

// Where the loss is computed, and the backward pass begins.
ir::Settings placeOfLoss(const Preparation &p) {
  const Value loss = p.graph().find(p.request.loss);
  ir::Settings out;
  for (const auto &node : p.graph().nodes)
    if (std::find(node.outputs.begin(), node.outputs.end(), loss) != node.outputs.end()) {
      out.virtualGraph = node.settings.virtualGraph;
      out.pipelineStage = node.settings.pipelineStage;
      out.executionPhase = node.settings.executionPhase;
    }
  return out;
}

} // namespace

void addGradients(Preparation &p) {
  const auto &request = p.request;
  auto &prepared = p.out;
  ir::Graph &graph = p.graph();
  auto place = placeOfLoss(p);
  const bool apart = p.options().createImplicitPipeliningFwdOnlyProgram;
  if (auto &stage = place.pipelineStage) {
    p.mirror = 2 * *stage + apart;
    *stage += apart;
  }
  const auto forward = graph.nodes.size();
  const Value loss = graph.find(request.loss);
  if (loss == ir::none)
    graph.require(request.loss); // throws, with near matches
  if (graph[loss].info.nelms() != 1)
    throw error(base::str("The loss \"", request.loss, "\" must be a scalar tensor, but is ",
                          graph[loss].info, ". Reduce it, for instance with identityloss."));
  const auto scale = optimizer::lossScale(graph, *request.optimizer, graph[loss].info.dataType(),
                                          prepared.context);
  autodiff::Request ask{loss, scale.start, trainable(graph)};
  ask.late = scale.rest;
  ask.spread = !prepared.context.automaticLossScaling.enabled; // which looks at gradients as made
  ask.apart = apart;
  const auto weights = ask.wanted;
  ask.wanted.merge(anchoredGradients(graph, request.flow));
  ops::GraphBuilder shape(graph);
  if (!graph[loss].info.shape().empty()) { // one element, but not a scalar
    shape.pass = ir::Pass::Backward;
    ask.lossGradient = shape.reshape(ask.lossGradient, graph[loss].info.shape());
  }
  for (auto n = forward; n < graph.nodes.size(); ++n) // of the loss scale
    graph.nodes[n].settings = place;
  auto gradients = autodiff::differentiate(graph, ask);
  for (const auto &[value, gradient] : gradients)
    p.names[gradientPrefix + graph[value].name] = gradient;
  optimizer::trackGradients(graph, gradients, weights, prepared.context);
  std::erase_if(gradients, [&](const auto &entry) { return !weights.count(entry.first); });
  optimizer::addUpdates(graph, gradients, *request.optimizer, prepared.context, request.state);
  for (const auto &[id, value] :
       optimizer::hyperParameters(graph, *request.optimizer, prepared.context))
    prepared.model.hyperParameters.insert(graph.require(id));
}

} // namespace popart::session
