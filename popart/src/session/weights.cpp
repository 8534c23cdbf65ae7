// SPDX-License-Identifier: MIT
// Weights between device and host.
#include "base/Text.hpp"
#include "session/convert.hpp"
#include "session/impl.hpp"
#include "session/log.hpp"
#include <algorithm>
#include <cstring>
#include <popart/error.hpp>

namespace popart {

// State that begins alike in all groups, and weights of which only one value was given.
void Session::Impl::fitHostWeights() {
  for (const auto &spec : io.weights) {
    auto &bytes = hostWeights[spec.id];
    const auto one = session::deviceBytes(spec.info);
    bytes.grow(one);
    const auto have = bytes.size(), all = one * std::size_t(spec.groups);
    if (have >= all)
      continue;
    bytes.grow(all);
    for (auto at = have; at < all; at += one)
      std::memcpy(bytes.writable() + at, bytes.data(), one);
  }
}

void Session::Impl::sendWeights(unsigned root) {
  if (!loaded().isUsable())
    load();
  source->refresh(hostWeights, replicas());
  if (apart())
    agreeOnWeights(root);
  execution->weightsFromHost(hostWeights);
  life.happened(session::Event::WeightsSent);
}
void Session::weightsFromHost() {
  const auto turn = impl_->turns.change("weightsFromHost");
  impl_->sendWeights(0);
}
void Session::broadcastWeights(int rootRank) {
  const auto turn = impl_->turns.change("broadcastWeights");
  const int instances = impl_->apart() ? int(impl_->instances()) : 1;
  if (rootRank < 0 || rootRank >= instances)
    throw runtime_error("broadcastWeights: there is no instance {}; there are {}.", rootRank,
                        instances);
  impl_->sendWeights(unsigned(rootRank));
}
void Session::weightsToHost() {
  const auto turn = impl_->turns.change("weightsToHost");
  auto &execution = impl_->loaded();
  impl_->requireWeights("weightsToHost");
  execution.weightsToHost(impl_->hostWeights);
  impl_->source->deliver(impl_->hostWeights, impl_->replicas());
}

void Session::buffersFromHost() {
  const auto turn = impl_->turns.change("buffersFromHost");
  auto &execution = impl_->loaded();
  impl_->requireWeights("buffersFromHost");
  const auto &ids = impl_->options.updatableNamedBuffers;
  for (const auto &id : ids)
    if (std::none_of(impl_->io.weights.begin(), impl_->io.weights.end(),
                     [&](const auto &spec) { return spec.id == id; }))
      throw runtime_error("updatableNamedBuffers names \"{}\", which is no variable on the device.",
                          id);
  impl_->source->refresh(impl_->hostWeights, impl_->replicas());
  execution.buffersFromHost(impl_->hostWeights, ids);
}

namespace {
void checkSize(const lowering::WeightSpec &spec, const MutableVoidData &data, std::int64_t copies) {
  if (!data.data && data.info.nelms())
    throw runtime_error("No array was given for the weight \"{}\".", spec.id);
  if (data.info.nelms() != spec.info.nelms() * copies)
    throw runtime_error(base::str("The array for the weight \"", spec.id, "\" has ",
                                  data.info.nelms(), " elements, but the weight is ", spec.info,
                                  copies > 1 ? base::str(", ", copies, " times") : "", "."));
  if (!session::sameOrder(spec.info.shape(), data.info.shape()))
    throw runtime_error(base::str("The array for the weight \"", spec.id, "\" is ", data.info,
                                  ", but the weight is ", spec.info, ". Transpose or reshape it."));
}
} // namespace

// Names that are mistaken, and weights that are not there to be read or written.
void Session::Impl::checkNames(const IWeightsIO &weights, const char *what, bool reads) const {
  if (life.state() == session::State::Built)
    throw runtime_error("{}: the session has no weights yet. Call prepareDevice() first.", what);
  std::set<TensorId> there;
  for (const auto &spec : io.weights)
    there.insert(spec.id);
  std::set<TensorId> given;
  for (const auto &[id, info] : source->initialisers(replicas()))
    given.insert(id);
  for (const auto &id : weights.ids()) {
    if (there.count(id))
      continue;
    if (!initialInfos.count(id))
      throw runtime_error(
          base::str(what, ": the session has no weight \"", id, "\".",
                    base::didYouMean(id, std::vector<std::string>(there.begin(), there.end()))));
    if (!reads || !given.count(id))
      session::log().warn(what, ": \"", id,
                          "\" is a constant or of no use to the session; its array is left alone.");
  }
}

// Initialisers that the device has as constants, or not at all, are what the model says, once for
// every replica if those of all replicas are asked for.
void Session::Impl::readConstants(const IWeightsIO &weights) const {
  const auto &variables = source->settings().variables;
  std::set<TensorId> asked;
  for (const auto &[id, info] : source->initialisers(replicas()))
    if (weights.contains(id))
      asked.insert(id);
  for (const auto &spec : io.weights)
    asked.erase(spec.id);
  for (const auto &[id, value] : source->values(asked, replicas())) {
    lowering::WeightSpec spec;
    spec.id = id;
    spec.info = value.info();
    const auto data = weights.weight(id);
    const auto settings = variables.find(id);
    const bool all = settings != variables.end() &&
                     settings->second.getRetrievalMode() == VariableRetrievalMode::AllReplicas;
    const std::int64_t copies = all ? share().number : 1;
    checkSize(spec, data, copies);
    const auto bytes = session::deviceForm(value);
    const auto one = static_cast<std::size_t>(spec.info.nelms()) * bytesOf(data.info.dataType());
    for (std::int64_t i = 0; i < copies; ++i)
      session::toHost(id, spec.info.dataType(), data.info.dataType(), bytes.data(),
                      static_cast<char *>(data.data) + std::size_t(i) * one, spec.info.nelms());
  }
}

void Session::readWeights(const IWeightsIO &weights) {
  const auto turn = impl_->turns.look();
  impl_->checkNames(weights, "readWeights", true);
  impl_->readConstants(weights);
  for (const auto &spec : impl_->io.weights) {
    if (!weights.contains(spec.id))
      continue;
    const auto data = weights.weight(spec.id);
    const bool all = spec.returnsAll && impl_->execution;
    const auto copies = all ? impl_->share().number : spec.groups;
    checkSize(spec, data, copies);
    const char *from =
        all ? impl_->execution->returned[spec.id].data() : impl_->hostWeights[spec.id].data();
    session::toHost(spec.id, spec.info.dataType(), data.info.dataType(), from, data.data,
                    spec.info.nelms() * copies);
  }
}
void Session::writeWeights(const IWeightsIO &weights) {
  const auto turn = impl_->turns.change("writeWeights");
  if (!impl_->training && impl_->options.constantWeights)
    throw runtime_error("The weights of this inference session are constants. Set constantWeights "
                        "to false to change them.");
  impl_->checkNames(weights, "writeWeights");
  for (const auto &spec : impl_->io.weights) {
    if (!weights.contains(spec.id))
      continue;
    const auto data = weights.weight(spec.id);
    checkSize(spec, data, spec.groups);
    session::toDevice(spec.id, spec.info.dataType(), data.info.dataType(), data.data,
                      impl_->hostWeights[spec.id].writable(), spec.info.nelms() * spec.groups);
  }
  impl_->source->deliver(impl_->hostWeights, impl_->replicas());
}

} // namespace popart
