// SPDX-License-Identifier: MIT
#include "transforms/memory/cutbatches.hpp"

#include "analysis/batchrules.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <popart/error.hpp>

namespace popart::transforms {

using analysis::BatchRule;
using analysis::batchRule;
using ir::Node;
using ir::none;
using ir::Value;
using ir::Values;

namespace {

class Serializer {
public:
  Serializer(ir::Graph &graph, const BatchSerializationSettings &settings,
             const std::set<Value> &kept)
      : graph_(graph), how_(settings), kept_(kept), b_(graph, nodes_) {}

  void run() {
    findInputs();
    auto old = std::move(graph_.nodes);
    for (auto &node : old)
      visit(node);
    graph_.nodes = std::move(nodes_);
  }

private:
  struct Cut {
    std::int64_t axis = 0;
    Values parts;
    ir::Settings made; // where the parts are
  };

  std::int64_t parts() const { return how_.factor; }
  void findInputs() {
    std::string whole;
    for (Value v : graph_.inputs) {
      const auto &value = graph_[v];
      const auto &shape = value.info.shape();
      if (value.kind != ir::Kind::Stream || shape.empty())
        continue;
      if (shape[0] % parts() == 0 && shape[0])
        batched_.insert(v);
      else
        whole = base::str(" \"", value.name, "\" is ", value.info, ".");
    }
    if (batched_.empty())
      throw error(base::str("batchSerializationSettings.factor is ", parts(),
                            ", but no input has a first dimension that is a multiple of it.",
                            whole));
  }

  // Along which axis a value is cut, or would be; -1: not at all.
  std::int64_t axisOf(Value v) const {
    if (v == none)
      return -1;
    if (const auto it = cuts_.find(v); it != cuts_.end())
      return it->second.axis;
    return batched_.count(v) ? 0 : -1;
  }
  bool crosses(const ir::Settings &from, const ir::Settings &to) const {
    return (how_.concatOnVirtualGraphChange && from.virtualGraph != to.virtualGraph) ||
           (how_.concatOnExecutionPhaseChange && from.executionPhase != to.executionPhase) ||
           (how_.concatOnPipelineStageChange && from.pipelineStage != to.pipelineStage);
  }

  void visit(const Node &node) {
    std::vector<std::int64_t> axes;
    bool any = false;
    for (Value v : node.inputs) {
      axes.push_back(axisOf(v));
      any = any || axes.back() >= 0;
    }
    const bool counts = node.pass != ir::Pass::Update && node.def->updates < 0 &&
                        !node.def->sideEffect && node.bodies.empty() && !ops::drawsNumbers(node);
    std::optional<BatchRule> rule;
    if (any && counts)
      rule = batchRule(ops::OpView(graph_, node), axes, parts());
    if (!rule)
      return keepWhole(node);
    if (rule->adds)
      addParts(node, *rule);
    else
      cut(node, *rule);
  }

  void keepWhole(const Node &node) {
    for (Value v : node.inputs)
      if (v != none)
        join(v);
    nodes_.push_back(node);
  }

  // The node for part k of its inputs.
  Values partOf(const Node &node, const BatchRule &rule, std::size_t k) {
    Node part = node;
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i] != none && rule.inputs[i] >= 0)
        part.inputs[i] = pieces(node.inputs[i], rule.inputs[i], node)[k];
      else if (node.inputs[i] != none)
        join(node.inputs[i]);
    for (const auto &[name, shape] : rule.shapes)
      part.attributes.set(name, shape);
    enter(node, k);
    return b_.append(std::move(part), static_cast<unsigned>(node.outputs.size()));
  }
  void enter(const Node &node, std::size_t k) {
    b_.settings = node.settings;
    b_.pass = node.pass;
    b_.prefix = base::str("part", k, '/');
    // Isomorphic: the parts one after the other, each in the same order.
    if (how_.batchSchedule != BatchSerializationBatchSchedule::Scheduler)
      b_.settings.schedulePriority += 1e-3 * double(parts() - std::int64_t(k)) / double(parts());
  }
  void leave(const Node &node) {
    b_.settings = node.settings;
    b_.pass = node.pass;
    b_.prefix = "batch/";
  }

