// SPDX-License-Identifier: MIT
// The steps that move or compute something. Each does its work for every active replica, then
// accounts for its cycles.
#include "backend/cpu/KernelTraps.hpp"
#include "backend/cpu/Machine.hpp"
#include "base/FloatMode.hpp"
#include "base/Mix.hpp"
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "compile/TimeSteps.hpp"
#include "engine/PrintTensor.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>
#include <cstring>

namespace poplar::backend::cpu {
namespace {

const base::Logger &engineLog() {
  static const base::Logger log("POPLAR", "PO", "ENGINE");
  return log;
}

} // namespace

// ---- helpers
// -----------------------------------------------------------------------------------------------------

std::byte *Machine::buffer(std::uint64_t bytes) {
  if (buffer_.size() < bytes)
    buffer_.resize(bytes);
  return buffer_.data();
}

std::vector<std::byte> Machine::packed(const BoundView &view, unsigned replica) const {
  std::vector<std::byte> bytes(view.bytes());
  view.read(replicas_[replica].arena.data(), bytes.data());
  return bytes;
}

void Machine::markWritten(const MoveList &moves, std::uint64_t bufferBytes, unsigned replica) {
  auto *shadow = replicas_[replica].arena.shadow();
  if (!shadow)
    return;
  if (ones_.size() < bufferBytes)
    ones_.assign(bufferBytes, std::byte(1));
  moves.run(ones_.data(), shadow);
}

void Machine::markWritten(const BoundView &view, unsigned replica) {
  if (auto *shadow = replicas_[replica].arena.shadow())
    view.fill(shadow, std::byte(1));
}

void Machine::traceStep(const Instruction &in) {
  auto line = base::str("cycle ", cycles_, " step ", in.step, " ", in.cost->cycles, " cycles \"",
                        stepOf(in).name, "\"");
  if (traceStream_)
    *traceStream_ << line << '\n';
  else
    engineLog().info(line);
}

// ---- vertices
// ----------------------------------------------------------------------------------------------------

void Machine::execute(const Instruction &in) {
  const base::FlushDenormals asTilesDo;
  if (single() && !in.cost->pending) [[likely]] {
    replicas_[0].computeSets[in.index]->run(mode_);
    return account(in);
  }
  if (in.cost->pending) {
    executeCounted(in, [](unsigned, bool) {});
  } else if (!mode_.threads) {
    for (auto r : active_)
      executeOn(in, r, false);
  } else {
    base::parallelFor(active_.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
      PrintScope print(&host_);
      for (auto i = begin; i < end; ++i)
        executeOn(in, active_[i], false);
    });
  }
  account(in);
}

void Machine::executeReturning(const Instruction &in) {
  const base::FlushDenormals asTilesDo;
  const auto &predicate = in.details->views[0];
  auto answer = [&](unsigned r, bool result) {
    std::byte bytes[8] = {std::byte(result)}; // little endian: right for every integer type
    predicate.write(bytes, arena(r));
    markWritten(predicate, r);
  };
  if (in.cost->pending)
    executeCounted(in, answer);
  else
    for (auto r : active_)
      answer(r, executeOn(in, r, true));
  account(in);
}

bool Machine::executeOn(const Instruction &in, unsigned replica, bool returning) {
  auto &set = *replicas_[replica].computeSets[in.index];
  if (returning)
    return set.runReturning(mode_);
  set.run(mode_);
  return true;
}

// Counts the vertices that have no estimate: the first time, and every time where the count depends
// on the data. Replicas wait for each other, so the slowest one's vertices count.
void Machine::executeCounted(const Instruction &in,
                             const std::function<void(unsigned, bool)> &answer) {
  std::vector<std::uint64_t> slowest;
  for (const auto r : active_) {
    const bool counts = slowest.empty() || recounts_[in.index];
    if (!counts) {
      answer(r, executeOn(in, r, true));
      continue;
    }
    auto cycles = counted_[in.index];
    answer(r, count(in, r, cycles));
    slowest.resize(cycles.size());
    for (std::size_t i = 0; i < cycles.size(); ++i)
      slowest[i] = std::max(slowest[i], cycles[i]);
  }
  if (slowest != counted_[in.index])
    measure(in, std::move(slowest));
}

