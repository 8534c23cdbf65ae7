// SPDX-License-Identifier: MIT
// Weights between a session and ONNX models.
#include "base/Text.hpp"
#include "ir/statenames.hpp"
#include "onnx/export.hpp"
#include "session/convert.hpp"
#include "session/impl.hpp"
#include "session/log.hpp"
#include "session/settings.hpp"
#include <filesystem>
#include <popart/error.hpp>

namespace popart {

namespace fs = std::filesystem;

namespace {

std::map<TensorId, ir::HostTensor> valuesOf(const Session::Impl &impl) {
  std::map<TensorId, ir::HostTensor> out;
  for (const auto &[id, info] : impl.initialInfos) {
    if (impl.options.disableOptimizerStateTensorStreams && ir::isOptimizerState(id))
      continue;
    auto it = impl.hostWeights.find(id);
    if (it != impl.hostWeights.end() && it->second.size() == session::deviceBytes(info))
      out[id] = session::hostForm(info, it->second);
  }
  return out;
}

} // namespace

void Session::modelToHost(const std::string &file) {
  const auto turn = impl_->turns.change("modelToHost");
  if (file.empty())
    throw error("modelToHost: no file was named.");
  if (impl_->weightsSent) // else the device knows nothing that the host does not
    weightsToHost();
  const auto &given = impl_->source.folder; // where external data lies
  std::error_code gone;                     // the working directory may be
  const auto here = [&](const fs::path &path) {
    const auto out = fs::absolute(path, gone);
    if (gone)
      throw error(base::str("modelToHost: there is no working directory for ", path, ": ",
                            gone.message(), "."));
    return out;
  };
  const auto folder = here(given.empty() ? fs::path(".") : given);
  const auto values = valuesOf(*impl_);
  onnxmodel::writeModel(impl_->source.whole(values), values, here(file), folder);
}

void Session::resetHostWeights(const OnnxModel &modelOrFile,
                               bool ignoreWeightsInModelWithoutCorrespondingHostWeight) {
  const auto turn = impl_->turns.change("resetHostWeights");
  if (!impl_->training && impl_->options.constantWeights)
    throw error("resetHostWeights: the weights of this inference session are constants. Set "
                "constantWeights to false to change them.");
  const auto model = session::openModel(modelOrFile);
  onnxmodel::TensorReader reader(model);
  session::Weights changed;
  for (const auto &initializer : model.proto->graph().initializer()) {
    const TensorId &id = initializer.name();
    const auto known = impl_->initialInfos.find(id);
    if (known == impl_->initialInfos.end()) {
      if (ignoreWeightsInModelWithoutCorrespondingHostWeight)
        continue;
      throw runtime_error("resetHostWeights: the model has an initializer \"{}\", but the session "
                          "has no such weight. It can be ignored by the second argument.",
                          id);
    }
    const auto value = reader.read(initializer);
    if (value.info() != known->second)
      throw runtime_error(
          "resetHostWeights: the initializer \"{}\" is {}, but the session's is {}.", id,
          value.info(), known->second);
    if (impl_->hostWeights.count(id)) // else a constant, part of the program
      changed[id] = session::deviceForm(value);
  }
  for (auto &[id, bytes] : changed)
    impl_->hostWeights[id] = std::move(bytes);
  impl_->weightsSent = false;
}

void Session::updateExternallySavedTensorLocations(const std::string &from, const std::string &to) {
  const auto turn = impl_->turns.change("updateExternallySavedTensorLocations");
  auto changed = std::make_shared<onnx::ModelProto>(*impl_->source.proto);
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
  const auto &folder = impl_->source.folder;
  std::error_code problem;
  fs::copy_file(folder / from, folder / to, fs::copy_options::skip_existing, problem);
  if (problem)
    throw error(base::str("updateExternallySavedTensorLocations: \"", from,
                          "\" cannot be copied to \"", to, "\": ", problem.message(), "."));
  impl_->source.proto = std::move(changed);
}

} // namespace popart
