// SPDX-License-Identifier: MIT
#include "openipu/Model.hpp"

#include "autodiff/autodiff.hpp"
#include "base/Text.hpp"
#include "opdef/graphbuilder.hpp"
#include <algorithm>
#include <popart/error.hpp>

namespace popart {

struct Model::Impl {
  ir::Graph graph;
  ops::GraphBuilder builder{graph}, rule{graph, graph.rule};
  bool writesRule = false;
  bool isBody = false;
  std::map<TensorId, InputSettings> inputs;
  std::map<TensorId, VariableSettings> variables;
  std::map<TensorId, Memory> memory;
  std::vector<TensorId> weights;

  void requireFree(const TensorId &name) const {
    if (name.empty())
      throw error("A tensor of the model \"{}\" needs a name.", graph.name);
    if (graph.find(name) != ir::none)
      throw error("Two tensors of the model \"{}\" are called \"{}\".", graph.name, name);
  }
  static void requireSize(const TensorId &name, const TensorInfo &info) {
    if (!ops::fitsAnIpu(info))
      throw error(base::str("\"", name, "\" is ", info, ", more than a device can hold."));
  }
  static bool isOneOf(const Values &values, Value v) {
    return std::find(values.begin(), values.end(), v) != values.end();
  }
  Values append(const Writer &as, ir::Node node, unsigned outputs) {
    auto &to = writesRule ? rule : builder;
    to.settings = as.settings;
    to.prefix = as.settings.name.empty() ? "" : as.settings.name + "/";
    to.pass = writesRule ? ir::Pass::Update : ir::Pass::Forward;
    return to.append(std::move(node), outputs);
  }
};

namespace {

const ops::OpDef &definitionOf(const std::string &type, const std::string &at) {
  if (const auto *def = ops::findOp(type))
    return *def;
  std::vector<std::string> names;
  for (const auto &op : ops::allOps())
    names.push_back(op.type);
  throw error(base::str("There is no operator \"", type, "\"",
                        at.empty() ? std::string() : base::str(" (at \"", at, "\")"), ".",
                        base::didYouMean(type, names)));
}

} // namespace

Model::Model(const std::string &name) : impl_(std::make_unique<Impl>()) {
  impl_->graph.name = name;
}
Model::~Model() = default;
Model::Model(Model &&) noexcept = default;
Model &Model::operator=(Model &&) noexcept = default;

Model::Value Model::input(const TensorId &name, const TensorInfo &info,
                          const InputSettings &settings) {
  impl_->requireFree(name);
  impl_->requireSize(name, info);
  auto &graph = impl_->graph;
  graph.inputs.push_back(
      graph.add({name, info, impl_->isBody ? ir::Kind::Computed : ir::Kind::Stream, {}}));
  impl_->inputs.emplace(name, settings);
  return graph.inputs.back();
}

Model::Value Model::weight(const TensorId &name, const TensorInfo &info, void *data,
                           std::shared_ptr<void> owner, ir::Role role,
                           const VariableSettings &settings) {
  impl_->requireFree(name);
  impl_->requireSize(name, info);
  if (impl_->isBody)
    throw error("The body \"{}\" cannot have a weight \"{}\" of its own: hand it in as an input.",
                impl_->graph.name, name);
  if (!data && info.nelms())
    throw error("The weight \"{}\" has no values.", name);
  if (role == ir::Role::Accumulator)
    throw error("\"{}\": what gathers gradients is made by the session, not by a model.", name);
  static char nothing = 0; // of a tensor without elements
  void *const at = data ? data : &nothing;
  const Value v = impl_->graph.add({name, info, ir::Kind::Variable, {info, at, owner}, role});
  impl_->memory[name] = {at, std::move(owner)};
  impl_->weights.push_back(name);
  if (!(settings == VariableSettings()))
    impl_->variables.emplace(name, settings);
  return v;
}

void Model::update(Value variable, Value value) {
  const auto &data = impl_->graph[variable];
  if (data.kind != ir::Kind::Variable)
    throw error("\"{}\" is no weight of the model \"{}\", so that it cannot be updated.", data.name,
                impl_->graph.name);
  for (const auto *nodes : {&impl_->graph.nodes, &impl_->graph.rule})
    for (const auto &node : *nodes)
      if (node.def->updates >= 0 && node.inputs[std::size_t(node.def->updates)] == variable)
        throw error("\"{}\" is updated twice.", data.name);
  op("CopyVarUpdate", {variable, value});
}

void Model::writeRule(bool on) {
  if (on && impl_->isBody)
    throw error("The body \"{}\" cannot have a rule of updates.", impl_->graph.name);
  impl_->writesRule = on;
}
Model::Value Model::gradientOf(Value weight) {
  if (!impl_->writesRule)
    throw error("The gradient of \"{}\" is part of a rule of updates: writeRule(true) first.",
                nameOf(weight));
  return op("WeightGradient", {weight});
}

void Model::output(Value v, const TensorId &name) {
  auto &graph = impl_->graph;
  if (graph[v].kind != ir::Kind::Computed || impl_->isOneOf(graph.outputs, v) ||
      impl_->isOneOf(graph.inputs, v))
    v = op("Identity", {v}); // it has a name that others know it by
  if (graph[v].name != name)
    impl_->requireFree(name);
  graph.rename(v, name);
  graph.outputs.push_back(v);
}

const TensorId &Model::nameOf(Value v) const { return impl_->graph[v].name; }
std::vector<TensorId> Model::weights() const { return impl_->weights; }

Model::Values Model::gradients(const Values &of, const Values &by, const Values &given) {
  autodiff::Request request{ops::none, ops::none, {by.begin(), by.end()}, {}};
  for (std::size_t i = 0; i < of.size(); ++i) {
    const bool known = i < given.size() && given[i] != ops::none;
    if (known && info(given[i]).shape() != info(of[i]).shape())
      throw error(base::str("The gradient of \"", nameOf(of[i]), "\", which is ", info(of[i]),
                            ", cannot be ", info(given[i]), "."));
    request.given.emplace_back(of[i],
                               known ? given[i] : expand(scalar(1.0, of[i]), info(of[i]).shape()));
  }
  const auto found = autodiff::differentiate(impl_->graph, request);
  Values out;
  for (Value v : by) {
    const auto at = found.find(v);
    out.push_back(at == found.end() ? ops::none : at->second);
  }
  return out;
}

namespace {
// Operators that people do not think of when they speak of the one before.
bool passesOn(const std::string &type) {
  for (const char *t : {"Add", "Cast", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Identity",
                        "Detach", "Slice", "Split", "Expand"})
    if (type == t)
      return true;
  return false;
}
} // namespace

ir::Settings *Model::producer(Value v, const std::vector<std::string> &types) {
  auto &nodes = impl_->graph.nodes;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    if (!impl_->isOneOf(node->outputs, v))
      continue;
    if (types.empty() || std::find(types.begin(), types.end(), node->def->type) != types.end())
      return &node->settings;
    if (!passesOn(node->def->type))
      return nullptr;
    v = node->inputs.at(0);
  }
  return nullptr;
}

