// SPDX-License-Identifier: MIT
#include "core/Conversion.hpp"

#include "base/Text.hpp"
#include <algorithm>
#include <popart/tensornames.hpp>
#include <set>

namespace tensorflow {

std::string describe(const Node &node) {
  return node.name.empty() ? node.op : base::str(node.op, " \"", node.name, "\"");
}

Conversion::Conversion(const Recording &recording, std::int64_t instead)
    : recording_(recording), instead_(instead), model_(&own_) {}

Conversion::Conversion(const Recording &recording, popart::Model &model, const Values &inputs)
    : recording_(recording), model_(&model) {
  values_.resize(recording.tensors.size(), none);
  for (; inputs_ < recording.inputs.size(); ++inputs_)
    values_[recording.inputs[inputs_].first] = inputs.at(inputs_);
}

Value Conversion::at(TensorNumber tensor) const {
  if (tensor >= values_.size() || values_[tensor] == none)
    throw popart::internal_error("Tensor {} of the recording is used before it is made.", tensor);
  return values_[tensor];
}

void Conversion::place(const Place &place, const std::string &name) {
  auto &settings = model_->settings;
  settings.virtualGraph = sharded_ && !place.ipu ? 0 : place.ipu;
  settings.pipelineStage = place.stage;
  settings.name = name;
  if (model_ == &own_)
    model_->writeRule(place.update);
}

Place Conversion::placeOf(TensorNumber variable) const {
  for (const auto &node : recording_.nodes)
    if (std::find(node.inputs.begin(), node.inputs.end(), variable) != node.inputs.end())
      return node.place;
  return {};
}

Place Conversion::placeOfUpdate(const Variable &variable, TensorNumber value) const {
  Place out = placeOf(variable.tensor);
  out.update = std::any_of(recording_.nodes.begin(), recording_.nodes.end(), [&](const Node &node) {
    return node.place.update &&
           std::find(node.outputs.begin(), node.outputs.end(), value) != node.outputs.end();
  });
  return out;
}

void Conversion::declare() {
  values_.resize(recording_.tensors.size(), none);
  for (; inputs_ < recording_.inputs.size(); ++inputs_) {
    const auto &[tensor, name] = recording_.inputs[inputs_];
    const auto &info = recording_.tensors[tensor];
    Shape shape = info.shape;
    if (!shape.empty() && shape[0] == unknown) // a batch: smaller than a field may be
      shape[0] = std::max<std::int64_t>(instead_ / 2, 1);
    std::replace(shape.begin(), shape.end(), unknown, instead_);
    const TensorInfo one(info.type, shape);
    if (synthetic_.empty())
      values_[tensor] = model_->input(name, one);
    else
      values_[tensor] = model_->weight(name, one, synthetic_.at(inputs_).data,
                                       synthetic_.at(inputs_).owner, popart::ir::Role::Fixed);
  }
  while (variables_.size() < recording_.variables.size()) {
    const auto &variable = recording_.variables[variables_.size()];
    const auto role = variable.trained ? popart::ir::Role::Weight
                      : variable.state ? popart::ir::Role::OptimizerState
                                       : popart::ir::Role::Fixed;
    const auto &info = recording_.tensors[variable.tensor];
    place(placeOf(variable.tensor), variable.name);
    variables_.push_back(model_->weight(variable.name, TensorInfo(variable.stored, info.shape),
                                        variable.data, variable.owner, role));
    values_[variable.tensor] = model_->cast(variables_.back(), info.type);
  }
  for (; constants_ < recording_.constants.size(); ++constants_) {
    const auto &[tensor, data] = recording_.constants[constants_];
    values_[tensor] = model_->constant(data);
  }
}

Value Conversion::turned(Value channelsLast) const {
  const auto it = turned_.find(channelsLast);
  return it == turned_.end() ? none : it->second;
}

static std::set<std::string> &keepingOrder() {
  static std::set<std::string> names;
  return names;
}

void keepsOrder(const std::string &op) { keepingOrder().insert(op); }

// Whether all inputs are there with channels second, or are single numbers.
bool Conversion::turns(const Node &node, const Values &inputs) const {
  if (!keepingOrder().count(node.op) || node.attributes.count("noise_shape"))
    return false;
  bool any = false;
  for (Value v : inputs) {
    const bool one = v != none && turned(v) != none;
    if (!one && (v == none || model_->info(v).nelms() != 1 || model_->shape(v).size() > 1))
      return false;
    any |= one;
  }
  return any;
}

Values Conversion::callTurned(const Converter &converter, const Node &node, Values inputs) {
  for (auto &v : inputs)
    if (turned(v) != none)
      v = turned(v);
  Call call(*this, node, std::move(inputs), *model_);
  Values made = converter(call);
  for (auto &v : made) {
    Integers perm{0};
    for (std::int64_t d = 2; d < std::int64_t(model_->shape(v).size()); ++d)
      perm.push_back(d);
    perm.push_back(1);
    const Value last = model_->transpose(v, perm);
    remember(last, v);
    v = last;
  }
  return made;
}

// What a scope says of the operators in it: how they round, the type that they gather sums in.
static void takeScopes(const Call &c, Attributes &settings) {
  settings = {};
  if (c.has("__stochastic_rounding"))
    settings.set("__stochastic_rounding", c.integer("__stochastic_rounding"));
  if (c.has("__partials_type"))
    settings.set("__partials_type", c.text("__partials_type"));
}

void Conversion::convert(const Node &node) {
  const auto *converter = Registry::all().find(node.op);
  if (!converter)
    throw ConversionError("There is no conversion of the operation " + describe(node) +
                          ". docs/tensorflow.md lists those there are.");
  Values inputs;
  for (auto tensor : node.inputs)
    inputs.push_back(tensor == noTensor ? none : at(tensor));
  place(node.place, node.name);
  Call call(*this, node, inputs, *model_);
  takeScopes(call, model_->settings.extra);
  const Values made = frontend::converting<ConversionError>(call, [&] {
    return turns(node, inputs) ? callTurned(*converter, node, inputs) : (*converter)(call);
  });
  if (made.size() < node.outputs.size())
    throw popart::internal_error("{} was converted to {} results; {} are recorded.", describe(node),
                                 made.size(), node.outputs.size());
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    values_[node.outputs[i]] = made[i];
}

void Conversion::follow() {
  // What is on no IPU of a model that is on several is on the first.
  sharded_ = std::any_of(recording_.nodes.begin(), recording_.nodes.end(),
                         [](const Node &node) { return node.place.ipu.has_value(); });
  declare();
  for (; nodes_ < recording_.nodes.size(); ++nodes_)
    convert(recording_.nodes[nodes_]);
}

// Of the last stage of a pipeline: outputs leave from there.
static Place lastPlace(const Recording &recording) {
  Place last;
  for (const auto &node : recording.nodes)
    if (!node.place.update && node.place.stage.value_or(-1) >= last.stage.value_or(-1))
      last = node.place;
  return last;
}

Converted Conversion::finish() {
  follow();
  Converted out;
  for (const auto &[variable, tensor] : recording_.updates) {
    const auto &stored = recording_.variables.at(variable);
    place(placeOfUpdate(stored, tensor), stored.name);
    own_.update(variables_.at(variable), own_.cast(at(tensor), stored.stored));
    out.changed.insert(stored.name);
  }
  for (const auto &[tensor, name] : recording_.inputs)
    if (synthetic_.empty())
      out.inputs.push_back(name);
  place(lastPlace(recording_), "outputs");
  if (recording_.loss != noTensor)
    out.loss = own_.nameOf(own_.reshape(at(recording_.loss), {}));
  for (std::size_t i = 0; i < recording_.outputs.size(); ++i) {
    if (recording_.gradients.count(i)) {
      out.outputs.push_back(popart::getGradId(own_.nameOf(at(recording_.outputs[i]))));
      continue;
    }
    // An input, a variable or one value twice: an output of its own.
    const auto name = base::str("output/", i);
    own_.output(own_.op("Identity", {at(recording_.outputs[i])}), name);
    out.outputs.push_back(name);
  }
  out.model = std::move(own_);
  return out;
}

} // namespace tensorflow
