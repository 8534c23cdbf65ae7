// SPDX-License-Identifier: MIT
#include "optimizer/lossscale.hpp"

#include "base/Text.hpp"
#include "opdef/graphbuilder.hpp"
#include <algorithm>
#include <popart/adam.hpp>
#include <popart/error.hpp>

namespace popart::optimizer {

using ir::HostTensor;
using ir::Pass;
using ir::Value;
using Method = GradientTensorTrackingMethod;

namespace {

constexpr const char *factorId = "AutomaticLossScaleProxy___factor";
constexpr const char *countsId = "AutomaticLossScaleProxy___counts";
constexpr const char *periodId = "AutomaticLossScaleProxy___updates";
constexpr const char *statsId = "Accum___autoLossScaleStats";
constexpr float largestHalf = 65504;
constexpr const char *factorSlot = "lossScaleFactor";

void checkSettings(const AutomaticLossScalingSettings &s) {
  const bool users = s.gradientTensorTrackingMethod == Method::GradientsOfUserSpecifiedTensors;
  if (s.toTrackTensors && !users)
    throw error("automaticLossScalingSettings: toTrackTensors is set, but "
                "gradientTensorTrackingMethod is not GradientsOfUserSpecifiedTensors.");
  if (users && !s.toTrackTensors)
    throw error("automaticLossScalingSettings: gradientTensorTrackingMethod is "
                "GradientsOfUserSpecifiedTensors, but toTrackTensors is not set.");
  if (!(s.binEdgeLocation >= 0 && s.binEdgeLocation <= 1))
    throw error("automaticLossScalingSettings: binEdgeLocation is {}; it must be in [0, 1].",
                s.binEdgeLocation);
  if (!(s.thresholdUpperCountProportion >= 0 && s.thresholdUpperCountProportion <= 1))
    throw error("automaticLossScalingSettings: thresholdUpperCountProportion is {}; it must be in "
                "[0, 1].",
                s.thresholdUpperCountProportion);
  if (s.updatePeriod < 1)
    throw error("automaticLossScalingSettings: updatePeriod is {}; it must be at least 1.",
                s.updatePeriod);
}

// Everything that these values are computed from, and they themselves.
std::vector<bool> neededFor(const ir::Graph &graph, const std::set<Value> &values) {
  std::vector<bool> needed(graph.size(), false);
  for (Value v : values)
    needed[v.value] = true;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node)
    if (std::any_of(node->outputs.begin(), node->outputs.end(),
                    [&](Value v) { return v != ir::none && needed[v.value]; }))
      for (Value v : node->inputs)
        if (v != ir::none)
          needed[v.value] = true;
  return needed;
}

std::set<Value> tracked(const ir::Graph &graph, const autodiff::Gradients &all,
                        const std::set<Value> &weights, const AutomaticLossScalingSettings &s) {
  std::set<Value> out, last;
  for (const auto &[value, gradient] : all)
    if (weights.count(value))
      last.insert(gradient);
  const auto needed = neededFor(graph, last);
  const ir::Links links(graph);
  const auto ids = s.toTrackTensors.value_or({});
  for (const auto &[value, gradient] : all) {
    const int producer = links.producer[gradient.value];
    if (graph[gradient].info.dataType() != DataType::FLOAT16 || producer < 0)
      continue;
    const auto &def = *graph.nodes[static_cast<std::size_t>(producer)].def;
    const bool wanted =
        s.gradientTensorTrackingMethod == Method::GradientsOfUserSpecifiedTensors
            ? std::find(ids.begin(), ids.end(), graph[value].name) != ids.end()
            : needed[gradient.value] &&
                  (s.gradientTensorTrackingMethod == Method::ConvAndMatmulGradients ? def.product
                                                                                    : !def.view);
    if (wanted)
      out.insert(gradient);
  }
  return out;
}

void requireUserTensors(const ir::Graph &graph, const autodiff::Gradients &all,
                        const AutomaticLossScalingSettings &s) {
  for (const auto &id : s.toTrackTensors.value_or({}))
    if (!all.count(graph.require(id)))
      throw error(base::str("automaticLossScalingSettings: toTrackTensors has \"", id,
                            "\", which no gradient reaches."));
}

} // namespace

