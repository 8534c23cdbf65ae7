// SPDX-License-Identifier: MIT
// Weights between a session and ONNX models.
#include "session/convert.hpp"
#include "session/impl.hpp"
#include <popart/error.hpp>

namespace popart {

namespace {

std::map<TensorId, ir::HostTensor> valuesOf(const Session::Impl &impl) {
  std::map<TensorId, ir::HostTensor> out;
  for (const auto &[id, info] : impl.initialInfos) {
    if (impl.options.disableOptimizerStateTensorStreams && impl.states.count(id))
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
  // Else the device knows nothing that the host does not.
  if (impl_->life.state() == session::State::Ready)
    weightsToHost();
  impl_->source->write(valuesOf(*impl_), file);
}

void Session::resetHostWeights(const OnnxModel &modelOrFile,
                               bool ignoreWeightsInModelWithoutCorrespondingHostWeight) {
  const auto turn = impl_->turns.change("resetHostWeights");
  if (!impl_->training && impl_->options.constantWeights)
    throw error("resetHostWeights: the weights of this inference session are constants. Set "
                "constantWeights to false to change them.");
  const auto model = session::sourceOf(modelOrFile);
  const auto given = model->initialisers(impl_->replicas());
  if (given.empty() && !impl_->hostWeights.empty())
    throw runtime_error("resetHostWeights: the model has no initializers, so no weight of the "
                        "session is in it. Give a model that has them.");
  std::set<TensorId> fit;
  for (const auto &[id, info] : given) {
    const auto known = impl_->initialInfos.find(id);
    if (known == impl_->initialInfos.end()) {
      if (ignoreWeightsInModelWithoutCorrespondingHostWeight)
        continue;
      throw runtime_error("resetHostWeights: the model has an initializer \"{}\", but the session "
                          "has no such weight. It can be ignored by the second argument.",
                          id);
    }
    if (info != known->second)
      throw runtime_error(
          "resetHostWeights: the initializer \"{}\" is {}, but the session's is {}.", id, info,
          known->second);
    if (impl_->hostWeights.count(id)) // else a constant, part of the program
      fit.insert(id);
  }
  session::Weights changed;
  for (const auto &[id, value] : model->values(fit, impl_->replicas()))
    changed[id] = session::deviceForm(value);
  for (auto &[id, bytes] : changed)
    impl_->hostWeights[id].assign(std::move(bytes));
  impl_->source->deliver(impl_->hostWeights, impl_->replicas());
  impl_->life.happened(session::Event::HostChanged);
}

void Session::updateExternallySavedTensorLocations(const std::string &from, const std::string &to) {
  const auto turn = impl_->turns.change("updateExternallySavedTensorLocations");
  impl_->source->moveExternalData(from, to);
}

} // namespace popart
