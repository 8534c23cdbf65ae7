// SPDX-License-Identifier: MIT
// prepareDevice: lower and compile, or take it from the cache; load.
#include "base/ProgressLine.hpp"
#include "base/Text.hpp"
#include "openipu/HostTrace.hpp"
#include "session/cache.hpp"
#include "session/guard.hpp"
#include "session/hash.hpp"
#include "session/impl.hpp"
#include "session/log.hpp"
#include <chrono>
#include <cstdlib>
#include <popart/error.hpp>
#include <poplar/Engine.hpp>
#include <poplar/exceptions.hpp>
#include <string_view>

namespace popart {

namespace {

class OutOfMemory : public memory_allocation_err {
public:
  OutOfMemory(const std::string &message, const std::string &profile)
      : memory_allocation_err(message), profile_(profile) {}
  std::unique_ptr<memory_allocation_err> clone() const override {
    return std::make_unique<OutOfMemory>(*this);
  }
  std::string getSummaryReport(bool) const override { return what(); }
  std::string getProfilePath() const override { return profile_; }

private:
  std::string profile_;
};

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

poplar::OptionFlags Session::Impl::engineOptions() const {
  poplar::OptionFlags out;
  if (options.enableFloatingPointChecks)
    out.set("debug.floatPointOpException", "true");
  if (options.enableStochasticRounding)
    out.set("prng.enableStochasticRounding", "true");
  for (const auto &[key, value] : options.engineOptions)
    out.set(key, value);
  return out;
}

// Engine options that a session option sets and the user may override.
static poplar::OptionFlags overridden(poplar::OptionFlags by, const char *key, const char *value) {
  poplar::OptionFlags out{{key, value}};
  for (const auto &[name, given] : by)
    out.set(name, given);
  return out;
}

// What the model of the machine is to know.
poplar::OptionFlags Session::Impl::compileOptions() const {
  return options.enablePrefetchDatastreams
             ? overridden(engineOptions(), "exchange.streamBufferOverlap", "hostRearrangeOnly")
             : engineOptions();
}

std::map<TensorId, ir::HostTensor> Session::Impl::heldConstants() const {
  std::map<TensorId, ir::HostTensor> out;
  for (const auto &spec : io.held)
    out[spec.id] = held.count(spec.id) ? held.at(spec.id) : graph()[graph().require(spec.id)].data;
  return out;
}
std::map<TensorId, ir::HostTensor> Session::Impl::hyperParameters(const Optimizer &given) const {
  std::vector<optimizer::HyperParameter> which;
  for (const auto &spec : io.hyperParameters)
    which.push_back({spec.id, spec.slot, spec.weight, spec.info.dataType()});
  return optimizer::hyperParameters(which, given, context);
}

// Of training: of what was given. Of inference, whose weights become part of the program where they
// are small and are folded: of what was made of it.
std::string Session::Impl::hash() const {
  if (training)
    return session::hashOf(
        session::SourceInput{*source, flow, options, patterns, *optimizer, loss, target()});
  return session::hashOf(
      session::HashInput{prepared(), options, patterns, optimizer.get(), loss, target()});
}

bool Session::Impl::caches() const {
  if (!options.enableEngineCaching || !options.compileEngine)
    return false;
  if (options.cachePath.empty())
    throw error("enableEngineCaching is set, but cachePath is empty. Name the folder that "
                "executables are kept in, or switch it off.");
  if (!device->isHwCompatible())
    session::log().debug("Executables for a device of type ", device->getType(),
                         " are not cached.");
  return device->isHwCompatible();
}

bool Session::Impl::openCached() {
  if (!training || !options.dotChecks.empty() || !caches()) // graphs are drawn on the way
    return false;
  const session::Cache cache(options.cachePath);
  const auto id = session::withBuild(hash());
  auto stored = cache.find(id);
  if (!stored || !stored->start)
    return false;
  session::log().info("Loading serialized PopART executable from ", cache.fileOf(id).string());
  io = std::move(*stored->interface);
  executable = std::move(stored->executable);
  fromFile = true;
  takeStoredWeights(*stored->start);
  return true;
}

void Session::Impl::lowerAndCompile() {
  const int total = options.compilationProgressTotal;
  const auto progress = [&](int done, int all) {
    const int scaled = all ? total * done / all : total;
    session::logOf("devicex").info("Graph compilation: ", scaled, "/", total);
    if (options.compilationProgressLogger)
      options.compilationProgressLogger(scaled, total);
  };
  const base::Activity activity("Building the graph");
  const auto lower = [&] {
    const openipu::HostTrace traced("popart", "build the graph");
    return lowering::lowerModel(prepared().model, target(), prepared().options, options);
  };
  auto lowered = lower();
  session::logOf("devicex").info("lowered to ", lowered.programs.size(), " programs");
  io = std::move(lowered.interface);
  if (!options.compileEngine)
    return;
  try {
    executable = poplar::compileGraph(std::move(*lowered.graph), lowered.programs, compileOptions(),
                                      progress, poplar::DebugContext(name));
  } catch (const poplar::graph_memory_allocation_error &e) {
    throw OutOfMemory(base::str(e.what(), "\n", memoryAdvice()), e.profilePath);
  }
}

// Once; a second prepareDevice makes only the engine anew.
void Session::Impl::compile() {
  if (life.state() != session::State::Built)
    return;
  const session::Turns::Busy busy(turns, "compilation");
  const auto start = std::chrono::steady_clock::now();
  if (apart())
    compileOnce();
  else
    makeExecutable();
  life.happened(session::Event::HasProgram);
  fitHostWeights();
  const double prepareSeconds = secondsSince(start);
  session::log().info("session \"", name, "\": ", fromFile ? "warm" : "cold", " start in ",
                      constructionSeconds + prepareSeconds, " s (model ", constructionSeconds,
                      " s, ", fromFile ? "from the cache " : "compiled ", prepareSeconds, " s)");
}

void Session::Impl::makeExecutable() {
  if (!executable) {
    std::optional<session::Cache> cache;
    if (caches())
      cache.emplace(options.cachePath);
    const auto id = cache ? session::withBuild(hash()) : "";
    auto stored = id.empty() || training ? std::nullopt : cache->find(id); // training: openCached
    if (stored) {
      session::log().info("Loading serialized PopART executable from ", cache->fileOf(id).string());
      io = std::move(*stored->interface);
      executable = std::move(stored->executable);
      fromFile = true;
    } else {
      lowerAndCompile();
      if (!id.empty()) {
        const auto first = training ? startData() : session::Start();
        cache->store({id, &io, nullptr, &*executable, training ? &first : nullptr});
      }
    }
  }
}

namespace {

poplar::OptionFlags reportingOptions(const Session::Impl &session) {
  // Here the host has its data when they are asked for: callbacks are not called ahead.
  auto out = overridden(session.engineOptions(), "exchange.enablePrefetch", "false");
  if (!session.options.engineOptions.count("autoReport.name"))
    out.set("autoReport.name", session.name); // two sessions of a program write to two folders
  return out;
}

} // namespace

void Session::Impl::load() {
  if (!executable)
    throw runtime_error("Nothing is compiled yet. Call prepareDevice() first.");
  if (device->getType() == DeviceType::OfflineIpu)
    throw runtime_error("An offline device only compiles: save the executable and load it where "
                        "there are IPUs.");
  if (!device->isAttached() && !device->tryAttachUntilTimeout())
    throw runtime_error("The device could not be attached within the time allowed.");
  execution.reset();
  life.happened(session::Event::LeftDevice);
  auto flags = reportingOptions(*this);
  if (apart()) {
    flags.set("target.firstRuntimeReplica", std::to_string(share().first));
    flags.set("target.numberRuntimeReplica", std::to_string(share().number));
  }
  auto loading = std::make_unique<session::Execution>(*executable, io, share(), flags);
  loading->load(*device, heldConstants());
  execution = std::move(loading);
  life.happened(session::Event::OnDevice);
  if (!training && options.constantWeights && !io.weights.empty()) {
    source->refresh(hostWeights, replicas());
    execution->weightsFromHost(hostWeights); // constants of every group of replicas
  }
  if (io.random)
    execution->setSeed(seed);
  if (optimizer)
    execution->writeHyperParameters(hyperParameters(*optimizer));
}

void Session::prepareDevice(bool loadEngine) {
  const auto turn = impl_->turns.change("prepareDevice");
  const openipu::HostTrace traced("popart", "Session::prepareDevice");
  session::guarded("prepareDevice", [&] {
    impl_->compile();
    if (impl_->device->getType() == DeviceType::OfflineIpu && impl_->executable)
      poplar::Engine(*impl_->executable, reportingOptions(*impl_)); // writes what is to be reported
    if (loadEngine && impl_->options.compileEngine && !impl_->compilesOnly())
      impl_->load();
  });
}
void Session::loadEngineAndConnectStreams() {
  const auto turn = impl_->turns.change("loadEngineAndConnectStreams");
  session::guarded("loadEngineAndConnectStreams", [&] { impl_->load(); });
}

// poprun --offline-mode: a program for IPUs goes as far as it can.
bool Session::Impl::compilesOnly() const {
  const char *mode = std::getenv("POPDIST_OFFLINE_MODE");
  return device->getType() == DeviceType::OfflineIpu && mode && std::string_view(mode) == "1";
}

session::Execution &Session::Impl::loaded() {
  if (compilesOnly())
    throw runtime_error("poprun --offline-mode only compiles, and that is done: without the option "
                        "the program runs, and reads what the cache has.");
  if (!execution || !execution->isLoaded())
    throw runtime_error("The session is not on a device yet. Call prepareDevice() first.");
  if (device->getType() == DeviceType::Ipu && !device->isAttached())
    throw runtime_error("The session's device was detached. Call prepareDevice() to attach "
                        "and load it again, then weightsFromHost().");
  return *execution;
}

} // namespace popart
