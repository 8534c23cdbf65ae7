// SPDX-License-Identifier: MIT
// Weights between device and host.
#include "base/Text.hpp"
#include "session/convert.hpp"
#include "session/impl.hpp"
#include <algorithm>
#include <cstring>
#include <popart/error.hpp>

namespace popart {

// State that begins alike in all groups, and weights of which only one value was given.
void Session::Impl::fitHostWeights() {
  for (const auto &spec : io.weights) {
    auto &bytes = hostWeights[spec.id];
    const auto one = session::deviceBytes(spec.info);
    bytes.resize(std::max(bytes.size(), one));
    for (auto have = bytes.size() / std::max<std::size_t>(one, 1);
         one && have < std::size_t(spec.groups); ++have)
      bytes.insert(bytes.end(), bytes.begin(), bytes.begin() + std::ptrdiff_t(one));
  }
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
    if (!spec.toHost.empty())
      impl_->hostWeights[spec.id] = execution.weights[spec.id];
}

void Session::buffersFromHost() {
  auto &execution = impl_->loaded();
  for (const auto &id : impl_->options.updatableNamedBuffers) {
    auto it = execution.weights.find(id);
    if (it == execution.weights.end())
      throw runtime_error("updatableNamedBuffers names \"{}\", which is no variable on the device.",
                          id);
    it->second.assign(impl_->hostWeights[id].begin(), impl_->hostWeights[id].end());
  }
  execution.buffersFromHost();
}

namespace {
void checkSize(const lowering::WeightSpec &spec, const MutableVoidData &data, std::int64_t copies) {
  if (data.info.nelms() != spec.info.nelms() * copies)
    throw runtime_error(base::str("The array for the weight \"", spec.id, "\" has ",
                                  data.info.nelms(), " elements, but the weight is ", spec.info,
                                  copies > 1 ? base::str(", ", copies, " times") : "", "."));
}
} // namespace

void Session::readWeights(const IWeightsIO &weights) {
  for (const auto &spec : impl_->io.weights) {
    if (!weights.contains(spec.id))
      continue;
    const auto data = weights.weight(spec.id);
    const bool all = spec.returnsAll && impl_->execution;
    const auto copies = all ? impl_->io.replicas : spec.groups;
    checkSize(spec, data, copies);
    const auto &from = all ? impl_->execution->returned[spec.id] : impl_->hostWeights[spec.id];
    session::toHost(spec.id, spec.info.dataType(), data.info.dataType(), from.data(), data.data,
                    spec.info.nelms() * copies);
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
    checkSize(spec, data, spec.groups);
    session::toDevice(spec.id, spec.info.dataType(), data.info.dataType(), data.data,
                      impl_->hostWeights[spec.id].data(), spec.info.nelms() * spec.groups);
  }
}

} // namespace popart