// In checked mode the checked code decides the result; the plain code is then counted on the state
// from before, which is put back afterwards. That takes long, so it is done once.
bool Machine::count(const Instruction &in, unsigned replica, std::vector<std::uint64_t> &cycles) {
  auto &mine = replicas_[replica];
  if (!options_.checked)
    return mine.computeSets[in.index]->runCounted(mode_, system_.chip.workers, cycles);
  auto *memory = mine.arena.data();
  std::vector<std::byte> before(memory, memory + mine.arena.size());
  const bool result = mine.computeSets[in.index]->runReturning(mode_);
  std::vector<std::byte> after(memory, memory + mine.arena.size());
  std::memcpy(memory, before.data(), before.size());
  auto &plain = mine.plainComputeSets[in.index];
  plain = std::make_unique<VertexRunner>(*image_, *plainProgram_->computeSets()[in.index],
                                         loadedPlain_, codelet::Variant::Fast, host_);
  plain->reset(mine.arena);
  PrintScope silent(nullptr);
  plain->runCounted(mode_, system_.chip.workers, cycles);
  std::memcpy(memory, after.data(), after.size());
  return result;
}

// From now on every step that executes this compute set has its full cost.
void Machine::measure(const Instruction &in, std::vector<std::uint64_t> cycles) {
  executable::Phase phase;
  compile::timeComputeSet(*image_, system_, in.index, cycles, phase);
  const auto &vertices = image_->computeSets[in.index].vertices;
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (image_->vertices[vertices[i]].cycles == executable::noEstimate)
      recorder_.measured(vertices[i], cycles[i]);
  for (const auto s : executions_[in.index]) {
    auto timed = image_->steps[s];
    compile::computePhase(*image_, timed) = phase;
    timed.cost.measured = true;
    auto &kept = measured_[s];
    kept = std::move(timed.cost);
    program_->costs()[s] = {&kept, kept.cycles(), recounts_[in.index] != 0};
  }
  for (auto &replica : replicas_)
    if (replica.computeSets[in.index])
      replica.computeSets[in.index]->setWork(cycles);
  counted_[in.index] = std::move(cycles);
}

// ---- copies
// ------------------------------------------------------------------------------------------------------

void Machine::copy(const Instruction &in) {
  for (auto r : active_) {
    in.moves->run(arena(r), arena(r));
    if (auto *shadow = replicas_[r].arena.shadow())
      in.moves->run(shadow, shadow);
  }
  account(in);
}

void Machine::hostToDevice(const Instruction &in) {
  const bool broadcast = image_->streams[in.index].broadcast;
  auto deliver = [&](unsigned replica, const std::byte *data) {
    in.moves->run(data, arena(replica));
    markWritten(*in.moves, in.details->bufferBytes, replica);
  };
  if (broadcast) {
    const auto *data = host_.beginRead(in.index, 0);
    for (auto r : active_)
      deliver(r, data);
    host_.endRead(in.index, 0);
  } else {
    for (auto r : active_) {
      deliver(r, host_.beginRead(in.index, r));
      host_.endRead(in.index, r);
    }
  }
  account(in);
}

void Machine::deviceToHost(const Instruction &in) {
  for (auto r : active_) {
    in.moves->run(arena(r), host_.beginWrite(in.index, r));
    host_.endWrite(in.index, r);
  }
  account(in);
}

std::vector<std::uint64_t> Machine::remoteSlots(const Instruction &in, unsigned replica) {
  const auto &remote = image_->remoteBuffers[in.index];
  if (in.details->views.empty())
    return {0};
  const auto &view = in.details->views[0];
  auto bytes = packed(view, replica);
  std::vector<std::uint64_t> slots(view.elements());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    std::uint32_t word;
    std::memcpy(&word, bytes.data() + 4 * i, 4);
    const auto slot =
        view.type() == TypeId::Int ? std::int64_t(std::int32_t(word)) : std::int64_t(word);
    if (slot < 0 || std::uint64_t(slot) >= remote.repeats)
      throw application_runtime_error(base::str("Copy \"", stepOf(in).name, "\": offset ", slot,
                                                " is outside remote buffer \"", remote.handle,
                                                "\", which has ", remote.repeats, " repeats (0 to ",
                                                remote.repeats - 1, ")."));
    slots[i] = std::uint64_t(slot);
  }
  return slots;
}