namespace {

Value inSlot(const ir::Graph &graph, const std::string &slot) {
  for (std::uint32_t i = 0; i < graph.size(); ++i)
    if (graph[Value{i}].kind == ir::Kind::Variable && graph[Value{i}].slot == slot)
      return Value{i};
  return ir::none;
}

Value addLossScale(ir::Graph &graph, const HostTensor &first) {
  const Value out =
      graph.addVariable("lossScaling_" + nameOf(first.type()), first, ir::Role::HyperParameter);
  graph[out].slot = lossScalingSlot;
  return out;
}

// The loss scale, which begins with this one, times its factor.
Value automaticLossScale(ir::Graph &graph, const Optimizer &optimizer, const HostTensor &first,
                         const Context &context) {
  checkSettings(context.automaticLossScaling);
  if (optimizer.lossScaling().isConst())
    throw error("Automatic loss scaling changes the loss scale, but lossScaling of the optimizer "
                "is constant. Make it non-constant.");
  if (const auto *adam = dynamic_cast<const Adam *>(&optimizer);
      adam && adam->useScaledOptimizerState())
    throw error("Automatic loss scaling changes the loss scale, but Adam was made with "
                "scaledOptimizerState, which keeps it in its state. Switch one of them off.");
  const Value scale = addLossScale(graph, first);
  const Value factor =
      graph.addVariable(factorId, HostTensor::scalar(DataType::FLOAT, 1), ir::Role::Fixed);
  graph[factor].slot = factorSlot;
  ops::GraphBuilder b(graph);
  b.pass = Pass::Backward;
  const Value product = b.mul(scale, b.cast(factor, first.type()));
  graph.rename(product, graph.freeName("finalLossScale"));
  return product;
}

} // namespace

Value lossScaleFactor(const ir::Graph &graph) { return inSlot(graph, factorSlot); }

// Infinite gradients would make weights that are no numbers.
HostTensor lossScaleOf(const Optimizer &optimizer, DataType type) {
  if (const float scale = optimizer.getLossScalingVal();
      type == DataType::FLOAT16 && scale > largestHalf)
    throw error(base::str("lossScaling is ", scale,
                          ", which the loss, a FLOAT16, cannot hold: its "
                          "largest number is ",
                          largestHalf,
                          ". Take a smaller one, compute the loss in FLOAT, or set "
                          "ensureFp32LossScaleTensor."));
  return HostTensor::scalar(type, optimizer.getLossScalingVal());
}

static Value wholeLossScale(ir::Graph &graph, const Optimizer &optimizer, DataType type,
                            const Context &context) {
  const auto first = lossScaleOf(optimizer, type);
  if (context.automaticLossScaling.enabled)
    return automaticLossScale(graph, optimizer, first, context);
  if (optimizer.lossScaling().isConst())
    return graph.addConstant("lossScaling", first);
  return addLossScale(graph, first);
}

LossScale lossScale(ir::Graph &graph, const Optimizer &optimizer, DataType type,
                    const Context &context) {
  const bool large = optimizer.getLossScalingVal() > largestHalf;
  if (type != DataType::FLOAT16 ||
      !(large || context.floatLossScale || context.automaticLossScaling.enabled))
    return {wholeLossScale(graph, optimizer, type, context)};
  const Value whole = wholeLossScale(graph, optimizer, DataType::FLOAT, context);
  ops::GraphBuilder b(graph);
  b.pass = Pass::Backward;
  b.prefix = "lossScaling/";
  constexpr double most = 32768; // with room for a loss that is larger than one
  const Value start = b.op("Min", {whole, b.scalar(most, whole)});
  return {b.cast(start, DataType::FLOAT16), b.op("Div", {whole, start})};
}

