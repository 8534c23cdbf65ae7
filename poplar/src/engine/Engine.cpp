// SPDX-License-Identifier: MIT
// The life of an engine: made from a graph or an executable, loaded on a device, run, loaded again
// after a failure.
#include "poplar/Engine.hpp"
#include "Access.hpp"
#include "base/Log.hpp"
#include "base/ProgressLine.hpp"
#include "base/Text.hpp"
#include "codelet/Errors.hpp"
#include "device/DeviceData.hpp"
#include "device/TargetData.hpp"
#include "engine/EngineImpl.hpp"
#include "engine/Recording.hpp"
#include "HostMemory.hpp"
#include "openipu/Heartbeat.hpp"
#include "openipu/HostTrace.hpp"
#include "openipu/TargetDifferences.hpp"
#include "profile/Power.hpp"
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

namespace poplar {

using base::str;

namespace {

const base::Logger &log() {
  static const base::Logger logger("POPLAR", "PO", "ENGINE");
  return logger;
}

// What the executable was compiled with, then what the engine is given.
options::OptionValues combined(const executable::Image &image, const OptionFlags &flags) {
  auto values = image.options;
  for (const auto &[key, value] : flags)
    values[key] = value;
  return values;
}

Target targetOf(const executable::Image &image) {
  std::istringstream text(image.target);
  return Target(text);
}

std::uint32_t initialFloatingPoint(const options::Options &options) {
  using State = backend::FloatingPointState;
  std::uint32_t word = options.flag("debug.floatPointOpException")
                           ? State::Invalid | State::DivideByZero | State::Overflow
                           : 0;
  if (options.flag("prng.enableStochasticRounding"))
    word |= State::StochasticRounding;
  if (options.flag("debug.nanOverflowMode"))
    word |= State::NanOnOverflow;
  return word;
}

backend::RunOptions runOptions(const options::Options &options, const Target &target) {
  backend::RunOptions out;
  out.checked = options.flag("debug.checkedCodelets") || options.flag("debug.runtimeVerify");
  out.poison = options.flag("debug.poisonMemory");
  out.threads = options.flag("debug.cpuMultiThreadExecution");
  out.floatingPoint = initialFloatingPoint(options);
  out.halvesSaturate = target.getTargetType() == TargetType::IPU; // the IPU Model is IEEE
  out.seed = std::uint64_t(options.integer("prng.seed"));
  out.trace = options.flag("debug.trace");
  out.traceFile = options.text("debug.traceFile");
  out.hostTimesFile = options.text("debug.hostTimesFile");
  return out;
}

engine::StreamOptions streamOptions(const options::Options &engine, const options::Options &run) {
  engine::StreamOptions out;
  out.prefetch = engine.flag("exchange.enablePrefetch") &&
                 engine.text("exchange.streamBufferOverlap") != "any";
  out.maxLookahead = run.integer("streamCallbacks.maxLookahead");
  constexpr std::int64_t mostThreads = 1024;
  const auto threads = run.integer("streamCallbacks.numWorkerThreads");
  if (threads > mostThreads)
    throw invalid_option(str("Option \"streamCallbacks.numWorkerThreads\" cannot be ", threads,
                             ": at most ", mostThreads, " are possible."));
  out.threads = unsigned(std::max<std::int64_t>(1, threads));
  const auto &mode = run.text("streamCallbacks.multiThreadMode");
  out.mode = mode == "dedicated"       ? engine::CallbackMode::Dedicated
             : mode == "collaborative" ? engine::CallbackMode::Collaborative
                                       : engine::CallbackMode::SingleThread;
  return out;
}

std::shared_ptr<const executable::Image> imageOf(const Executable &executable) {
  const auto &image = Access::image(executable);
  if (!image)
    throw poplar_error(
        "Engine: the Executable is empty. Make one with compileGraph or Executable::deserialize.");
  return image;
}

// The replicas that run in this process.
std::pair<unsigned, unsigned> shareOf(const options::Options &options, std::int64_t replicas) {
  const auto first = options.integer("target.firstRuntimeReplica");
  auto number = options.integer("target.numberRuntimeReplica");
  if (number == 0 && first == 0)
    number = replicas;
  if (first < 0 || number < 1 || first > replicas || number > replicas - first)
    throw invalid_option(str("target.firstRuntimeReplica = ", first,
                             " and target.numberRuntimeReplica = ", number,
                             ": the program has replicas 0 to ", replicas - 1,
                             ". Name some of them that run in this process, or leave both options "
                             "at 0."));
  return {unsigned(first), unsigned(number)};
}

} // namespace

Engine::Impl::Impl(std::shared_ptr<const executable::Image> compiled, const OptionFlags &flags,
                   std::string engineName)
    : image(std::move(compiled)), options(options::Options::forEngine(combined(*image, flags))),
      shareOfReplicas([&] {
        const auto [first, number] = shareOf(options, std::max(1u, image->replicationFactor));
        return Share{first, number};
      }()),
      name(std::move(engineName)), target(targetOf(*image)),
      recorder(*image, engine::recorderOptions(options)), streams(*image, shareOfReplicas.number),
      remoteMemory(image->remoteBuffers.size()), hostFunctions(image->hostFunctions.size()),
      vertexStream(&std::cerr), tensorStream(&std::cerr) {
  for (auto &callbacks : hostFunctions)
    callbacks.resize(replicas());
  for (auto &memory : remoteMemory)
    memory.resize(replicas());
  if (!options.text("debug.loweredVarDumpFile").empty())
    dumpVariables();
}

Engine::Impl::~Impl() {
  try {
    if (wantsReport() && !reportWritten)
      writeReport();
  } catch (const std::exception &error) {
    log().error("The report could not be written: ", error.what());
  }
}

void Engine::Impl::prepare(const Device &device) {
  const auto &whole = device.getTarget();
  const auto given = apart() && whole.getNumIPUs() % replicas() == 0
                         ? openipu::targetOfAll(whole, replicas(), image->replicationFactor)
                         : whole;
  const auto differences = given == target
                               ? std::string()
                               : device::differences(device::dataOf(target), device::dataOf(given));
  if (!differences.empty())
    throw poplar_error(
        str("Engine::load: the device does not match the target that the program was compiled "
            "for:\n",
            differences, "Compile for Device::getTarget(), or choose a device of the other kind."));
  if (!device.isAttached())
    throw poplar_error(str("Engine::load: device ", device.getId(),
                           " is not attached. Call Device::attach first and check that it "
                           "returns true."));
  lease = device::DeviceAccess::lease(device);
  withHostMemory("Engine::load", [&] {
    if (!interpreter)
      bind();
  });
  state = State::Prepared;
}

static void refuseBeside(const char *other, const char *call) {
  if (other)
    throw poplar_error(str(call, ": ", other,
                           " of the same engine has not ended; it was called by another thread, or "
                           "this call comes from one of its callbacks. Let it end first."));
}
Engine::Impl::Turn::Turn(Impl &impl, const char *call) : impl_(impl) {
  const char *other = nullptr;
  if (!impl.busy.compare_exchange_strong(other, call))
    refuseBeside(other, call);
}
void Engine::Impl::requireIdle(const char *call) const { refuseBeside(busy, call); }

void Engine::Impl::requireAttached(const char *call) const {
  if (lease && !lease->held())
    throw poplar_error(str("Engine::", call,
                           ": the device was detached since Engine::load. Call "
                           "Device::attach and Engine::load again first."));
}

void Engine::Impl::bind() {
  log().info("binding ", image->steps.size(), " steps and ", image->vertices.size(), " vertices");
  try {
    auto how = runOptions(options, target);
    how.firstReplica = shareOfReplicas.first;
    how.numReplicas = shareOfReplicas.number;
    const auto &kind = backend::findBackend(device::backendOf(device::dataOf(target)));
    interpreter = std::make_unique<backend::Interpreter>(image, device::systemOf(target), kind, how,
                                                         *this, recorder);
  } catch (const codelet::CompileError &error) { // of the checked form of a codelet
    throw graph_program_compilation_error(error.what());
  } catch (const codelet::LinkError &error) {
    throw link_error(error.what(), error.output);
  } catch (const base::FileError &error) { // the cache's folder, debug.traceFile
    throw poplar_error(error.what());
  } catch (const std::invalid_argument &error) { // OPENIPU_HOST_MEMORY_MB
    throw poplar_error(error.what());
  }
}

void Engine::Impl::deploy() {
  if (!interpreter)
    throw poplar_error("Engine::deploy: the engine was not prepared. Call Engine::prepare or "
                       "Engine::load with a device first.");
  requireAttached("deploy");
  if (apart())
    findPeers();
  state = State::Prepared; // also if that fails
  withHostMemory("Engine::load", [&] { interpreter->load(); });
  state = State::Loaded;
}

void Engine::Impl::raiseSimulatedError() {
  auto errors = simulatedErrors;
  if (lease)
    for (const auto &name : lease->countRun())
      errors[ErrorLocation()] = errorCodeFromString(name);
  if (errors.empty())
    return;
  const auto [location, code] = *errors.begin();
  const auto text = str("Simulated error ", errorCodeToString(code), " on IPU ", location.ipu,
                        ", tile ", location.tile, ".");
  auto raise = [&, location = location, code = code](auto error) {
    error.info = {code, location};
    throw error;
  };
  switch (code) {
  case ErrorCode::NONE:
    return;
  case ErrorCode::LINK_DOWN:
  case ErrorCode::HOST_LINK_DOWN:
    raise(recoverable_runtime_error(RecoveryAction::LINK_RESET, text));
    break;
  case ErrorCode::MEMORY_ERROR:
  case ErrorCode::IPUSOFTERR:
  case ErrorCode::EXCHANGE_ERROR:
    raise(recoverable_runtime_error(RecoveryAction::IPU_RESET, text));
    break;
  case ErrorCode::HOST_SYNC_TIMEOUT:
    raise(recoverable_runtime_error(RecoveryAction::PARTITION_RESET, text));
    break;
  case ErrorCode::IPU_MEMORY_FAILURE:
    raise(unrecoverable_runtime_error(text));
    break;
  case ErrorCode::UNKNOWN:
    raise(unknown_runtime_error(text));
    break;
  default:
    raise(application_runtime_error(text));
  }
}

// The exception that is under way ends this process's part in the program.
static void tellPeers() noexcept {
  try {
    throw;
  } catch (const std::exception &error) {
    openipu::transport().fail(error.what());
  } catch (...) {
    openipu::transport().fail("unknown exception");
  }
}

// Lets gc-monitor see that the device is busy, and for how much simulated time it was.
class Engine::Impl::UsageOfRun {
public:
  explicit UsageOfRun(Impl &impl) : impl_(impl), start_(impl.interpreter->cycles()) {
    if (impl.lease)
      impl.lease->usage().beginRun();
  }
  ~UsageOfRun() {
    if (!impl_.lease)
      return;
    const auto &system = device::systemOf(impl_.target);
    auto &usage = impl_.lease->usage();
    if (usage.wantsPower())
      usage.power(profile::averageWatts(*impl_.image, impl_.recorder, system));
    usage.endRun(system.chip.seconds(impl_.interpreter->cycles() - start_));
  }
  UsageOfRun(const UsageOfRun &) = delete;

private:
  Impl &impl_;
  std::uint64_t start_;
};

// Reading them takes longer than a small step: those of runs without options of their own are kept.
engine::StreamOptions Engine::Impl::optionsOfRun(const options::OptionValues &runtime) {
  const char *environment = std::getenv("POPLAR_RUNTIME_OPTIONS");
  const std::string_view text = environment ? environment : "";
  if (runtime.empty() && usualOptions && usualOptions->environment == text)
    return usualOptions->options;
  const auto read = streamOptions(options, options::Options::forRun(options, runtime));
  if (runtime.empty())
    usualOptions = {std::string(text), read};
  return read;
}

// What a viewer of the trace needs to tell who waits for whom: the time that the modelled IPU
// takes, not that of the simulation.
static std::string costOfRun(const Target &target, unsigned program, const std::string &debugName,
                             std::uint64_t cycles) {
  const nlohmann::json cost{{"program", program},
                            {"name", debugName},
                            {"cycles", cycles},
                            {"ipuSeconds", device::systemOf(target).chip.seconds(cycles)}};
  return cost.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void Engine::Impl::run(unsigned program, const std::string &debugName,
                       const options::OptionValues &runtime) {
  const Turn turn(*this, "Engine::run");
  if (state == State::Failed)
    throw poplar_error(
        "Engine::run: the last run ended in an error. Call Engine::load again first.");
  if (state != State::Loaded)
    throw poplar_error(
        "Engine::run: the engine is not loaded. Call Engine::load with a device first.");
  requireAttached("run");
  if (program >= image->programs.size())
    throw index_error(str("Engine::run: there is no program ", program, "; the engine has ",
                          image->programs.size(), " (0 to ", int(image->programs.size()) - 1,
                          ")."));
  streams.configure(optionsOfRun(runtime));
  const auto startCycle = interpreter->cycles();
  recorder.beginRun(program, debugName, startCycle);
  reportWritten = false;
  const base::Activity activity([this, program] {
    return str("Running: program ", program, ", ", base::thousands(interpreter->cyclesSoFar()),
               " cycles");
  });
  execute(program, debugName, startCycle);
  ++runs;
  openipu::beatOfRun();
  log().info("program ", program, " \"", debugName, "\" ran: ", interpreter->cycles() - startCycle,
             " cycles");
  reportWhileRunning();
}

void Engine::Impl::execute(unsigned program, const std::string &debugName,
                           std::uint64_t startCycle) {
  const UsageOfRun usage(*this);
  openipu::HostTrace traced("poplar", "Engine::run");
  deviceLost = true;
  try {
    raiseSimulatedError();
    deviceLost = false;
    withHostMemory("Engine::run", [&] { interpreter->run(program); });
    streams.endRun();
  } catch (...) {
    state = State::Failed;
    if (apart())
      tellPeers();
    recorder.endRun(interpreter->cycles());
    try {
      streams.endRun();
    } catch (...) { // the first failure is the one to report
    }
    throw;
  }
  recorder.endRun(interpreter->cycles());
  if (traced)
    traced.result(costOfRun(target, program, debugName, interpreter->cycles() - startCycle));
}

// ---- constructors ----

static std::vector<program::Program> one(const program::Program &program) { return {program}; }

Engine::Engine(const Graph &graph, ArrayRef<program::Program> progs, const OptionFlags &options,
               ProgressFunc progress, const DebugContext &context)
    : impl_(new Impl(imageOf(compileGraph(graph, progs, options, std::move(progress), context)),
                     options, context.getPathName())) {}
Engine::Engine(const Graph &graph, const program::Program &prog, const OptionFlags &options,
               ProgressFunc progress, const DebugContext &context)
    : Engine(graph, one(prog), options, std::move(progress), context) {}
Engine::Engine(Graph &&graph, ArrayRef<program::Program> progs, const OptionFlags &options,
               ProgressFunc progress, const DebugContext &context)
    : impl_(new Impl(
          imageOf(compileGraph(std::move(graph), progs, options, std::move(progress), context)),
          options, context.getPathName())) {}
Engine::Engine(Graph &&graph, const program::Program &prog, const OptionFlags &options,
               ProgressFunc progress, const DebugContext &context)
    : Engine(std::move(graph), one(prog), options, std::move(progress), context) {}
Engine::Engine(const Executable &executable, const OptionFlags &options)
    : impl_(new Impl(imageOf(executable), options, "")) {}
Engine::Engine(Executable &&executable, const OptionFlags &options)
    : impl_(new Impl(imageOf(executable), options, "")) {
  executable = Executable();
}
Engine::Impl &Engine::impl() const {
  if (!impl_)
    throw poplar_error("The engine is empty: it was moved from. Use the engine it was moved to.");
  return *impl_;
}
Engine::~Engine() = default;
Engine::Engine(Engine &&) noexcept = default;
Engine &Engine::operator=(Engine &&) noexcept = default;

// ---- loading and running ----

static options::OptionValues valuesOf(const RuntimeOptions &options) {
  return {options.flags().begin(), options.flags().end()};
}

void Engine::load(const Device &device) {
  const Impl::Turn turn(impl(), "Engine::load");
  const openipu::HostTrace traced("poplar", "Engine::load");
  impl().prepare(device);
  impl().deploy();
}
void Engine::prepare(const Device &device) {
  const Impl::Turn turn(impl(), "Engine::prepare");
  impl().prepare(device);
}
void Engine::prepare(const Device &device, const RuntimeOptions &options) {
  const Impl::Turn turn(impl(), "Engine::prepare");
  options::Options::forRun(impl().options, valuesOf(options)); // refuses what no run could use
  for (const auto &[key, value] : valuesOf(options))
    impl().options.set(key, value);
  impl().usualOptions.reset();
  impl().reportsEachRun.reset();
  impl().prepare(device);
}
void Engine::deploy() {
  const Impl::Turn turn(impl(), "Engine::deploy");
  impl().deploy();
}
void Engine::run(unsigned prog, const std::string &debugName) { impl().run(prog, debugName, {}); }
void Engine::run(unsigned prog, const std::string &debugName, const RuntimeOptions &options) {
  impl().run(prog, debugName, valuesOf(options));
}
void Engine::loadAndRun(const Device &device, unsigned prog) {
  load(device);
  run(prog);
}
void Engine::stop() {
  if (impl().interpreter)
    impl().interpreter->requestStop();
}

void Engine::insertSimulatedError(ErrorCode code, const ErrorLocation &location) {
  impl().simulatedErrors[location] = code;
}
void Engine::eraseSimulatedError(const ErrorLocation &location) {
  impl().simulatedErrors.erase(location);
}
void Engine::clearSimulatedErrors() { impl().simulatedErrors.clear(); }

} // namespace poplar
