// SPDX-License-Identifier: MIT
// Weights between device, host and files.
#include "base/Text.hpp"
#include "session/convert.hpp"
#include "session/impl.hpp"
#include <cstring>
#include <popart/error.hpp>

namespace popart {

const lowering::HostTensorSpec *Session::Impl::weight(const TensorId &id) const {
  for (const auto &spec : io.weights)
    if (spec.id == id)
      return &spec;
  return nullptr;
}

void Session::weightsFromHost() {
  auto &execution = impl_->loaded();
  for (const auto &spec : impl_->io.weights) {
    auto it = impl_->hostWeights.find(spec.id);
    if (it != impl_->hostWeights.end())
      std::memcpy(execution.weights[spec.id].data(), it->second.data(), it->second.size());
  }
  execution.weightsFromHost();
  impl_->weightsSent = true;
}

void Session::weightsToHost() {
  auto &execution = impl_->loaded();
  execution.weightsToHost();
  for (const auto &spec : impl_->io.weights)
    impl_->hostWeights[spec.id] = execution.weights[spec.id];
}

namespace {
void checkSize(const lowering::HostTensorSpec &spec, const MutableVoidData &data) {
  if (data.info.nelms() != spec.info.nelms())
    throw runtime_error(base::str("The array for the weight \"", spec.id, "\" has ",
                                  data.info.nelms(), " elements, but the weight is ", spec.info,
                                  "."));
}
} // namespace

void Session::readWeights(const IWeightsIO &weights) {
  for (const auto &spec : impl_->io.weights) {
    if (!weights.contains(spec.id))
      continue;
    const auto data = weights.weight(spec.id);
    checkSize(spec, data);
    session::toHost(spec.id, spec.info.dataType(), data.info.dataType(),
                    impl_->hostWeights[spec.id].data(), data.data, spec.info.nelms());
  }
}
void Session::writeWeights(const IWeightsIO &weights) {
  if (!impl_->training && impl_->options.constantWeights)
    throw runtime_error("The weights of this inference session are constants. Set constantWeights "
                        "to false to change them.");
  for (const auto &spec : impl_->io.weights) {
    if (!weights.contains(spec.id))
      continue;
    const auto data = weights.weight(spec.id);
    checkSize(spec, data);
    session::toDevice(spec.id, spec.info.dataType(), data.info.dataType(), data.data,
                      impl_->hostWeights[spec.id].data(), spec.info.nelms());
  }
}

} // namespace popart
