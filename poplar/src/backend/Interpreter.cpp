// SPDX-License-Identifier: MIT
// Loading and control flow; InterpreterSteps.cpp has the steps that move or compute something.
#include "backend/Interpreter.hpp"
#include "backend/BoundSteps.hpp"
#include "backend/Faults.hpp"
#include "base/Log.hpp"
#include "base/Mix.hpp"
#include "base/Text.hpp"
#include "compile/Replica.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>
#include <cfenv>
#include <csignal>

namespace poplar::backend {
namespace {

const base::Logger &engineLog() {
  static const base::Logger log("POPLAR", "PO", "ENGINE");
  return log;
}

std::uint64_t generatorKey(std::uint64_t seed, unsigned replica) {
  return base::mix(seed + 0x9e3779b97f4a7c15ull * (replica + 1));
}

struct Counted { // as long as it lives
  explicit Counted(unsigned &n) : n(++n) {}
  ~Counted() { --n; }
  Counted(const Counted &) = delete;
  unsigned &n;
};

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

Interpreter::Interpreter(std::shared_ptr<const executable::Image> image, const arch::System &system,
                         const BackendKind &kind, const RunOptions &options, Host &host,
                         profile::Recorder &recorder)
    : image_(std::move(image)),
      system_(compile::oneReplica(system, std::max(1u, image_->replicationFactor))),
      options_(options), host_(host), account_(image_, system_, options, recorder),
      kernels_(*image_, leafSteps(*image_), kind.name), generations_(kernels_.size(), 1) {
  if (options_.numReplicas == 0)
    options_.numReplicas = std::max(1u, image_->replicationFactor);
  auto setup = setupOf(image_, system_, kernels_, options_, host_);
  setup.recounts = account_.recounts();
  auto steps = leafSteps(*image_);
  const auto left = OnHost::take(*image_, steps, kind);
  setup.steps = bindSteps(*image_, kernels_, steps, kind.name);
  backend_ = kind.make(setup);
  if (!left.empty()) {
    setup.steps = bindSteps(*image_, kernels_, left, "cpu");
    onHost_ = std::make_unique<OnHost>(setup, *backend_);
    engineLog().warn(onHost_->report(*image_, kind.name));
    onHost_->tell([this](auto... what) { account_.onHost(what...); });
  }
  flow_ =
      std::make_unique<Flow>(*image_, kernels_, account_, Runners{kind, *backend_, onHost_.get()});
  for (auto &joined : flow_->segments())
    findCycles(joined);
  replicas_.resize(options_.numReplicas);
  random_.resize(options_.numReplicas);
  turn_.random = random_.data();
  turn_.cycles = account_.counter();
  turn_.generations = generations_.data();
}

Interpreter::~Interpreter() = default;

void Interpreter::load() {
  backend_->load();
  if (onHost_)
    onHost_->cpu().load();
  for (unsigned r = 0; r < replicas_.size(); ++r) {
    replicas_[r].seeds.clear();
    random_[r] = {generatorKey(options_.seed, global(r)), 0};
    seedVertices(r, base::mix(options_.seed) + global(r));
  }
  firstKey_ = generatorKey(options_.seed, 0);
  firstKeyChanged_ = false;
  meetings_ = 0;
  foundFloatingPoint_.word = options_.floatingPoint;
  intact_ = true;
  trail_.clear();
  resume();
}

void Interpreter::resume() {
  floatingPoint_ = foundFloatingPoint_;
  turn_.trapped = floatingPoint_.trapped();
  turn_.rounding = rounding();
}

void Interpreter::seedVertices(unsigned replica, std::uint64_t seed) {
  backend_->seed(replica, seed);
  if (onHost_)
    onHost_->cpu().seed(replica, seed);
}

void Interpreter::read(const HostView &view, unsigned replica, std::byte *to) const {
  backend_->read(view.place, replica, to);
}

void Interpreter::write(const HostView &view, unsigned replica, const std::byte *from) {
  for (auto &generation : generations_)
    ++generation;
  backend_->write(view.place, replica, from);
}

// ---- running

void Interpreter::requestStop() noexcept {
  stop_ = true;
  backend_->stop();
  if (onHost_)
    onHost_->cpu().stop();
}

namespace {

// Tells backends where a run begins and ends.
class RunOf {
public:
  RunOf(Backend &backend, OnHost *onHost) : backend_(backend), onHost_(onHost) {
    backend_.begin();
    if (onHost_)
      onHost_->cpu().begin();
  }
  ~RunOf() {
    try {
      end();
    } catch (...) { // the first failure is the one to report
    }
  }
  RunOf(const RunOf &) = delete;
  void end() { // waits
    if (std::exchange(ended_, true))
      return;
    if (onHost_)
      onHost_->cpu().end();
    backend_.end();
  }

private:
  Backend &backend_;
  OnHost *onHost_;
  bool ended_ = false;
};

} // namespace

void Interpreter::run(std::uint32_t program) {
  RunOf run(*backend_, onHost_.get());
  for (auto kernel : kernels_.disturbed(program))
    ++generations_[kernel];
  active_.resize(replicas_.size());
  for (unsigned r = 0; r < replicas_.size(); ++r)
    active_[r] = r;
  stop_ = false;
  current_ = nullptr;
  choices_ = 0;
  account_.begin();
  trail_.clear();
  foundFloatingPoint_ = floatingPoint_;
  try {
    try {
      interpret(flow_->entry(program));
    } catch (const Stop &) {
    }
    pending_.wait();
    run.end();
  } catch (...) {
    pending_.abandon();
    translateFailure();
  }
}

// Failures of vertices become the public exceptions, with the place where they happened.
void Interpreter::translateFailure() {
  const auto *failed = current_ ? &stepOf(*current_) : nullptr;
  auto cause = std::current_exception();
  try {
    std::rethrow_exception(cause);
  } catch (const LateFault &late) { // what was done behind it nobody knows
    failed = &image_->steps[late.step];
    cause = late.cause;
    intact_ = false;
  } catch (...) { // as it is
  }
  auto where = [&] {
    if (!failed)
      return std::string();
    const auto &step = *failed;
    const auto *execute = executable::as<step::Execute>(step);
    return base::str(" (in ", execute ? "compute set" : "step", " \"",
                     execute ? image_->computeSets[execute->set].name : step.name, "\")");
  };
  try {
    std::rethrow_exception(cause);
  } catch (const FloatTrap &trap) {
    // An infinite result of a kernel that reads a zero may be either of two.
    const auto [code, name] =
        trap.raised & FE_INVALID
            ? std::pair(ErrorCode::FLOATING_POINT_INVALID_OPERATION, "invalid operation")
        : !(trap.raised & FE_DIVBYZERO) ? std::pair(ErrorCode::FLOATING_POINT_OVERFLOW, "overflow")
        : trap.raised & FE_OVERFLOW
            ? std::pair(ErrorCode::FLOATING_POINT_DIVIDE_BY_ZERO, "division by zero or overflow")
            : std::pair(ErrorCode::FLOATING_POINT_DIVIDE_BY_ZERO, "division by zero");
    application_runtime_error error(
        base::str("Floating point exception: ", name, where(),
                  ". Find the value that causes it, or switch the exception off with "
                  "setFloatingPointBehaviour or the option debug.floatPointOpException."));
    error.info.code = code;
    throw error;
  } catch (const VertexFault &fault) {
    application_runtime_error error(base::str(fault.what(), where()));
    intact_ = false;
    const auto tilesPerIpu = system_.chip.tiles;
    error.info = {codeOf(fault.signal), {fault.tile / tilesPerIpu, fault.tile % tilesPerIpu, -1}};
    throw error;
  } catch (const codelet::TrapError &trap) {
    application_runtime_error error(base::str(trap.what(), where()));
    error.info.code = ErrorCode::TRAP;
    throw error;
  }
}

void Interpreter::interpret(const Block &block) {
  const Instruction *at = nullptr;
  try {
    interpret(block, at);
  } catch (...) {
    trail_.push_back({&block, at});
    throw;
  }
}

void Interpreter::interpret(const Block &block, const Instruction *&at) {
  if (stop_.load(std::memory_order_relaxed)) [[unlikely]]
    throw Stop{};
  account_.tell();
  for (const auto &in : block) {
    current_ = at = &in;
    if (pending_.any()) [[unlikely]]
      settle(in);
    switch (in.op) {
    case Op::Enter:
      account_.enter(in.step);
      break;
    case Op::Leave:
      account_.leave(in.step);
      break;
    case Op::Run:
      interpret(*in.body);
      break;
    case Op::Fork:
      account_.fork();
      break;
    case Op::Next:
      account_.next();
      break;
    case Op::Join:
      account_.join();
      break;
    case Op::Leaf:
      in.runner->run(in.step, turn_);
      account(in);
      break;
    case Op::Execute:
      execute(in);
      break;
    case Op::Kernel:
      kernel(in);
      break;
    case Op::Segment:
      segment(in);
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

void Interpreter::repeat(const Instruction &in) {
  const auto &body = *in.body;
  const bool joined = body.size() == 1 && body[0].op == Op::Segment;
  for (std::uint64_t i = 0; i < in.count; ++i) {
    if (joined && runsWhole(*body[0].joined))
      return repeatSegment(in, in.count - i);
    pay(in);
    interpret(*in.body);
    account_.endOfBody(in.step);
  }
}

// Replicas leave the loop one by one; those that are still in it go on together.
void Interpreter::repeatWhile(const Instruction &in) {
  const Counted inside(choices_);
  if (single()) {
    for (;;) {
      interpret(*in.other);
      settle(in);
      pay(in);
      if (in.scalar.isTrue(*backend_, 0) != in.flag)
        return;
      interpret(*in.body);
      account_.endOfBody(in.step);
    }
  }
  const auto before = active_;
  for (;;) {
    interpret(*in.other);
    settle(in);
    pay(in);
    std::erase_if(active_, [&](unsigned r) { return in.scalar.isTrue(*backend_, r) != in.flag; });
    if (active_.empty())
      break;
    interpret(*in.body);
    account_.endOfBody(in.step);
  }
  active_ = before;
}

void Interpreter::branch(const Instruction &in) {
  const Counted inside(choices_);
  pay(in);
  auto choose = [&](unsigned r) { return in.scalar.isTrue(*backend_, r) ? in.body : in.other; };
  if (single())
    return interpret(*choose(0));
  std::vector<std::pair<const Block *, unsigned>> choices;
  for (auto r : active_)
    choices.emplace_back(choose(r), r);
  runSplit(choices);
}

const Block *Interpreter::caseOf(const Instruction &in, std::int64_t value) const {
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

void Interpreter::select(const Instruction &in) {
  const Counted inside(choices_);
  pay(in);
  std::vector<std::pair<const Block *, unsigned>> choices;
  if (single())
    return interpret(*caseOf(in, in.scalar.value(*backend_, 0)));
  for (auto r : active_)
    choices.emplace_back(caseOf(in, in.scalar.value(*backend_, r)), r);
  runSplit(choices);
}

// Groups of replicas take their branches at the same time on the device: the slowest group counts.
void Interpreter::runSplit(const std::vector<std::pair<const Block *, unsigned>> &choices) {
  const auto before = active_;
  account_.fork();
  std::vector<const Block *> done;
  for (const auto &[block, first] : choices) {
    if (std::find(done.begin(), done.end(), block) != done.end())
      continue;
    done.push_back(block);
    active_.clear();
    for (const auto &[other, r] : choices)
      if (other == block)
        active_.push_back(r);
    interpret(*block);
    account_.next();
  }
  account_.join();
  active_ = before;
}

} // namespace poplar::backend