void Machine::remote(const Instruction &in) {
  const auto &remote = image_->remoteBuffers[in.index];
  const auto slotBytes = remote.elements * sizeOf(remote.type);
  const bool toDevice = in.op == Op::RemoteToDevice;
  for (auto r : active_) {
    auto *base = host_.remoteBuffer(in.index, r);
    const auto slots = remoteSlots(in, r);
    auto *data = slots.size() == 1 ? base + slots[0] * slotBytes : buffer(slots.size() * slotBytes);
    auto eachSlot = [&](auto copySlot) {
      for (std::size_t i = 0; slots.size() > 1 && i < slots.size(); ++i)
        copySlot(data + i * slotBytes, base + slots[i] * slotBytes);
    };
    if (toDevice) {
      eachSlot([&](auto *mine, auto *theirs) { std::memcpy(mine, theirs, slotBytes); });
      in.moves->run(data, arena(r));
      markWritten(*in.moves, in.details->bufferBytes, r);
    } else {
      in.moves->run(arena(r), data);
      eachSlot([&](auto *mine, auto *theirs) { std::memcpy(theirs, mine, slotBytes); });
    }
  }
  account(in);
}

void Machine::crossReplica(const Instruction &in) {
  if (active_.size() != replicas_.size())
    throw application_runtime_error(
        base::str("CrossReplicaCopy \"", stepOf(in).name, "\": only ", active_.size(), " of ",
                  replicas_.size(),
                  " replicas arrived. Control flow must not differ between "
                  "replicas where they communicate."));
  const auto bytes = in.details->bufferBytes;
  const auto total = std::max(1u, image_->replicationFactor);
  auto *packed = buffer(bytes * total);
  const auto &pairs = kindOf<step::CrossReplicaCopy>(in).pairs;
  const auto here = [&](unsigned r) { return r - options_.firstReplica; };
  const auto isHere = [&](unsigned r) { return here(r) < replicas_.size(); };
  for (const auto &pair : pairs)
    if (isHere(pair.from))
      in.moves->run(arena(here(pair.from)), packed + pair.from * bytes);
  if (apart())
    sendApart(in, packed);
  for (const auto &pair : pairs)
    if (isHere(pair.to)) {
      in.details->scatter.run(packed + pair.from * bytes, arena(here(pair.to)));
      markWritten(in.details->scatter, bytes, here(pair.to));
    }
  account(in);
}

// ---- host functions and kernels
// ------------------------------------------------------------------------------------

void Machine::hostCall(const Instruction &in) {
  const auto &views = in.details->views;
  for (auto r : active_) {
    std::vector<std::vector<std::byte>> buffers;
    std::vector<const void *> inputs;
    std::vector<void *> outputs;
    for (std::size_t i = 0; i < views.size(); ++i) {
      buffers.push_back(packed(views[i], r));
      if (i < in.count)
        inputs.push_back(buffers.back().data());
      else
        outputs.push_back(buffers.back().data());
    }
    host_.callFunction(in.index, r, inputs, outputs);
    for (auto i = in.count; i < views.size(); ++i) {
      views[i].write(buffers[i].data(), arena(r));
      markWritten(views[i], r);
    }
  }
  account(in);
}

static std::unique_ptr<KernelCall> makeCall(const Instruction &in, std::string_view attributes,
                                            std::byte *arena, RandomState *random,
                                            unsigned replica) {
  auto call = std::make_unique<KernelCall>();
  const auto &details = *in.details;
  for (std::size_t i = 0; i < details.views.size(); ++i) {
    const auto &view = details.views[i];
    const bool gathered = details.scratch[i] >= 0;
    call->operands.push_back(
        {arena + (gathered ? std::uint64_t(details.scratch[i]) : view.offset()), view.type(),
         view.shape(), view.strides(), view.elements(), gathered || view.contiguous(),
         details.unread[i], details.steady[i]});
  }
  std::span<const KernelOperand> all(call->operands);
  call->args = {.outputs = all.first(in.count),
                .inputs = all.subspan(in.count),
                .attributes = attributes,
                .random = random,
                .replica = replica};
  call->instruction = &in;
  if (details.kernel->prepare)
    call->args.prepared = details.kernel->prepare(call->args);
  return call;
}

