// SPDX-License-Identifier: MIT
// ONNX models as the source of a session. The only file here that knows ONNX.
#include "base/Text.hpp"
#include "onnx/export.hpp"
#include "onnx/settings.hpp"
#include "session/hash.hpp"
#include "session/source.hpp"
#include <filesystem>
#include <popart/error.hpp>

namespace popart::session {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t fewElements = 64;

// Trained weights get their values when the program runs. Everything else may become part of it:
// shapes, axes, limits, which are integers or few.
bool isRuntimeValue(const TensorInfo &info) {
  return isFloatingPoint(info.dataType()) && info.nelms() > fewElements;
}

fs::path inFull(const fs::path &path) {
  std::error_code gone; // the working directory may be
  const auto out = fs::absolute(path, gone);
  if (gone)
    throw error(base::str("modelToHost: there is no working directory for ", path, ": ",
                          gone.message(), "."));
  return out;
}

class OnnxSource : public Source {
public:
  OnnxSource(onnxmodel::Model model, std::map<TensorId, TensorInfo> inputShapes)
      : model_(std::move(model)), inputShapes_(std::move(inputShapes)) {
    settings_ = onnxmodel::settingsOf(*model_.proto);
  }

  ir::Graph graph(const Use &use) const override {
    onnxmodel::ImportOptions how;
    how.training = use.training;
    how.constantWeights = use.constantWeights;
    how.inputShapes = inputShapes_;
    how.strictOpVersions = use.strictOpVersions;
    how.replicas = use.replicas;
    const auto replicas = static_cast<unsigned>(use.replicas);
    for (const auto &[id, own] : settings_.variables)
      if (own.getGroupCount(replicas) > 1)
        how.ownValues.insert(id);
    return onnxmodel::importModel(onnxmodel::ofOneReplica(model_, settings_, replicas), how);
  }

  std::vector<Initialiser> initialisers(std::int64_t) const override {
    std::vector<Initialiser> out;
    for (const auto &tensor : given())
      out.emplace_back(tensor.name(), onnxmodel::infoOf(tensor));
    return out;
  }
  std::map<TensorId, ir::HostTensor> values(const std::set<TensorId> &ids,
                                            std::int64_t) const override {
    std::map<TensorId, ir::HostTensor> out;
    onnxmodel::TensorReader reader(model_);
    for (const auto &tensor : given())
      if (ids.count(tensor.name()))
        out[tensor.name()] = reader.read(tensor);
    return out;
  }

  void addTo(Hasher &h) const override {
    const auto &graph = model_.proto->graph();
    const auto all = [&](const auto &messages) {
      h.number(static_cast<std::uint64_t>(messages.size()));
      for (const auto &message : messages)
        h.text(message.SerializeAsString());
    };
    all(model_.proto->opset_import());
    all(model_.proto->metadata_props());
    all(model_.proto->functions());
    all(graph.node()); // the graph's own name counts Builders, and nothing is made of it
    all(graph.input());
    all(graph.output());
    h.number(static_cast<std::uint64_t>(graph.sparse_initializer_size()));
    onnxmodel::TensorReader reader(model_);
    for (const auto &tensor : graph.initializer()) {
      const auto info = onnxmodel::infoOf(tensor);
      h.text(tensor.name());
      h.text(base::str(info));
      if (isRuntimeValue(info))
        continue;
      const auto values = reader.read(tensor);
      h.bytes(values.data(), values.bytes());
    }
    for (const auto &[id, info] : inputShapes_)
      h.text(base::str(id, ' ', info));
  }

  void refresh(Weights &weights, std::int64_t) const override {
    if (model_.file)
      for (const auto &[id, bytes] : weights)
        model_.file->requireUnchanged(bytes.data());
  }

  void write(const std::map<TensorId, ir::HostTensor> &values,
             const std::string &file) const override {
    const auto &given = model_.folder; // where external data lies
    const auto folder = inFull(given.empty() ? fs::path(".") : given);
    onnxmodel::writeModel(model_.whole(values), values, inFull(file), folder);
  }

  void moveExternalData(const std::string &from, const std::string &to) override {
    auto changed = std::make_shared<onnx::ModelProto>(*model_.proto);
    bool found = false;
    for (auto &tensor : *changed->mutable_graph()->mutable_initializer())
      for (auto &entry : *tensor.mutable_external_data())
        if (entry.key() == "location" && entry.value() == from) {
          entry.set_value(to);
          if (!onnxmodel::ExternalData::of(tensor).isBelowModel())
            throw error(base::str("updateExternallySavedTensorLocations: \"", to,
                                  "\" must stand in or below the model's folder."));
          found = true;
        }
    if (!found)
      throw error(base::str("updateExternallySavedTensorLocations: no initializer of the model is "
                            "stored in \"",
                            from, "\"."));
    std::error_code problem;
    fs::copy_file(model_.folder / from, model_.folder / to, fs::copy_options::skip_existing,
                  problem);
    if (problem)
      throw error(base::str("updateExternallySavedTensorLocations: \"", from,
                            "\" cannot be copied to \"", to, "\": ", problem.message(), "."));
    model_.proto = std::move(changed);
  }

private:
  const google::protobuf::RepeatedPtrField<onnx::TensorProto> &given() const {
    return model_.proto->graph().initializer();
  }
  onnxmodel::Model model_; // as given: it is written back with new weights
  std::map<TensorId, TensorInfo> inputShapes_;
};

} // namespace

std::unique_ptr<Source> sourceOf(const OnnxModel &model,
                                 const std::map<TensorId, TensorInfo> &inputShapes) {
  return std::make_unique<OnnxSource>(onnxmodel::openModel(model), inputShapes);
}

} // namespace popart::session
