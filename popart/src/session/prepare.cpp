// SPDX-License-Identifier: MIT
#include "session/prepare.hpp"

#include "base/Text.hpp"
#include "custom/custom.hpp"
#include "ops/core/graphbuilder.hpp"
#include "optimizer/lossscale.hpp"
#include "session/dot.hpp"
#include "session/log.hpp"
#include "transforms/batches.hpp"
#include "transforms/batchnorm.hpp"
#include "transforms/bypass.hpp"
#include "transforms/epilogue.hpp"
#include "transforms/fuse.hpp"
#include "transforms/gelu.hpp"
#include "transforms/inplace.hpp"
#include "transforms/layernorm.hpp"
#include "transforms/merge.hpp"
#include "transforms/offchip.hpp"
#include "transforms/outline.hpp"
#include "transforms/phases.hpp"
#include "transforms/pipeline.hpp"
#include "transforms/place.hpp"
#include "transforms/poolorder.hpp"
#include "transforms/prune.hpp"
#include "transforms/recompute.hpp"
#include "transforms/scale.hpp"
#include "transforms/schedule.hpp"
#include "transforms/setup.hpp"
#include "transforms/shard.hpp"
#include "transforms/softmaxgrad.hpp"
#include <algorithm>
#include <popart/builder.hpp>
#include <popart/error.hpp>

