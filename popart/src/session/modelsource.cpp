// SPDX-License-Identifier: MIT
// Models built from code as the source of a session.
#include "ir/narrowed.hpp"
#include "onnx/export.hpp"
#include "onnx/fromgraph.hpp"
#include "opdef/opdef.hpp"
#include "openipu/Model.hpp"
#include "session/convert.hpp"
#include "session/hash.hpp"
#include "session/source.hpp"
#include <popart/error.hpp>

namespace popart::session {

namespace {

// What nodes of the model itself write.
std::set<ir::Value> written(const ir::Graph &graph) {
  std::set<ir::Value> out;
  for (const auto *nodes : {&graph.nodes, &graph.rule})
    for (const auto &node : *nodes)
      if (node.def->updates >= 0)
        out.insert(node.inputs[static_cast<std::size_t>(node.def->updates)]);
  return out;
}

bool hasDeviceType(DataType type) { return ir::narrowed(type) == type; }

class ModelSource : public Source {
public:
  explicit ModelSource(Model model) : model_(std::move(model)) {
    settings_.inputs = model_.inputSettings();
    settings_.variables = model_.variableSettings();
  }

  ir::Graph graph(const Use &use) const override {
    ir::Graph out = model_.graph();
    if (!use.training && !out.rule.empty())
      throw error("The model \"{}\" has a rule of updates, which only a training session runs.",
                  out.name);
    const auto changed = written(out);
    for (std::uint32_t i = 0; i < out.size() && !use.training && use.constantWeights; ++i)
      if (auto &value = out[ir::Value{i}]; value.kind == ir::Kind::Variable &&
                                           !changed.count(ir::Value{i}) &&
                                           settings_.groupsOf(value.name, use.replicas) == 1)
        value.kind = ir::Kind::Constant;
    for (auto *nodes : {&out.nodes, &out.rule}) // collectives count with them
      for (auto &node : *nodes)
        if (node.def->collective && !node.attributes.has("replicas"))
          node.attributes.set("replicas", use.replicas);
    return out;
  }

  std::vector<Initialiser> initialisers(std::int64_t replicas) const override {
    std::vector<Initialiser> out;
    for (const auto &id : model_.weights())
      out.emplace_back(id, infoOf(id, replicas));
    return out;
  }
  std::map<TensorId, ir::HostTensor> values(const std::set<TensorId> &ids,
                                            std::int64_t replicas) const override {
    std::map<TensorId, ir::HostTensor> out;
    for (const auto &[id, memory] : model_.memory())
      if (ids.count(id))
        out[id] = {infoOf(id, replicas), memory.data, memory.owner};
    return out;
  }

  void addTo(Hasher &hasher) const override { add(hasher, model_.graph(), settings_); }

  void lend(Weights &weights, std::int64_t replicas) const override {
    each(weights, replicas, [&](HostBytes &bytes, const TensorInfo &info, const auto &memory) {
      if (hasDeviceType(info.dataType()))
        bytes = HostBytes::lent(memory.data, deviceBytes(info), memory.owner);
    });
  }
  void refresh(Weights &weights, std::int64_t replicas) const override {
    each(weights, replicas, [&](HostBytes &bytes, const TensorInfo &info, const auto &memory) {
      if (!hasDeviceType(info.dataType()))
        bytes = deviceForm({info, memory.data, memory.owner});
    });
  }
  void deliver(const Weights &weights, std::int64_t replicas) const override {
    each(weights, replicas,
         [&](const HostBytes &bytes, const TensorInfo &info, const auto &memory) {
           if (!hasDeviceType(info.dataType()) && bytes.size() == deviceBytes(info)) {
             const auto values = hostForm(info, bytes);
             std::memcpy(memory.data, values.data(), values.bytes());
           }
         });
  }

  void write(const std::map<TensorId, ir::HostTensor> &values,
             const std::string &file) const override {
    auto proto = onnxmodel::modelFrom(model_.graph(), settings_);
    for (auto &tensor : *proto.mutable_graph()->mutable_initializer())
      if (const auto it = values.find(tensor.name()); it != values.end())
        onnxmodel::write(tensor, it->second); // of grouped variables all groups
      else if (const auto own = model_.memory().find(tensor.name()); own != model_.memory().end())
        onnxmodel::write(tensor, {onnxmodel::infoOf(tensor), own->second.data, own->second.owner});
    onnxmodel::writeModel(std::move(proto), values, file);
  }
  void moveExternalData(const std::string &from, const std::string &) override {
    throw error("updateExternallySavedTensorLocations: no initializer of the model is stored in "
                "\"{}\"; it was built from code.",
                from);
  }

private:
  TensorInfo infoOf(const TensorId &id, std::int64_t replicas) const {
    const auto &graph = model_.graph();
    const auto &info = graph[graph.require(id)].info;
    Shape shape = info.shape();
    if (const auto n = settings_.groupsOf(id, replicas); n > 1)
      shape.insert(shape.begin(), n);
    return {info.dataType(), shape};
  }
  template <class W, class Work> void each(W &weights, std::int64_t replicas, Work work) const {
    for (const auto &[id, memory] : model_.memory())
      if (const auto it = weights.find(id); it != weights.end())
        work(it->second, infoOf(id, replicas), memory);
  }
  Model model_;
};

} // namespace

std::unique_ptr<Source> sourceOf(Model model) {
  return std::make_unique<ModelSource>(std::move(model));
}

} // namespace popart::session