  void cut(const Node &node, const BatchRule &rule) {
    std::vector<Cut> made(node.outputs.size());
    for (std::size_t k = 0; k < std::size_t(parts()); ++k) {
      const auto out = partOf(node, rule, k);
      for (std::size_t i = 0; i < made.size(); ++i)
        made[i].parts.push_back(out[i]);
    }
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (node.outputs[i] == none)
        continue;
      made[i].axis = rule.outputs[i];
      made[i].made = node.settings;
      pass_[node.outputs[i]] = node.pass;
      cuts_[node.outputs[i]] = std::move(made[i]);
      if (kept_.count(node.outputs[i]))
        join(node.outputs[i]);
    }
  }
  // The result of all parts is their sum.
  void addParts(const Node &node, const BatchRule &rule) {
    Value sum = none;
    for (std::size_t k = 0; k < std::size_t(parts()); ++k) {
      const Value part = partOf(node, rule, k).front();
      leave(node);
      sum = sum == none ? part : b_.add(sum, part);
    }
    nodes_.back().outputs[0] = node.outputs[0]; // of the last addition
  }

  // The value as a whole, from now on.
  void join(Value v) {
    const auto it = cuts_.find(v);
    if (it == cuts_.end() || graph_[v].kind != ir::Kind::Computed || !pass_.count(v))
      return;
    Node node;
    node.def = &ops::opOf("Concat");
    node.inputs = it->second.parts;
    node.attributes.set("axis", it->second.axis);
    node.outputs = {v};
    node.settings = it->second.made;
    node.pass = pass_[v];
    nodes_.push_back(std::move(node));
    pass_.erase(v);
    if (kept_.count(v)) // gradients of the whole are asked for: its users take slices of it
      cuts_.erase(it);
  }

  const Values &pieces(Value v, std::int64_t axis, const Node &user) {
    const auto it = cuts_.find(v);
    if (it != cuts_.end() && it->second.axis == axis && !crosses(it->second.made, user.settings))
      return it->second.parts;
    join(v);
    Cut cut{axis, {}, user.settings};
    const auto size = graph_[v].info.shape()[std::size_t(axis)] / parts();
    for (std::int64_t k = 0; k < parts(); ++k) {
      enter(user, std::size_t(k));
      cut.parts.push_back(slice(v, axis, k * size, size));
    }
    return (cuts_[v] = std::move(cut)).parts;
  }
  Value slice(Value v, std::int64_t axis, std::int64_t from, std::int64_t size) {
    if (how_.method == BatchSerializationMethod::UnrollStatic ||
        graph_[v].kind == ir::Kind::Constant)
      return b_.op("Slice", {v},
                   {{"starts", ir::Integers{from}},
                    {"ends", ir::Integers{from + size}},
                    {"axes", ir::Integers{axis}}});
    const Value at = b_.constant(
        ir::HostTensor::fromIntegers({DataType::UINT32, Shape{1}}, ir::Integers{from}), "from");
    return b_.op("DynamicSlice", {v, at},
                 {{"axes", ir::Integers{axis}},
                  {"sizes", ir::Integers{size}},
                  {"noOverlap", std::int64_t(1)}});
  }

  ir::Graph &graph_;
  const BatchSerializationSettings &how_;
  const std::set<Value> &kept_;
  std::vector<Node> nodes_;
  ops::GraphBuilder b_;
  std::set<Value> batched_;
  std::map<Value, Cut> cuts_;
  std::map<Value, ir::Pass> pass_; // of values that exist in parts only
};

} // namespace

void cutBatches(ir::Graph &graph, const BatchSerializationSettings &settings,
                const std::set<Value> &kept) {
  Serializer(graph, settings, kept).run();
}

} // namespace popart::transforms