namespace popart::session {

using ir::Kind;
using ir::Value;

namespace {

poplar::OptionFlags flags(const StringMap &map) {
  poplar::OptionFlags out;
  for (const auto &[key, value] : map)
    out.set(key, value);
  return out;
}

lowering::Options loweringOptions(const SessionOptions &o, bool training, std::int64_t replicas) {
  lowering::Options out;
  out.convolution = flags(o.convolutionOptions);
  out.matmul = flags(o.matmulOptions);
  out.lstm = flags(o.lstmOptions);
  out.gcl = flags(o.gclOptions);
  if (!o.partialsTypeMatMuls.empty())
    out.matmul.set("partialsType", o.partialsTypeMatMuls);
  out.training = training;
  out.holdConstants = true;
  out.nonStableSoftmax = o.enableNonStableSoftmax;
  out.stableNorm = o.enableStableNorm;
  out.stridedChannelGrouping = o.groupNormStridedChannelGrouping;
  out.replicas = replicas;
  return out;
}

// The number of IPUs must be what replicas and virtual graphs ask for.
unsigned ipusPerReplica(const Request &request, std::int64_t replicas) {
  if (request.ipus % replicas)
    throw error(base::str("The device has ", request.ipus, " IPUs, which ", replicas,
                          " replicas cannot share evenly."));
  const auto ipus = static_cast<unsigned>(request.ipus / replicas);
  if (request.options.virtualGraphMode == VirtualGraphMode::Off && ipus != 1)
    throw error(base::str("The device has ", request.ipus, " IPUs and there are ", replicas,
                          " replicas, but virtualGraphMode is Off, so that a replica uses one IPU. "
                          "Take a device with ",
                          replicas, " IPUs, or set virtualGraphMode."));
  return ipus;
}

void place(ir::Graph &graph, const SessionOptions &options, unsigned ipus, bool training) {
  for (auto &node : graph.nodes)
    if (!options.enablePipelining)
      node.settings.pipelineStage.reset(); // annotations do not count
  if (options.virtualGraphMode == VirtualGraphMode::ExecutionPhases)
    return transforms::assignPhases(graph, options.executionPhaseSettings, ipus);
  for (auto &node : graph.nodes)
    node.settings.executionPhase.reset(); // annotations do not count
  if (options.virtualGraphMode == VirtualGraphMode::Off) {
    for (auto &node : graph.nodes)
      node.settings.virtualGraph.reset(); // annotations do not count
    return;
  }
  if (options.virtualGraphMode == VirtualGraphMode::Auto)
    return transforms::shard(graph, {ipus, options.virtualGraphSplitRatios, training,
                                     options.enableGradientAccumulation});
  for (const auto &node : graph.nodes) {
    if (!node.settings.virtualGraph)
      throw error(base::str(ops::describe(graph, node),
                            " has no virtual graph, but virtualGraphMode is Manual. Give every "
                            "operator one, or none and set the mode to Off."));
    if (*node.settings.virtualGraph < 0 || *node.settings.virtualGraph >= ipus)
      throw error(base::str(ops::describe(graph, node), " is placed on virtual graph ",
                            *node.settings.virtualGraph, "; a replica has ", ipus, " IPUs."));
  }
}

// What the Builder's setSerializeMatMul said does not count.
void forgetCutProducts(ir::Graph &graph) {
  for (auto &node : graph.nodes)
    node.settings.extra.erase(sSerializeMatMulModeAttribute);
}

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

constexpr const char *gradientPrefix = "Gradient___";

// Anchors named Gradient___x want the gradient of x, whatever x is.
std::set<Value> anchoredGradients(const ir::Graph &graph, const DataFlow &flow) {
  std::set<Value> out;
  for (const auto &id : flow.anchors())
    if (id.rfind(gradientPrefix, 0) == 0)
      if (const Value v = graph.find(id.substr(std::string(gradientPrefix).size())); v != ir::none)
        out.insert(v);
  return out;
}

// Where the loss is computed, and the backward pass begins.
ir::Settings placeOfLoss(const Request &request) {
  const Value loss = request.graph.find(request.loss);
  ir::Settings out;
  for (const auto &node : request.graph.nodes)
    if (std::find(node.outputs.begin(), node.outputs.end(), loss) != node.outputs.end()) {
      out.virtualGraph = node.settings.virtualGraph;
      out.pipelineStage = node.settings.pipelineStage;
      out.executionPhase = node.settings.executionPhase;
    }
  return out;
}

void addBackward(Request &request, Prepared &prepared, std::map<TensorId, Value> &names) {
  ir::Graph &graph = request.graph;
  const auto place = placeOfLoss(request);
  const auto forward = graph.nodes.size();
  const Value loss = graph.find(request.loss);
  if (loss == ir::none)
    graph.require(request.loss); // throws, with near matches
  if (graph[loss].info.nelms() != 1)
    throw error(base::str("The loss \"", request.loss, "\" is ", graph[loss].info,
                          ", not one number. Reduce it, for instance with identityloss."));
  autodiff::Request ask{loss,
                        optimizer::lossScale(graph, *request.optimizer, graph[loss].info.dataType(),
                                             prepared.context),
                        trainable(graph)};
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
    names[gradientPrefix + graph[value].name] = gradient;
  optimizer::trackGradients(graph, gradients, weights, prepared.context);
  std::erase_if(gradients, [&](const auto &entry) { return !weights.count(entry.first); });
  optimizer::addUpdates(graph, gradients, *request.optimizer, prepared.context, request.state);
  for (const auto &[id, value] :
       optimizer::hyperParameters(graph, *request.optimizer, prepared.context))
    prepared.model.hyperParameters.insert(graph.require(id));
}

void findAnchors(const ir::Graph &graph, const DataFlow &flow,
                 const std::map<TensorId, Value> &names, lowering::Model &model) {
  for (const auto &id : flow.anchors()) {
    auto it = names.find(id);
    const Value v = it != names.end() ? it->second : graph.find(id);
    if (v == ir::none) {
      std::vector<std::string> known;
      for (std::uint32_t i = 0; i < graph.size(); ++i)
        known.push_back(graph[Value{i}].name);
      throw error(base::str("The anchor \"", id, "\" is no tensor of the model.",
                            id.rfind(gradientPrefix, 0) == 0
                                ? " No gradient reaches that tensor from the loss."
                                : base::didYouMean(id, known)));
    }
    model.anchors[id] = v;
  }
}

void pipeline(lowering::Model &model, const SessionOptions &options, const std::set<Value> &kept) {
  for (const auto &id : model.flow.anchors())
    if (model.flow.art(id).id() == AnchorReturnTypeId::EveryN)
      throw error(base::str("The anchor \"", id, "\" is EveryN, which a pipeline cannot return."));
  const bool accumulation = options.enableGradientAccumulation;
  if (model.training && !accumulation && options.automaticLossScalingSettings.enabled)
    throw error("automaticLossScalingSettings in a pipeline needs gradients that are accumulated: "
                "the scale of the loss holds for all micro-batches in it. Set "
                "enableGradientAccumulation, or switch enablePipelining off.");
  if (model.training && !accumulation)
    transforms::updateInStages(model.graph);
  transforms::raiseStages(model.graph);
  transforms::accumulateInStages(model.graph, kept);
  transforms::splitStages(model.graph);
  transforms::insertIpuCopies(model.graph, true);
  model.stages = transforms::checkStages(
      model.graph, accumulation ? model.accumulationFactor : model.flow.batchesPerStep(),
      accumulation);
}

// What the user asked for by name: values, those whose gradients are asked for, the loss.
std::set<Value> askedFor(const Request &request) {
  std::set<Value> out = anchoredGradients(request.graph, request.flow);
  for (const auto &id : request.flow.anchors())
    if (const Value v = request.graph.find(id); v != ir::none)
      out.insert(v);
  if (const Value v = request.graph.find(request.loss); v != ir::none)
    out.insert(v);
  return out;
}

// What gradients are then written from, and what an inference has of its own.
void rewriteForward(Request &request) {
  auto &graph = request.graph;
  const auto kept = askedFor(request);
  transforms::prune(graph, kept); // who uses a value without need keeps others from being joined
  transforms::bypass(graph, request.patterns, request.training, kept);
  transforms::joinNormalisations(graph);
  transforms::joinGelus(graph);
  if (request.training) {
    transforms::moveBehindPools(graph, kept);
    transforms::moveScales(graph, kept);
    return;
  }
  transforms::foldBatchNorms(graph, kept);
  transforms::foldScales(graph, kept);
}

void simplify(ir::Graph &graph, const Patterns &patterns, bool training,
              const std::set<Value> &kept) {
  transforms::bypass(graph, patterns, training, kept);
  if (patterns.isPatternEnabled("NlllWithSoftMaxGradDirect"))
    transforms::joinSoftmaxGradients(graph);
  transforms::mergeEqualNodes(graph, kept);
  transforms::prune(graph, kept);
}

// What is returned of a variable is its value between two updates of all of them.
bool anchorsVariables(const lowering::Model &model) {
  return std::any_of(model.anchors.begin(), model.anchors.end(), [&](const auto &anchor) {
    return model.graph[anchor.second].kind == Kind::Variable;
  });
}

} // namespace

optimizer::Context contextOf(const SessionOptions &o, bool training,
                             const std::map<TensorId, VariableSettings> &variables) {
  const std::int64_t replicas = o.getGlobalReplicationFactor();
  optimizer::Context out{training ? o.getAccumulationFactor() : 1,
                         o.enableGradientAccumulation,
                         replicas,
                         o.accumulationAndReplicationReductionType,
                         o.meanAccumulationAndReplicationReductionStrategy,
                         o.automaticLossScalingSettings,
                         {},
                         {}};
  for (const auto &[id, settings] : variables)
    if (settings.getGroupCount(static_cast<unsigned>(replicas)) > 1)
      out.sharedBy[id] = settings.getSharedVariableDomain();
  std::set<TensorId> differing;
  for (const auto &[id, domain] : out.sharedBy)
    differing.insert(id);
  out.locations = {o, replicas, training, std::move(differing)};
  return out;
}

Prepared prepare(Request request) {
  Prepared out;
  PassLog passes;
  const auto &o = request.options;
  if (!o.enableSerializedMatmuls)
    forgetCutProducts(request.graph);
  writeDot(request.graph, o, DotCheck::Fwd0);
  auto &model = out.model;
  model.flow = request.flow;
  model.training = request.training;
  model.replicas = o.getGlobalReplicationFactor();
  model.accumulationFactor = request.training ? o.getAccumulationFactor() : 1;
  model.ipusPerReplica = ipusPerReplica(request, model.replicas);
  model.inputSettings = request.inputSettings;
  model.variableSettings = request.variableSettings;
  out.context = contextOf(o, request.training, model.variableSettings);
  model.locations = out.context.locations;
  out.options = loweringOptions(o, request.training, model.replicas);
  place(request.graph, o, model.ipusPerReplica, request.training);
  const bool pipelined = o.enablePipelining;
  if (pipelined && model.ipusPerReplica < 2)
    throw error("enablePipelining needs several IPUs in a replica, which virtualGraphMode shares "
                "the stages out to; there is one. Take a larger device, or switch it off.");
  if (pipelined)
    transforms::inferStages(request.graph);
  custom::applyPatterns(request.graph, request.patterns);
  rewriteForward(request);
  const auto &batches = o.batchSerializationSettings;
  const bool forwardCut = batches.transformContext == BatchSerializationTransformContext::Fwd;
  if (batches.factor > 1 && forwardCut)
    transforms::serializeBatches(request.graph, batches, askedFor(request));
  passes.done("rewrite the forward pass", request.graph.nodes.size());
  writeDot(request.graph, o, DotCheck::Fwd1);
  std::map<TensorId, Value> names;
  std::optional<std::int64_t> lossStage;
  if (request.training) {
    lossStage = placeOfLoss(request).pipelineStage;
    addBackward(request, out, names);
    custom::applyPatterns(request.graph, request.patterns);
    passes.done("add gradients and updates", request.graph.nodes.size());
  }
  model.graph = std::move(request.graph);
  const auto done = [&](const char *pass) { passes.done(pass, model.graph.nodes.size()); };
  writeDot(model.graph, o, DotCheck::Bwd0);
  findAnchors(model.graph, model.flow, names, model);
  std::set<Value> kept;
  for (const auto &[id, v] : model.anchors)
    kept.insert(v);
  transforms::prune(model.graph, kept);
  simplify(model.graph, request.patterns, model.training, kept);
  done("prune and simplify");
  if (batches.factor > 1 && !forwardCut) {
    transforms::serializeBatches(model.graph, batches, kept);
    done("cut batches");
  }
  if (model.training) {
    transforms::chooseRecomputation(model.graph, o.autoRecomputation);
    transforms::recompute(model.graph, lossStage);
    done("recompute");
  }
  optimizer::delayUpdates(model.graph); // now that all readers of a variable are there
  if (model.ipusPerReplica > 1)
    transforms::placeNodes(model.graph);
  const bool phased = o.virtualGraphMode == VirtualGraphMode::ExecutionPhases;
  if (phased) {
    transforms::mirrorPhases(model.graph, o.executionPhaseSettings.phases);
    transforms::orderPhases(model.graph);
  }
  model.spread = transforms::spreadVariables(model.graph, model.hyperParameters);
  if (pipelined)
    pipeline(model, o, kept);
  else if (model.ipusPerReplica > 1)
    transforms::insertIpuCopies(model.graph);
  if (model.ipusPerReplica > 1)
    done("place on IPUs");
  writeDot(model.graph, o, DotCheck::PreAlias);
  transforms::joinEpilogues(model.graph, kept);
  transforms::fuse(model.graph, kept);
  done("fuse");
  if (model.training && !model.stages && model.accumulationFactor == 1 && !anchorsVariables(model))
    transforms::updateAtOnce(model.graph);
  if (phased)
    transforms::orderPhases(model.graph); // with the nodes that have come since
  transforms::schedule(model.graph, o);
  done("schedule");
  transforms::moveActivations(model.graph, model.locations, pipelined);
  auto onChip = model.hyperParameters;
  for (const auto &[copy, variable] : model.spread)
    onChip.insert(copy);
  transforms::moveVariables(model.graph, model.locations, onChip, model.anchors);
  done("place variables and activations");
  if (!model.training)
    model.setup = transforms::findSetup(model.graph);
  std::set<Value> still = kept; // memory that must not change, nodes that run elsewhere
  still.insert(model.setup.begin(), model.setup.end());
  if (request.patterns.isInPlaceEnabled()) {
    transforms::writeInPlace(model.graph, still);
    done("write in place");
  }
  if (o.enableOutlining) {
    model.calls = transforms::outline(model.graph, still, o);
    done("outline");
  }
  writeDot(model.graph, o, DotCheck::Final);
  if (const auto &irLog = logOf("ir"); irLog.enabled(base::LogLevel::Debug))
    irLog.debug(ir::text(model.graph));
  for (std::uint32_t i = 0; i < model.graph.size(); ++i)
    names.emplace(model.graph[Value{i}].name, Value{i});
  out.tensors = std::move(names);
  return out;
}

} // namespace popart::session
