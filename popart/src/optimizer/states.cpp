// SPDX-License-Identifier: MIT
// What the optimizer keeps of weights, and the numbers that it is given: variables with a slot.
#include "optimizer/updates.hpp"

#include "base/Text.hpp"
#include <popart/adam.hpp>
#include <popart/error.hpp>

namespace popart::optimizer {

using ir::Kind;
using ir::Role;

namespace {

constexpr const char *stepSlot = "Step";

HostTensor firstOf(const Recipe::State &state, const Scalars &scalars, const HostTensor &weight,
                   const Shape &shape, const Optimizer &optimizer) {
  const TensorInfo info(state.type, shape);
  const double share = state.ofWeight.empty() ? 0 : named(scalars, state.ofWeight, optimizer).value;
  if (share == 0 || !weight)
    return HostTensor::filled(info, state.first);
  auto values = weight.doubles();
  for (auto &v : values)
    v *= share;
  return HostTensor::fromDoubles(info, values);
}

// The count of updates that were done before.
HostTensor firstStep(const Optimizer &optimizer, const TensorId &weight) {
  const auto *adam = dynamic_cast<const Adam *>(&optimizer);
  return HostTensor::scalar(DataType::FLOAT, adam ? double(adam->getStep(weight)) : 0);
}

} // namespace

const Scalar &named(const Scalars &scalars, const std::string &name, const Optimizer &optimizer) {
  for (const auto &s : scalars)
    if (s.name == name)
      return s;
  throw internal_error("{} has no scalar {}.", optimizer.type_s(), name);
}

// A saved value, if there is one that fits.
HostTensor Updates::initial(const TensorId &id, const TensorInfo &info,
                            const HostTensor &otherwise) {
  auto it = state_.find(id);
  if (it == state_.end())
    return otherwise;
  if (it->second.info().nelms() != info.nelms())
    throw error(base::str("The model's \"", id, "\" has the shape ", ir::text(it->second.shape()),
                          ", but the optimizer keeps ", ir::text(info.shape()), " there."));
  return it->second.as(info.dataType()).reshaped(info.shape());
}

Value Updates::stateOf(const Weight &w, const std::string &slot, const TensorInfo &info,
                       const HostTensor &first) {
  const TensorId id = stateId(slot, w.name);
  const Value v = graph_.addVariable(id, initial(id, info, first), Role::OptimizerState);
  graph_[v].weight = w.variable;
  graph_[v].slot = slot;
  return v;
}

void Updates::addState(Weight &w) {
  const Shape shape = graph_[w.value].info.shape();
  for (const auto &s : w.recipe.states) {
    const Value state = stateOf(w, s.slot, TensorInfo(s.type, shape),
                                firstOf(s, w.scalars, graph_[w.value].data, shape, optimizer_));
    graph_[state].gathers = w.recipe.inVelocity;
    w.states.push_back(kept(state, w, w.sharded && w.shardedStates[w.states.size()]));
  }
  if (w.recipe.inVelocity)
    w.velocity = w.states[0];
  if (!w.recipe.corrected.empty()) {
    const TensorInfo info(DataType::FLOAT, Shape{});
    w.step = stateOf(w, stepSlot, info, firstStep(optimizer_, w.name));
  }
}

const Scalar &Updates::scalar(const Weight &w, const std::string &name) const {
  return named(w.scalars, name, optimizer_);
}

// The variable of a scalar that may change; weights share the default one.
Value Updates::scalarValue(const Weight &w, const Scalar &s) {
  const Value own = optimizer_.hasSpecific(w.name) ? w.variable : ir::none;
  const auto [known, fresh] = hyperParameters_.try_emplace({s.name, own}, ir::none);
  if (fresh) {
    known->second =
        graph_.addVariable(scalarVariable(optimizer_, s.name, w.name),
                           HostTensor::scalar(DataType::FLOAT, s.value), Role::HyperParameter);
    graph_[known->second].weight = own;
    graph_[known->second].slot = s.name;
  }
  return known->second;
}

void Updates::give(Given &to, const Weight &w, const std::string &name, const std::string &as) {
  const auto &s = scalar(w, name);
  if (s.constant)
    to.attributes.set(as, static_cast<float>(s.value));
  else
    to.value(as, scalarValue(w, s));
}

void Updates::finish(ir::Node &node, const Given &given) {
  node.inputs.insert(node.inputs.end(), given.inputs.begin(), given.inputs.end());
  if (!given.names.empty())
    node.attributes.set("scalars", given.names);
}

std::map<TensorId, HostTensor> hyperParameters(const std::vector<HyperParameter> &which,
                                               const Optimizer &optimizer, const Context &context) {
  std::map<TensorId, HostTensor> out;
  std::map<TensorId, Scalars> scalars; // by weight
  for (const auto &h : which) {
    if (h.slot == lossScalingSlot) {
      out[h.id] = lossScaleOf(optimizer, h.type);
      continue;
    }
    auto &all = scalars[h.weight];
    if (all.empty())
      all = scalarsOf(optimizer, h.weight, context);
    out[h.id] = HostTensor::scalar(h.type, named(all, h.slot, optimizer).value);
  }
  return out;
}

std::map<TensorId, HostTensor> hyperParameters(const ir::Graph &graph, const Optimizer &optimizer,
                                               const Context &context) {
  std::vector<HyperParameter> which;
  for (std::uint32_t i = 0; i < graph.size(); ++i)
    if (const auto &data = graph[Value{i}];
        data.kind == Kind::Variable && data.role == Role::HyperParameter)
      which.push_back({data.name, data.slot, data.weight == ir::none ? "" : graph[data.weight].name,
                       data.info.dataType()});
  return hyperParameters(which, optimizer, context);
}

std::map<TensorId, HostTensor> firstStates(const Optimizer &optimizer, const TensorId &weight,
                                           const HostTensor &value, const Context &context) {
  std::map<TensorId, HostTensor> out;
  const auto recipe = recipeOf(optimizer, weight, value.type(), context);
  const auto scalars = scalarsOf(optimizer, recipe, weight, context);
  for (const auto &state : recipe.states)
    out[stateId(state.slot, weight)] = firstOf(state, scalars, value, value.shape(), optimizer);
  if (!recipe.corrected.empty())
    out[stateId(stepSlot, weight)] = firstStep(optimizer, weight);
  return out;
}

std::vector<TensorId> stateIds(const Optimizer &optimizer, const TensorId &weight, DataType type,
                               const Context &context) {
  const auto recipe = recipeOf(optimizer, weight, type, context);
  std::vector<TensorId> out;
  for (const auto &state : recipe.states)
    out.push_back(stateId(state.slot, weight));
  if (!recipe.corrected.empty())
    out.push_back(stateId(stepSlot, weight));
  return out;
}

} // namespace popart::optimizer
