// SPDX-License-Identifier: MIT
// Steps, seeds, hyper-parameters.
#include "base/Text.hpp"
#include "openipu/HostTrace.hpp"
#include "session/impl.hpp"
#include "session/log.hpp"
#include <popart/error.hpp>
#include <thread>

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
    const std::int64_t replicas = spec.broadcast ? 1 : share().number;
    out[spec.id] = {spec.info, replicas * io.batchesPerStep * io.accumulationFactor,
                    factors(io, replicas, "")};
  }
  for (const auto &[id, info] : modelInputs) // of no use any more, but no mistake either
    out.emplace(id, StepTensor{info, 0, ""});
  return out;
}
std::map<TensorId, StepTensor> Session::Impl::anchorTensors() const {
  std::map<TensorId, StepTensor> out;
  for (const auto &spec : io.anchors)
    if (!spec.toHost.empty())
      out[spec.id] = {
          spec.info, spec.buffersPerStep * share().number,
          factors(io, share().number, base::str(", returned as ", flow.art(spec.id).str()))};
    else
      out[spec.id] = {spec.info, 0, ""}; // without elements
  return out;
}

void Session::run(IStepIO &stepIo, std::string debugName) {
  const auto turn = impl_->turns.change("run");
  impl_->run(stepIo, debugName, lowering::Main);
}
void Session::Impl::run(IStepIO &stepIo, const std::string &debugName, unsigned program) {
  const openipu::HostTrace traced("popart", "Session::run");
  const bool synthetic = options.syntheticDataMode != SyntheticDataMode::Off;
  loaded();
  requireWeights("run");
  if (training && life.state() != session::State::Ready && !io.weights.empty() && !synthetic)
    throw runtime_error("The weights have not been sent to the device. Call weightsFromHost() "
                        "before run().");
  if (stepIo.runtimeAssertsEnabled() && !synthetic)
    program == lowering::Main ? check(stepIo) : checkForward(stepIo);
  compareOptimizers();
  try {
    if (!step(stepIo, debugName, program))
      afterFailedStep();
  } catch (...) {
    afterFailedStep();
    throw;
  }
}
void Session::Impl::check(const IStepIO &stepIo) {
  const bool first = !stepTensors;
  if (first)
    stepTensors = {inputTensors(), anchorTensors()};
  stepIo.assertNumElements(stepTensors->first, stepTensors->second);
  if (first)
    stepIo.warn(stepTensors->first);
}
void Session::Impl::checkForward(const IStepIO &stepIo) const {
  auto anchors = anchorTensors();
  for (const auto &spec : io.anchors)
    if (!spec.forward)
      anchors.erase(spec.id);
  stepIo.assertNumElements(inputTensors(), anchors);
}
// Of itself where nothing is lost: the device has what it needs, or the host has all of it.
void Session::Impl::afterFailedStep() noexcept {
  try {
    if (execution->goesOn())
      return;
    if (io.weights.empty() || (!training && options.constantWeights))
      return load();
  } catch (const std::exception &e) {
    session::log().warn("The session cannot go on of itself: ", e.what());
  } catch (...) { // the step's own failure is on its way
  }
  life.happened(session::Event::StepFailed);
}
bool Session::Impl::lostWeights() const {
  return life.state() == session::State::Failed || (execution && !execution->isUsable());
}
bool Session::needsWeights() const {
  const auto turn = impl_->turns.look();
  return impl_->lostWeights();
}
void Session::Impl::requireWeights(const char *what) const {
  if (lostWeights())
    throw runtime_error(
        "{}: the weights on the device are lost, because the last step ended within "
        "an update or the device failed. Call weightsFromHost() to go on from the "
        "weights that the host has.",
        what);
}
bool Session::Impl::step(IStepIO &stepIo, const std::string &debugName, unsigned program) {
  struct Running {
    Impl &impl;
    session::Turns::Busy busy{impl.turns, "run"};
    explicit Running(Impl &i) : impl(i) { impl.stepping = impl.execution.get(); }
    ~Running() { // the execution may go when nobody looks at it any more
      impl.stepping = nullptr;
      while (impl.interrupting)
        std::this_thread::yield();
    }
  } running(*this);
  return execution->step(stepIo, debugName, turns, program);
}
void Session::interrupt() noexcept {
  ++impl_->interrupting;
  if (auto *execution = impl_->stepping.load())
    execution->interrupt();
  --impl_->interrupting;
}
void Session::run(std::string programHandle, IStepIO &stepIo, std::string debugName) {
  const auto turn = impl_->turns.change("run");
  if (programHandle.empty())
    return run(stepIo, debugName);
  if (programHandle != "implicitPipeliningFwdOnly")
    throw runtime_error("The session has no program \"{}\".", programHandle);
  if (!impl_->options.createImplicitPipeliningFwdOnlyProgram)
    throw runtime_error("The session has no program \"{}\". Set the option "
                        "createImplicitPipeliningFwdOnlyProgram before it is made.",
                        programHandle);
  impl_->run(stepIo, debugName, lowering::ForwardOnly);
}

