// SPDX-License-Identifier: MIT
#include "onnx/settings.hpp"

#include "base/Text.hpp"
#include <algorithm>
#include <filesystem>
#include <popart/error.hpp>
#include <sstream>

namespace popart::onnxmodel {

Model openModel(const OnnxModel &model) {
  const std::string_view text(model.data(), model.size());
  std::error_code ignored;
  if (text.size() < 4096 && std::filesystem::is_regular_file(text, ignored))
    return loadModel(text);
  return parseModel({text, model.owner()});
}

namespace {

// The id behind "__<kind>/" of a key.
bool isKey(const std::string &key, const std::string &kind, TensorId &id) {
  const std::string start = "__" + kind + "/";
  if (key.rfind(start, 0) != 0)
    return false;
  id = key.substr(start.size());
  return true;
}

std::vector<int> numbers(const onnx::StringStringEntryProto &entry, std::vector<int> limits) {
  std::istringstream in(entry.value());
  std::vector<int> out;
  for (int limit : limits) {
    int value = -1;
    if (!(in >> value) || value < 0 || value >= limit)
      throw error(base::str("The model's metadata \"", entry.key(), "\" is \"", entry.value(),
                            "\", which means nothing."));
    out.push_back(value);
  }
  return out;
}

struct InputNotes {
  int mode = static_cast<int>(ReplicatedStreamMode::Replicate), tiles = 0, exchange = 0;
};

InputSettings settingsFrom(const TensorId &id, const InputNotes &notes) {
  if (notes.mode != static_cast<int>(ReplicatedStreamMode::Replicate))
    return InputSettings(static_cast<ReplicatedStreamMode>(notes.mode));
  const InputSettings out(static_cast<TileSet>(notes.tiles),
                          static_cast<ExchangeStrategy>(notes.exchange));
  if (out.exchangeStrategy() == ExchangeStrategy::OverlapStep)
    throw error("The input \"{}\" asks for the exchange strategy OverlapStep, which is not there.",
                id);
  return out;
}

VariableSettings variableSettings(const onnx::StringStringEntryProto &entry, const TensorId &id) {
  const auto n = numbers(entry, {static_cast<int>(CommGroupType::N), 1 << 20, 3});
  const auto mode = static_cast<VariableRetrievalMode>(n[2]);
  if (mode == VariableRetrievalMode::AllReduceReplicas)
    throw error("The variable \"{}\" asks to be returned as AllReduceReplicas, which is not there. "
                "Take OnePerGroup or AllReplicas.",
                id);
  const CommGroup group(static_cast<CommGroupType>(n[0]), static_cast<unsigned>(n[1]));
  if (std::count(entry.value().begin(), entry.value().end(), ' ') < 3)
    return {group, mode};
  const int stride = numbers(entry, {static_cast<int>(CommGroupType::N), 1 << 20, 3, 1 << 20})[3];
  return {static_cast<unsigned>(stride), group.replicaGroupSize, mode};
}

} // namespace

ir::ModelSettings settingsOf(const onnx::ModelProto &model) {
  ir::ModelSettings out;
  std::map<TensorId, InputNotes> notes;
  TensorId id;
  for (const auto &entry : model.metadata_props()) {
    if (isKey(entry.key(), "replicated_stream_mode", id))
      notes[id].mode = numbers(entry, {2})[0];
    else if (isKey(entry.key(), "tile_set", id))
      notes[id].tiles = numbers(entry, {2})[0];
    else if (isKey(entry.key(), "exchange_strategy", id))
      notes[id].exchange = numbers(entry, {4})[0];
    else if (isKey(entry.key(), "variable_settings", id))
      out.variables[id] = variableSettings(entry, id);
  }
  for (const auto &[input, note] : notes)
    out.inputs.emplace(input, settingsFrom(input, note));
  return out;
}

namespace {
void setShape(onnx::ValueInfoProto &value, const Shape &shape) {
  auto *dims = value.mutable_type()->mutable_tensor_type()->mutable_shape();
  dims->clear_dim();
  for (auto d : shape)
    dims->add_dim()->set_dim_value(d);
}

// Group 0 of the tensor's values.
void cut(onnx::TensorProto &tensor, const ir::HostTensor &whole, const VariableSettings &settings,
         unsigned replicas) {
  const TensorInfo info(whole.type(),
                        settings.shapeOnReplica(whole.shape(), replicas, tensor.name()));
  const auto *bytes = static_cast<const char *>(whole.data());
  write(tensor, ir::HostTensor(info, std::vector<char>(bytes, bytes + info.nbytes())));
  tensor.clear_external_data();
  tensor.set_data_location(onnx::TensorProto::DEFAULT);
}
} // namespace

Model ofOneReplica(const Model &model, const ir::ModelSettings &settings, unsigned replicas) {
  const auto grouped = [&](const TensorId &id) {
    const auto it = settings.variables.find(id);
    const bool grouped = it != settings.variables.end() && it->second.getGroupCount(replicas) > 1;
    return grouped ? &it->second : nullptr;
  };
  bool any = false;
  for (const auto &tensor : model.proto->graph().initializer())
    any |= grouped(tensor.name()) != nullptr;
  if (!any)
    return model;
  auto out = model;
  auto changed = std::make_shared<onnx::ModelProto>(*model.proto);
  TensorReader reader(model);
  std::map<TensorId, Shape> shapes;
  for (int i = 0; i < model.proto->graph().initializer_size(); ++i)
    if (const auto &whole = model.proto->graph().initializer(i);
        const auto *s = grouped(whole.name())) {
      auto &tensor = *changed->mutable_graph()->mutable_initializer(i);
      cut(tensor, reader.read(whole), *s, replicas);
      if (std::size_t(i) < out.raw.size())
        out.raw[std::size_t(i)] = {};
      shapes[tensor.name()] = Shape(tensor.dims().begin(), tensor.dims().end());
    }
  for (auto &input : *changed->mutable_graph()->mutable_input())
    if (auto it = shapes.find(input.name()); it != shapes.end())
      setShape(input, it->second);
  out.proto = std::move(changed);
  return out;
}

} // namespace popart::onnxmodel