KernelCall &Machine::gathered(const Instruction &in, unsigned r) {
  const auto &details = *in.details;
  auto &call = replicas_[r].kernels[in.index];
  if (!call) [[unlikely]]
    call = makeCall(in, kindOf<step::Kernel>(in).attributes, arena(r), &replicas_[r].random,
                    global(r));
  for (std::size_t i = 0; i < details.views.size(); ++i)
    if (details.gathered[i])
      details.views[i].read(arena(r), call->operands[i].data);
  return *call;
}

void Machine::scattered(const Instruction &in, unsigned r) {
  const auto &details = *in.details;
  for (std::size_t i = 0; i < in.count; ++i) {
    if (details.scratch[i] >= 0)
      details.views[i].write(replicas_[r].kernels[in.index]->operands[i].data, arena(r));
    markWritten(details.views[i], r);
  }
  if (auto &random = replicas_[r].random; random.reseeded) [[unlikely]] {
    random.reseeded = false;
    firstKeyChanged_ = true;
    replicas_[r].seedVertices(random.key);
  }
}

// The next key is drawn from the first replica's generator, so that equal values stay equal on all
// of them; all generators move on alike.
openipu::Rounding Machine::nextRounding() {
  openipu::Rounding rounding;
  rounding.nanOnOverflow = floatingPoint_.word & FloatingPointState::NanOnOverflow;
  rounding.stochastic = floatingPoint_.word & FloatingPointState::StochasticRounding;
  if (!rounding.stochastic)
    return rounding;
  const auto &random = replicas_[active_[0]].random;
  const auto key = apart() ? firstKey() : random.key;
  rounding.key = base::mix(~key + base::mix(random.counter));
  for (auto r : active_)
    ++replicas_[r].random.counter;
  return rounding;
}

// Results are rounded stochastically where the kernel allows it.
void Machine::runKernel(const Instruction &in, KernelCall &call) {
  const auto &kernel = *in.details->kernel;
  if (call.args.rounding.stochastic) [[unlikely]] {
    if (!call.rounded)
      call.rounded = RoundedCall::make(kernel, call.args, in.details->alsoRead);
    if (call.rounded)
      return call.rounded->run(call.args);
  }
  kernel.run(call.args);
}

void Machine::kernel(const Instruction &in) {
  const base::FlushDenormals asTilesDo;
  const auto &kernel = *in.details->kernel;
  const bool plain = !(floatingPoint_.word & FloatingPointState::changesRounding);
  const auto rounding = plain ? openipu::Rounding() : nextRounding();
  if (kernel.runAcross) {
    std::vector<KernelArgs> args;
    for (auto r : active_)
      args.push_back(gathered(in, r).args);
    if (apart())
      meet(in);
    const openipu::PeersScope others(apart() ? &peers_ : nullptr);
    kernel.runAcross(args);
    for (auto r : active_)
      scattered(in, r);
  } else {
    for (auto r : active_) {
      auto &call = gathered(in, r);
      call.args.rounding = rounding;
      const KernelTraps traps(mode_.trapped, call.args, in.details->alsoRead);
      runKernel(in, call);
      traps.check();
      scattered(in, r);
    }
  }
  account(in);
}

// ---- the rest
// --------------------------------------------------------------------------------------------------------

void Machine::show(const Instruction &in, const tensor::View &tensor, const std::string &title,
                   const executable::PrintFormat &format) {
  const auto &view = in.details->views[0];
  const bool quarter = view.type() == TypeId::Quarter && tensor.metadata;
  for (auto r : active_) {
    auto data = packed(view, r);
    unsigned char metadata = 0;
    if (quarter)
      metadata = (unsigned char)packed(BoundView(*tensor.metadata, *image_), r)[0];
    host_.tensorText(
        engine::printedTensor(title, view.type(), view.shape(), data.data(), format, metadata));
  }
}

void Machine::print(const Instruction &in) {
  const auto &step = kindOf<step::Print>(in);
  show(in, step.tensor, step.title, step.format);
  account(in);
}

static std::string placeOf(const executable::Step &step) {
  return step.name.empty() ? "" : base::str(" (at \"", step.name, "\")");
}

void Machine::fail(const Instruction &in) {
  const auto &step = kindOf<step::Error>(in);
  show(in, step.tensor, step.message, {});
  throw application_runtime_error(step.message + placeOf(stepOf(in)));
}