void Session::setRandomSeed(std::uint64_t seed) {
  const auto turn = impl_->turns.change("setRandomSeed");
  impl_->seed = seed;
  if (!impl_->execution || !impl_->execution->isUsable())
    return; // load() sets it
  if (impl_->io.random)
    impl_->execution->setSeed(seed);
  else
    session::log().warn("setRandomSeed has no effect: no operator of the model is random.");
}
std::uint64_t Session::getRandomSeed() {
  const auto turn = impl_->turns.change("getRandomSeed");
  return impl_->io.random ? impl_->loaded().seed() : impl_->seed;
}

// The state of the simulated generator is the seed: two words per replica, replica r's first one
// being r more than the first one's. With stochastic rounding that of the tiles follows.
std::vector<std::uint32_t> Session::getRNGState() {
  const auto turn = impl_->turns.change("getRNGState");
  impl_->requireRngState("getRNGState");
  std::vector<std::uint32_t> state;
  if (!impl_->io.random)
    return state;
  const auto seed = impl_->loaded().seed();
  for (std::uint32_t r = 0; r < impl_->share().number; ++r) {
    state.push_back(static_cast<std::uint32_t>(seed) + r);
    state.push_back(static_cast<std::uint32_t>(seed >> 32));
  }
  const auto tiles = impl_->loaded().rngState();
  state.insert(state.end(), tiles.begin(), tiles.end());
  return state;
}
void Session::setRNGState(const std::vector<std::uint32_t> state) {
  const auto turn = impl_->turns.change("setRNGState");
  impl_->requireRngState("setRNGState");
  const auto words = impl_->io.random ? std::size_t(impl_->share().number) * 2 : 0;
  const auto all = words + std::size_t(impl_->io.rngWords * impl_->share().number);
  bool fits = state.size() == all;
  for (std::size_t r = 1; fits && r < words / 2; ++r)
    fits = state[2 * r] == state[0] + r && state[2 * r + 1] == state[1];
  if (!fits)
    throw runtime_error("setRNGState: {} words were given that getRNGState of this session cannot "
                        "have returned; it returns {}.",
                        state.size(), all);
  if (words)
    impl_->loaded().setSeed(state[0] | std::uint64_t(state[1]) << 32);
  impl_->loaded().setRngState({state.begin() + std::ptrdiff_t(words), state.end()});
}
void Session::Impl::requireRngState(const char *what) {
  loaded();
  if (!options.enableLoadAndOffloadRNGState)
    throw runtime_error("{} needs the session option enableLoadAndOffloadRNGState.", what);
}

std::uint64_t Session::getCycleCount(std::string id) {
  const auto turn = impl_->turns.look();
  return impl_->loaded().cycles(id);
}

void TrainingSession::updateOptimizerFromHost(const Optimizer *optimizer) {
  const auto turn = impl_->turns.change("updateOptimizerFromHost");
  if (!optimizer)
    throw runtime_error("updateOptimizerFromHost: no optimizer was given.");
  impl_->optimizer->validReplacement(*optimizer);
  const auto values = impl_->hyperParameters(*optimizer); // refuses what cannot be one
  impl_->optimizer = optimizer->clone();
  if (impl_->execution && impl_->execution->isUsable())
    impl_->execution->writeHyperParameters(values);
}

void Session::connectStreamToCallback(const std::string &handle,
                                      std::function<void(void *)> callback, unsigned index) {
  const auto turn = impl_->turns.change("connectStreamToCallback");
  const auto within = [callback, &turns = impl_->turns](void *p) {
    const session::Turns::Callback inside(turns);
    callback(p);
  };
  impl_->loaded().engine().connectStreamToCallback(handle, index, within);
}
void Session::connectStream(const std::string &handle, void *buffer) {
  const auto turn = impl_->turns.change("connectStream");
  impl_->loaded().engine().connectStream(handle, buffer);
}
void Session::connectHostFunction(
    const std::string &handle,
    std::function<void(const void *const *, std::size_t, void *const *, std::size_t)> callback,
    unsigned index) {
  const auto turn = impl_->turns.change("connectHostFunction");
  impl_->loaded().engine().connectHostFunction(
      handle, index,
      [callback, &turns = impl_->turns](poplar::ArrayRef<const void *> in,
                                        poplar::ArrayRef<void *> out) {
        const session::Turns::Callback inside(turns);
        callback(in.data(), in.size(), out.data(), out.size());
      });
}

namespace {
std::uint64_t repeat(int index) {
  if (index < 0)
    throw runtime_error("The repeat index of a remote buffer must not be negative; it is {}.",
                        index);
  return static_cast<std::uint64_t>(index);
}
} // namespace

void TrainingSession::copyFromRemoteBuffer(const std::string &buffer, void *to, int repeatIndex,
                                           unsigned replicationIndex) {
  const auto turn = impl_->turns.change("copyFromRemoteBuffer");
  impl_->loaded().engine().copyFromRemoteBuffer(buffer, to, repeat(repeatIndex), replicationIndex);
}
void TrainingSession::copyToRemoteBuffer(void *from, const std::string &buffer, int repeatIndex,
                                         unsigned replicationIndex) {
  const auto turn = impl_->turns.change("copyToRemoteBuffer");
  impl_->loaded().engine().copyToRemoteBuffer(from, buffer, repeat(repeatIndex), replicationIndex);
}

} // namespace popart