Model Model::body(const std::string &name) const {
  Model out(name);
  out.settings = settings;
  out.impl_->isBody = true;
  return out;
}

Model::Values Model::ops(const std::string &type, const Values &inputs, unsigned outputs,
                         std::vector<Model> bodies, ops::Attributes attributes) {
  ir::Node node;
  node.def = &definitionOf(type, settings.name);
  node.inputs = inputs;
  node.attributes = std::move(attributes);
  for (auto &body : bodies) {
    if (!body.impl_ || !body.impl_->isBody)
      throw error("{}: a model is no body. Make bodies with Model::body().", type);
    node.bodies.push_back(std::make_shared<const ir::Graph>(std::move(body.impl_->graph)));
  }
  return impl_->append(*this, std::move(node), outputs);
}
Model::Values Model::ops(const std::string &type, const Values &inputs, unsigned outputs,
                         ops::Attributes attributes) {
  return ops(type, inputs, outputs, std::vector<Model>(), std::move(attributes));
}
Model::Value Model::constant(ops::HostTensor data, const std::string &name) {
  return impl_->builder.constant(std::move(data), name);
}
const TensorInfo &Model::info(Value v) const { return impl_->graph[v].info; }
const ops::HostTensor *Model::valuesOf(Value v) const { return impl_->builder.valuesOf(v); }

const ir::Graph &Model::graph() const { return impl_->graph; }
const std::map<TensorId, InputSettings> &Model::inputSettings() const { return impl_->inputs; }
const std::map<TensorId, VariableSettings> &Model::variableSettings() const {
  return impl_->variables;
}
const std::map<TensorId, Model::Memory> &Model::memory() const { return impl_->memory; }

} // namespace popart