namespace {

Value addCounts(ir::Graph &graph) {
  return graph.addVariable(countsId, HostTensor::filled(TensorInfo(DataType::FLOAT, Shape{2}), 0),
                           ir::Role::Fixed);
}

// What all IPUs of all replicas have counted in this period, where the builder stands.
Value allCounts(ir::Graph &graph, ops::GraphBuilder &b, std::int64_t replicas) {
  std::map<Value, ir::Settings> parts; // one for each IPU
  for (const auto &node : graph.nodes)
    if (node.def->type == "GradientStatistics")
      parts.emplace(node.inputs[0], node.settings);
  const auto here = b.settings;
  if (parts.empty())
    throw internal_error("Automatic loss scaling has counted no gradients.");
  if (parts.size() == 1 && replicas == 1 && parts.begin()->second.virtualGraph == here.virtualGraph)
    return parts.begin()->first;
  const Value all = addCounts(graph);
  for (const auto &[part, settings] : parts) {
    b.settings = settings;
    b.settings.name = "Update/count";
    const Value sum = replicas > 1 ? b.op("ReplicatedAllReduce", {part}) : part;
    b.settings = here;
    b.op("Accumulate", {all, sum});
    b.settings = settings;
    b.op("AccumulatorZero", {part});
  }
  b.settings = here;
  return all;
}

} // namespace

void trackGradients(ir::Graph &graph, const autodiff::Gradients &all,
                    const std::set<Value> &weights, const Context &context) {
  const auto &s = context.automaticLossScaling;
  if (!s.enabled)
    return;
  requireUserTensors(graph, all, s);
  auto left = tracked(graph, all, weights, s);
  if (left.empty())
    throw error("Automatic loss scaling needs FLOAT16 gradients, and the model has none to track. "
                "Switch automaticLossScalingSettings.enabled off, or use FLOAT16 weights.");
  std::map<std::optional<std::int64_t>, Value> counts; // by IPU
  std::vector<ir::Node> nodes;
  ops::GraphBuilder b(graph, nodes);
  b.pass = Pass::Backward;
  Value counted = ir::none; // the newest
  ir::Settings where;
  for (auto &node : graph.nodes) {
    const auto made = node.outputs;
    b.settings = node.settings;
    nodes.push_back(std::move(node));
    for (Value v : made)
      if (v != ir::none && left.erase(v)) {
        const auto [at, fresh] = counts.try_emplace(b.settings.virtualGraph);
        if (fresh)
          at->second = addCounts(graph);
        where = b.settings;
        counted = b.op("GradientStatistics", {at->second, v},
                       {{"edge", static_cast<float>(s.binEdgeLocation * largestHalf)}});
      }
  }
  b.settings = where;
  if (counts.size() == 1) // of the micro-batches until now, for those who ask; else pruned
    graph.rename(b.cast(counted, DataType::UINT32), graph.freeName(statsId));
  graph.nodes = std::move(nodes);
}

void addLossScaleUpdate(ir::Graph &graph, const Context &context) {
  const auto &s = context.automaticLossScaling;
  ops::GraphBuilder b(graph);
  b.pass = Pass::Update;
  const Value factor = lossScaleFactor(graph), scale = inSlot(graph, lossScalingSlot);
  for (const auto &node : graph.nodes) // where the loss is scaled
    if (node.pass == Pass::Backward &&
        std::find(node.inputs.begin(), node.inputs.end(), factor) != node.inputs.end())
      b.settings = node.settings;
  const Value counts = allCounts(graph, b, context.replicas);
  if (graph.find(statsId) == ir::none) // of several IPUs: for those who ask, before it is cleared
    graph.rename(b.cast(counts, DataType::UINT32), graph.freeName(statsId));
  const Value period =
      graph.addVariable(periodId, HostTensor::scalar(DataType::FLOAT, 0), ir::Role::Fixed);
  b.ops("LossScaleUpdate", {factor, counts, period, scale}, 3,
        {{"threshold", s.thresholdUpperCountProportion},
         {"period", static_cast<std::int64_t>(s.updatePeriod)}});
}

} // namespace popart::optimizer