void Machine::abort(const Instruction &in) {
  account(in);
  if (in.details && std::none_of(active_.begin(), active_.end(),
                                 [&](auto r) { return in.scalar.isTrue(arena(r)); }))
    return;
  const auto &message = kindOf<step::Abort>(in).message;
  const auto *what =
      in.details ? "AbortOnCondition: the condition is true" : "Abort program executed";
  throw application_runtime_error((message.empty() ? what : message) + placeOf(stepOf(in)));
}

void Machine::assumeEqual(const Instruction &in) {
  if (options_.checked && image_->replicationFactor > 1) {
    const auto &view = in.details->views[0];
    const auto first = packed(view, active_[0]);
    const auto differ = [&](unsigned r, unsigned s) {
      throw application_runtime_error(base::str("AssumeEqualAcrossReplicas \"", stepOf(in).name,
                                                "\": replicas ", r, " and ", s, " differ."));
    };
    for (auto r : active_)
      if (packed(view, r) != first)
        differ(global(active_[0]), global(r));
    if (apart()) {
      meet(in);
      const auto hash = std::to_string(base::hashBytes(first.data(), first.size()));
      const auto all = openipu::gatherBytes(*peers_.transport, hash);
      for (unsigned p = 0; p < all.size(); ++p)
        if (all[p] != hash)
          differ(global(active_[0]), peers_.firsts[p]);
    }
  }
  account(in);
}

void Machine::cycleStamp(const Instruction &in) {
  account(in);
  const auto &views = in.details->views;
  for (auto r : active_) {
    std::uint64_t earlier = 0;
    if (views.size() > 1)
      std::memcpy(&earlier, packed(views[1], r).data(), sizeof earlier);
    const auto stamp = cycles_ - earlier;
    std::byte words[8];
    std::memcpy(words, &stamp, 8); // little endian: low word first
    views[0].write(words, arena(r));
    markWritten(views[0], r);
  }
}

void Machine::floatingPoint(const Instruction &in) {
  const auto before = floatingPoint_.word;
  const auto &step = kindOf<step::SetFloatingPoint>(in);
  if (step.state) {
    std::memcpy(&floatingPoint_.word, packed(in.details->views[0], active_[0]).data(),
                sizeof floatingPoint_.word);
  } else {
    floatingPoint_.apply(step.change);
    for (auto r : active_)
      if (in.details) {
        in.details->views[0].write(reinterpret_cast<const std::byte *>(&before), arena(r));
        markWritten(in.details->views[0], r);
      }
  }
  mode_.trapped = floatingPoint_.trapped();
  account(in);
}

// The first worker's seeds are the state of the operators' generator, so that what was got can be
// set again.
constexpr std::size_t seedWords = 4;
static std::uint64_t joined(const std::vector<std::uint32_t> &words, std::size_t at) {
  return words[at] | std::uint64_t(words[at + 1]) << 32;
}
static void split(std::vector<std::uint32_t> &words, std::size_t at, std::uint64_t value) {
  words[at] = std::uint32_t(value);
  words[at + 1] = std::uint32_t(value >> 32);
}

// Until a program sets them, seeds follow from the option prng.seed, the replica and the position.
void Machine::seeds(const Instruction &in) {
  const auto &view = in.details->views[0];
  for (auto r : active_) {
    auto &words = replicas_[r].seeds;
    for (auto i = words.size(); i < view.elements(); ++i)
      words.push_back(
          std::uint32_t(base::mix(options_.seed * 0x10001 + global(r) * 0x100000001ull + i)));
    auto &random = replicas_[r].random;
    if (in.op == Op::SetSeeds) {
      view.read(arena(r), reinterpret_cast<std::byte *>(words.data()));
      replicas_[r].seedVertices(base::hashBytes(words.data(), words.size() * sizeof words[0]));
      if (words.size() >= seedWords)
        random = {joined(words, 0), joined(words, 2)};
      firstKeyChanged_ = true;
    } else {
      if (words.size() >= seedWords) {
        split(words, 0, random.key);
        split(words, 2, random.counter);
      }
      view.write(reinterpret_cast<const std::byte *>(words.data()), arena(r));
      markWritten(view, r);
    }
  }
  account(in);
}

void Machine::writeUndef(const Instruction &in) {
  for (auto r : active_) {
    if (options_.poison)
      in.details->views[0].fill(arena(r), std::byte(Fill::Poison));
    if (auto *shadow = replicas_[r].arena.shadow())
      in.details->views[0].fill(shadow, std::byte(0));
  }
  account(in);
}

} // namespace poplar::backend::cpu
