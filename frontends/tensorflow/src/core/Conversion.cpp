// SPDX-License-Identifier: MIT
#include "core/Conversion.hpp"

#include "base/Text.hpp"
#include <algorithm>

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
}

Place Conversion::placeOf(TensorNumber variable) const {
  for (const auto &node : recording_.nodes)
    if (std::find(node.inputs.begin(), node.inputs.end(), variable) != node.inputs.end())
      return node.place;
  return {};
}

void Conversion::declare() {
  values_.resize(recording_.tensors.size(), none);
  for (; inputs_ < recording_.inputs.size(); ++inputs_) {
    const auto &[tensor, name] = recording_.inputs[inputs_];
    const auto &info = recording_.tensors[tensor];
    Shape shape = info.shape;
    std::replace(shape.begin(), shape.end(), unknown, instead_);
    values_[tensor] = model_->input(name, TensorInfo(info.type, shape));
  }
  while (variables_.size() < recording_.variables.size()) {
    const auto &variable = recording_.variables[variables_.size()];
    const auto role = variable.trained ? popart::ir::Role::Weight : popart::ir::Role::Fixed;
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

void Conversion::convert(const Node &node) {
  const auto *converter = Registry::all().find(node.op);
  if (!converter)
    throw ConversionError("There is no conversion of the operation " + describe(node) +
                          ". docs/tensorflow.md lists those there are.");
  Values inputs;
  for (auto tensor : node.inputs)
    inputs.push_back(tensor == noTensor ? none : at(tensor));
  place(node.place, node.name);
  Call call(*this, node, std::move(inputs), *model_);
  Values made;
  try {
    made = (*converter)(call);
  } catch (const ConversionError &) {
    throw;
  } catch (const popart::internal_error &) {
    throw;
  } catch (const popart::error &e) {
    throw ConversionError(describe(node) + ": " + e.what());
  }
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
    if (node.place.stage.value_or(-1) >= last.stage.value_or(-1))
      last = node.place;
  return last;
}

Converted Conversion::finish() {
  follow();
  Converted out;
  for (const auto &[variable, tensor] : recording_.updates) {
    const auto &stored = recording_.variables.at(variable);
    place(placeOf(stored.tensor), stored.name);
    own_.update(variables_.at(variable), own_.cast(at(tensor), stored.stored));
    out.changed.insert(stored.name);
  }
  for (const auto &[tensor, name] : recording_.inputs)
    out.inputs.push_back(name);
  place(lastPlace(recording_), "outputs");
  if (recording_.loss != noTensor)
    out.loss = own_.nameOf(own_.reshape(at(recording_.loss), {}));
  for (std::size_t i = 0; i < recording_.outputs.size(); ++i) {
    // An input, a variable or one value twice: an output of its own.
    const auto name = base::str("output/", i);
    own_.output(own_.op("Identity", {at(recording_.outputs[i])}), name);
    out.outputs.push_back(name);
  }
  out.model = std::move(own_);
  return out;
}

} // namespace tensorflow
