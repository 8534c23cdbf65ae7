// SPDX-License-Identifier: MIT
// Loading and control flow; MachineSteps.cpp has the steps that move or compute something.
#include "backend/cpu/Machine.hpp"
#include "backend/cpu/FloatTraps.hpp"
#include "backend/cpu/HostRoom.hpp"
#include "base/Error.hpp"
#include "base/Text.hpp"
#include "codelet/Compile.hpp"
#include "compile/Replica.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>
#include <csignal>

namespace poplar::backend::cpu {
namespace {

LoadedModules loadAll(const Modules &modules) {
  LoadedModules loaded;
  for (const auto &module : modules)
    loaded.push_back(std::make_shared<codelet::LoadedModule>(module));
  return loaded;
}

std::uint64_t generatorKey(std::uint64_t seed, unsigned replica) {
  return base::mix(seed + 0x9e3779b97f4a7c15ull * (replica + 1));
}

ErrorCode codeOf(int signal) {
  switch (signal) {
  case SIGFPE:
    return ErrorCode::INVALID_OPERAND;
  case SIGILL:
    return ErrorCode::INVALID_INSTRUCTION;
  case SIGSEGV:
  case SIGBUS:
    return ErrorCode::INVALID_ADDRESS;
  default:
    return ErrorCode::TRAP;
  }
}

} // namespace

Machine::Machine(std::shared_ptr<const executable::Image> image, const arch::System &system,
                 const MachineOptions &options, Host &host, profile::Recorder &recorder)
    : image_(std::move(image)),
      system_(compile::oneReplica(system, std::max(1u, image_->replicationFactor))),
      options_(options), host_(host), recorder_(recorder), faults_(!image_->vertices.empty()),
      counted_(image_->computeSets.size()), recounts_(image_->computeSets.size()),
      executions_(image_->computeSets.size()) {
  for (std::uint32_t v = 0; v < image_->vertices.size(); ++v)
    if (image_->vertices[v].cycles == executable::noEstimate && !options.checked &&
        image_->vertexType(v).dependsOnData)
      recounts_[image_->vertices[v].computeSet] = true;
  for (std::uint32_t s = 0; s < image_->steps.size(); ++s)
    if (const auto *execute = executable::as<step::Execute>(image_->steps[s]))
      executions_[execute->set].push_back(s);
  if (options_.numReplicas == 0)
    options_.numReplicas = std::max(1u, image_->replicationFactor);
  loadModules();
  auto watches = [&](std::uint32_t step) { return recorder.watches(step); };
  program_ = std::make_unique<Program>(*image_, modules_, options.checked, watches);
  auto scratch = program_->scratchBytes();
  if (options.checked) {
    plainProgram_ = std::make_unique<Program>(*image_, image_->modules, false, watches);
    scratch = std::max(scratch, plainProgram_->scratchBytes());
  }
  requireHostRoom(*image_, scratch, options.checked, options_.numReplicas);
  for (unsigned r = 0; r < options_.numReplicas; ++r) {
    auto &replica = replicas_.emplace_back();
    replica.arena = Arena(scratchStart(*image_), scratch, options.checked);
    replica.kernels.resize(program_->numKernels());
    replica.plainComputeSets.resize(image_->computeSets.size());
    for (const auto &plan : program_->computeSets())
      replica.computeSets.push_back(
          plan ? std::make_unique<VertexRunner>(
                     *image_, *plan, loaded_,
                     options.checked ? codelet::Variant::Checked : codelet::Variant::Fast, host_)
               : nullptr);
  }
  if (!options.hostTimesFile.empty())
    hostTimes_.emplace(image_, options.hostTimesFile);
  trace_ = options.trace;
  if (trace_ && !options.traceFile.empty()) {
    traceFile_ = base::openInPlace(options.traceFile, base::Begin::Anew);
    traceStream_.emplace(traceFile_.get());
  }
}

Machine::~Machine() = default;

void Machine::loadModules() {
  modules_ = image_->modules;
  if (options_.checked) {
    for (auto &module : modules_)
      module = std::make_shared<const codelet::Module>(codelet::compileChecked(*module));
    loadedPlain_ = loadAll(image_->modules);
  }
  loaded_ = loadAll(modules_);
}

void Machine::load() {
  faults_.renew();
  const auto fill = options_.poison ? Fill::Poison : Fill::Zero;
  for (unsigned r = 0; r < replicas_.size(); ++r) {
    auto &replica = replicas_[r];
    replica.arena.reset(*image_, global(r), fill);
    for (auto &set : replica.computeSets)
      if (set)
        set->reset(replica.arena);
    for (auto &set : replica.plainComputeSets)
      set.reset();
    for (auto &call : replica.kernels)
      call.reset();
    replica.seeds.clear();
    replica.random = {generatorKey(options_.seed, global(r)), 0, false};
    replica.seedVertices(base::mix(options_.seed) + global(r));
  }
  firstKey_ = generatorKey(options_.seed, 0);
  firstKeyChanged_ = false;
  meetings_ = 0;
  floatingPoint_.word = options_.floatingPoint;
  mode_ = {floatingPoint_.trapped(), options_.threads, &stop_, &cycles_};
}

void Machine::read(const BoundView &view, unsigned replica, std::byte *to) const {
  view.read(replicas_[replica].arena.data(), to);
}

void Machine::write(const BoundView &view, unsigned replica, const std::byte *from) {
  for (auto &call : replicas_[replica].kernels)
    if (call)
      ++call->args.generation;
  view.write(from, arena(replica));
  markWritten(view, replica);
}

// ---- running
// -----------------------------------------------------------------------------------------------------

void Machine::requestStop() noexcept {
  stop_ = true;
  codelet::interruptCalls();
}

void Machine::run(std::uint32_t program) {
  PrintScope print(&host_);
  faults_.watch();
  for (auto &replica : replicas_)
    for (auto kernel : program_->disturbed(program))
      if (auto &call = replica.kernels[kernel])
        ++call->args.generation;
  active_.resize(replicas_.size());
  for (unsigned r = 0; r < replicas_.size(); ++r)
    active_[r] = r;
  stop_ = false;
  current_ = nullptr;
  forks_.clear();
  if (hostTimes_)
    hostTimes_->begin();
  try {
    interpret(program_->entry(program));
  } catch (const Stop &) {
  } catch (...) {
    translateFailure();
  }
}

// Failures of vertices become the public exceptions, with the place where they happened.
void Machine::translateFailure() {
  auto where = [&] {
    if (!current_)
      return std::string();
    const auto &step = stepOf(*current_);
    const auto *execute = executable::as<step::Execute>(step);
    return base::str(" (in ", execute ? "compute set" : "step", " \"",
                     execute ? image_->computeSets[execute->set].name : step.name, "\")");
  };
  try {
    throw;
  } catch (const FloatTrap &trap) {
    const auto [code, name] =
        trap.raised & FE_INVALID
            ? std::pair(ErrorCode::FLOATING_POINT_INVALID_OPERATION, "invalid operation")
        : trap.raised & FE_DIVBYZERO
            ? std::pair(ErrorCode::FLOATING_POINT_DIVIDE_BY_ZERO, "division by zero")
            : std::pair(ErrorCode::FLOATING_POINT_OVERFLOW, "overflow");
    application_runtime_error error(
        base::str("Floating point exception: ", name, where(),
                  ". Find the value that causes it, or switch the exception off with "
                  "setFloatingPointBehaviour or the option debug.floatPointOpException."));
    error.info.code = code;
    throw error;
  } catch (const VertexFault &fault) {
    application_runtime_error error(base::str(fault.what(), where()));
    const auto tilesPerIpu = system_.chip.tiles;
    error.info = {codeOf(fault.signal), {fault.tile / tilesPerIpu, fault.tile % tilesPerIpu, -1}};
    throw error;
  } catch (const codelet::TrapError &trap) {
    application_runtime_error error(base::str(trap.what(), where()));
    error.info.code = ErrorCode::TRAP;
    throw error;
  }
}

void Machine::interpret(const Block &block) {
  if (stop_.load(std::memory_order_relaxed)) [[unlikely]]
    throw Stop{};
  cyclesSoFar_.store(cycles_, std::memory_order_relaxed);
  for (const auto &in : block) {
    current_ = &in;
    switch (in.op) {
    case Op::Enter:
      recorder_.enter(in.step, cycles_);
      break;
    case Op::Leave:
      recorder_.leave(in.step, cycles_);
      break;
    case Op::Run:
      interpret(*in.body);
      break;
    case Op::Fork:
      forks_.push_back({cycles_, cycles_});
      break;
    case Op::Next:
      forks_.back().latest = std::max(forks_.back().latest, cycles_);
      cycles_ = forks_.back().start;
      break;
    case Op::Join:
      cycles_ = forks_.back().latest;
      forks_.pop_back();
      break;
    case Op::Execute:
      execute(in);
      break;
    case Op::ExecuteReturning:
      executeReturning(in);
      break;
    case Op::Copy:
      copy(in);
      break;
    case Op::HostToDevice:
      hostToDevice(in);
      break;
    case Op::DeviceToHost:
      deviceToHost(in);
      break;
    case Op::RemoteToDevice:
    case Op::DeviceToRemote:
      remote(in);
      break;
    case Op::Repeat:
      repeat(in);
      break;
    case Op::RepeatWhile:
      repeatWhile(in);
      break;
    case Op::If:
      branch(in);
      break;
    case Op::Switch:
      select(in);
      break;
    case Op::HostCall:
      hostCall(in);
      break;
    case Op::Wait:
      account(in);
      break;
    case Op::WriteUndef:
      writeUndef(in);
      break;
    case Op::Print:
      print(in);
      break;
    case Op::Error:
      fail(in);
      break;
    case Op::Abort:
      abort(in);
      break;
    case Op::CrossReplicaCopy:
      crossReplica(in);
      break;
    case Op::AssumeEqual:
      assumeEqual(in);
      break;
    case Op::Kernel:
      kernel(in);
      break;
    case Op::CycleStamp:
      cycleStamp(in);
      break;
    case Op::FloatingPoint:
      floatingPoint(in);
      break;
    case Op::GetSeeds:
    case Op::SetSeeds:
      seeds(in);
      break;
    }
  }
}

void Machine::repeat(const Instruction &in) {
  for (std::uint64_t i = 0; i < in.count; ++i) {
    pay(in);
    interpret(*in.body);
    recorder_.endOfBody(in.step, cycles_);
  }
}

// Replicas leave the loop one by one; those that are still in it go on together.
void Machine::repeatWhile(const Instruction &in) {
  if (single()) {
    for (;;) {
      interpret(*in.other);
      pay(in);
      if (in.scalar.isTrue(arena(0)) != in.flag)
        return;
      interpret(*in.body);
      recorder_.endOfBody(in.step, cycles_);
    }
  }
  const auto before = active_;
  for (;;) {
    interpret(*in.other);
    pay(in);
    std::erase_if(active_, [&](unsigned r) { return in.scalar.isTrue(arena(r)) != in.flag; });
    if (active_.empty())
      break;
    interpret(*in.body);
    recorder_.endOfBody(in.step, cycles_);
  }
  active_ = before;
}

void Machine::branch(const Instruction &in) {
  pay(in);
  auto choose = [&](unsigned r) { return in.scalar.isTrue(arena(r)) ? in.body : in.other; };
  if (single())
    return interpret(*choose(0));
  std::vector<std::pair<const Block *, unsigned>> choices;
  for (auto r : active_)
    choices.emplace_back(choose(r), r);
  runSplit(choices);
}

const Block *Machine::caseOf(const Instruction &in, std::int64_t value) const {
  const auto &cases = in.details->cases;
  auto it = std::lower_bound(cases.begin(), cases.end(),
                             std::pair(value, static_cast<const Block *>(nullptr)),
                             [](auto &a, auto &b) { return a.first < b.first; });
  if (it != cases.end() && it->first == value)
    return it->second;
  if (!in.flag)
    return in.other;
  std::vector<std::int64_t> known;
  for (const auto &[key, block] : cases)
    known.push_back(key);
  throw application_runtime_error(base::str("Switch \"", stepOf(in).name, "\": the control value ",
                                            value, " matches none of the cases ", base::list(known),
                                            "."));
}

void Machine::select(const Instruction &in) {
  pay(in);
  std::vector<std::pair<const Block *, unsigned>> choices;
  if (single())
    return interpret(*caseOf(in, in.scalar.value(arena(0))));
  for (auto r : active_)
    choices.emplace_back(caseOf(in, in.scalar.value(arena(r))), r);
  runSplit(choices);
}

// Groups of replicas take their branches at the same time on the device: the slowest group counts.
void Machine::runSplit(const std::vector<std::pair<const Block *, unsigned>> &choices) {
  const auto before = active_;
  const auto start = cycles_;
  auto latest = start;
  std::vector<const Block *> done;
  for (const auto &[block, first] : choices) {
    if (std::find(done.begin(), done.end(), block) != done.end())
      continue;
    done.push_back(block);
    active_.clear();
    for (const auto &[other, r] : choices)
      if (other == block)
        active_.push_back(r);
    cycles_ = start;
    interpret(*block);
    latest = std::max(latest, cycles_);
  }
  cycles_ = latest;
  active_ = before;
}

} // namespace poplar::backend::cpu
