// SPDX-License-Identifier: MIT
// Steps, seeds, hyper-parameters.
#include "base/Text.hpp"
#include "session/impl.hpp"
#include "session/log.hpp"
#include <popart/error.hpp>

namespace popart {

namespace {
std::string factors(const lowering::Interface &io, std::int64_t replicas,
                    const std::string &extra) {
  return base::str(replicas * io.accumulationFactor * io.batchesPerStep, " (replication factor ",
                   replicas, ", accumulation factor ", io.accumulationFactor, ", batches per step ",
                   io.batchesPerStep, extra, ")");
}
} // namespace

std::map<TensorId, StepTensor> Session::Impl::inputTensors() const {
  std::map<TensorId, StepTensor> out;
  for (const auto &spec : io.inputs) {
    if (spec.toDevice.empty())
      continue;
    const auto replicas = spec.broadcast ? 1 : io.replicas;
    out[spec.id] = {spec.info, replicas * io.batchesPerStep * io.accumulationFactor,
                    factors(io, replicas, "")};
  }
  return out;
}
std::map<TensorId, StepTensor> Session::Impl::anchorTensors() const {
  std::map<TensorId, StepTensor> out;
  for (const auto &spec : io.anchors)
    if (!spec.toHost.empty())
      out[spec.id] = {
          spec.info, spec.buffersPerStep * io.replicas,
          factors(io, io.replicas, base::str(", returned as ", flow.art(spec.id).str()))};
  return out;
}

void Session::run(IStepIO &stepIo, std::string debugName) {
  auto &execution = impl_->loaded();
  if (impl_->training && !impl_->weightsSent && !impl_->io.weights.empty() &&
      impl_->options.syntheticDataMode == SyntheticDataMode::Off)
    throw runtime_error("The weights have not been sent to the device. Call weightsFromHost() "
                        "before run().");
  if (!impl_->checkedStepIo && stepIo.runtimeAssertsEnabled()) {
    stepIo.assertNumElements(impl_->inputTensors(), impl_->anchorTensors());
    impl_->checkedStepIo = true;
  }
  execution.step(stepIo, debugName);
}
void Session::interrupt() noexcept {
  if (impl_->execution)
    impl_->execution->interrupt();
}
void Session::run(std::string programHandle, IStepIO &stepIo, std::string debugName) {
  if (programHandle.empty())
    return run(stepIo, debugName);
  throw runtime_error("The session has no program \"{}\".", programHandle);
}

void Session::setRandomSeed(std::uint64_t seed) {
  impl_->seed = seed;
  if (!impl_->execution || !impl_->execution->isLoaded())
    return;
  if (impl_->io.random)
    impl_->execution->setSeed(seed);
  else
    session::log().warn("setRandomSeed has no effect: no operator of the model is random.");
}
std::uint64_t Session::getRandomSeed() {
  return impl_->io.random ? impl_->loaded().seed() : impl_->seed;
}
std::uint64_t Session::getCycleCount(std::string id) { return impl_->loaded().cycles(id); }

void TrainingSession::updateOptimizerFromHost(const Optimizer *optimizer) {
  if (!optimizer)
    throw runtime_error("updateOptimizerFromHost: no optimizer was given.");
  impl_->optimizer->validReplacement(*optimizer);
  impl_->optimizer = optimizer->clone();
  if (impl_->execution && impl_->execution->isLoaded())
    impl_->execution->writeHyperParameters(
        optimizer::hyperParameters(impl_->graph(), *impl_->optimizer, impl_->prepared.context));
}

void Session::connectStreamToCallback(const std::string &handle,
                                      std::function<void(void *)> callback, unsigned index) {
  impl_->loaded().engine().connectStreamToCallback(handle, index, callback);
}
void Session::connectStream(const std::string &handle, void *buffer) {
  impl_->loaded().engine().connectStream(handle, buffer);
}

} // namespace popart
