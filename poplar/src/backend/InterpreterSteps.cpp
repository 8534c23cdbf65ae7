// SPDX-License-Identifier: MIT
// The steps that move or compute something. Each does its work for every active replica, then
// accounts for its cycles.
#include "backend/Interpreter.hpp"
#include "backend/PrintTensor.hpp"
#include "base/Mix.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>
#include <cstring>

namespace poplar::backend {

// ---- helpers ----

std::byte *Interpreter::buffer(std::uint64_t bytes) {
  if (buffer_.size() < bytes)
    buffer_.resize(bytes);
  return buffer_.data();
}

std::vector<std::byte> Interpreter::packed(const HostView &view, unsigned replica) const {
  std::vector<std::byte> bytes(view.bytes());
  backend_->read(view.place, replica, bytes.data());
  return bytes;
}

// Vertices without an estimate are counted, the first time or whenever they run.
void Interpreter::execute(const Instruction &in) {
  if (in.cost->pending) [[unlikely]] {
    auto cycles = in.runner->count(in.step, turn_);
    if (apart() && account_.recounts(in.index))
      cycles = ofAll(in, std::move(cycles));
    if (!cycles.empty())
      account_.measured(in.index, cycles);
  } else {
    in.runner->run(in.step, turn_);
  }
  account(in);
}

// ---- copies ----

void Interpreter::hostToDevice(const Instruction &in) {
  const bool broadcast = image_->streams[in.index].broadcast;
  if (broadcast) {
    const auto *data = host_.beginRead(in.index, 0);
    for (auto r : active_)
      backend_->write(in.place, r, data);
    host_.endRead(in.index, 0);
  } else {
    for (auto r : active_) {
      backend_->write(in.place, r, host_.beginRead(in.index, r));
      host_.endRead(in.index, r);
    }
  }
  account(in);
}

void Interpreter::deviceToHost(const Instruction &in) {
  for (auto r : active_) {
    backend_->read(in.place, r, host_.beginWrite(in.index, r));
    host_.endWrite(in.index, r);
  }
  account(in);
}

std::vector<std::uint64_t> Interpreter::remoteSlots(const Instruction &in, unsigned replica) {
  const auto &remote = image_->remoteBuffers[in.index];
  if (in.details->views.empty())
    return {0};
  const auto &view = in.details->views[0];
  auto bytes = packed(view, replica);
  std::vector<std::uint64_t> slots(view.elements);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    std::uint32_t word;
    std::memcpy(&word, bytes.data() + 4 * i, 4);
    const auto slot =
        view.type == TypeId::Int ? std::int64_t(std::int32_t(word)) : std::int64_t(word);
    if (slot < 0 || std::uint64_t(slot) >= remote.repeats)
      throw application_runtime_error(base::str("Copy \"", stepOf(in).name, "\": offset ", slot,
                                                " is outside remote buffer \"", remote.handle,
                                                "\", which has ", remote.repeats, " repeats (0 to ",
                                                remote.repeats - 1, ")."));
    slots[i] = std::uint64_t(slot);
  }
  return slots;
}

void Interpreter::remote(const Instruction &in) {
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
      backend_->write(in.place, r, data);
    } else {
      backend_->read(in.place, r, data);
      eachSlot([&](auto *mine, auto *theirs) { std::memcpy(theirs, mine, slotBytes); });
    }
  }
  account(in);
}

void Interpreter::crossReplica(const Instruction &in) {
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
      backend_->read(in.place, here(pair.from), packed + pair.from * bytes);
  if (apart())
    sendApart(in, packed);
  for (const auto &pair : pairs)
    if (isHere(pair.to))
      backend_->write(in.details->scatter, here(pair.to), packed + pair.from * bytes);
  account(in);
}

// ---- host functions and kernels ----

void Interpreter::hostCall(const Instruction &in) {
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
    for (auto i = in.count; i < views.size(); ++i)
      backend_->write(views[i].place, r, buffers[i].data());
  }
  account(in);
}

openipu::Rounding Interpreter::rounding() const {
  openipu::Rounding rounding;
  // An overflow that is trapped ends the run: it is found by its infinity.
  const bool limited = options_.halvesSaturate && !(turn_.trapped & FE_OVERFLOW);
  rounding.nanOnOverflow = floatingPoint_.word & FloatingPointState::NanOnOverflow;
  rounding.stochastic = floatingPoint_.word & FloatingPointState::StochasticRounding;
  if (limited)
    rounding.overflow =
        rounding.nanOnOverflow ? base::HalfOverflow::Nan : base::HalfOverflow::Largest;
  return rounding;
}

// Keys of rounding follow from the first replica's generator, so that equal values stay equal on
// all of them; all generators move on alike.
void Interpreter::beginKernels() {
  if (turn_.rounding.stochastic)
    turn_.roundingSeed = apart() ? firstKey() : random_[active_[0]].key;
}
void Interpreter::endKernels(std::uint64_t taken) {
  for (auto r : active_)
    random_[r].counter += taken;
}

// Where it seeds the generator, that of vertices follows.
void Interpreter::kernel(const Instruction &in) {
  const auto &use = kernels_.of(in.step);
  beginKernels();
  if (in.details->across)
    across(in);
  else
    in.runner->run(in.step, turn_);
  if (use.seeds)
    for (auto r : active_)
      seedVertices(r, random_[r].key);
  else
    endKernels(use.draws + turn_.rounding.stochastic);
  firstKeyChanged_ = firstKeyChanged_ || use.seeds;
  account(in);
}

// ---- the rest ----

void Interpreter::show(const Instruction &in, const std::string &title,
                       const executable::PrintFormat &format) {
  const auto &views = in.details->views;
  for (auto r : active_) {
    const auto data = packed(views[0], r);
    const auto metadata = views.size() > 1 ? (unsigned char)packed(views[1], r)[0] : 0;
    host_.tensorText(printedTensor(title, views[0].type, views[0].shape, data.data(), format,
                                   (unsigned char)metadata));
  }
}

void Interpreter::print(const Instruction &in) {
  const auto &step = kindOf<step::Print>(in);
  show(in, step.title, step.format);
  account(in);
}

static std::string placeOf(const executable::Step &step) {
  return step.name.empty() ? "" : base::str(" (at \"", step.name, "\")");
}

void Interpreter::fail(const Instruction &in) {
  const auto &step = kindOf<step::Error>(in);
  show(in, step.message, {});
  throw application_runtime_error(step.message + placeOf(stepOf(in)));
}

void Interpreter::abort(const Instruction &in) {
  account(in);
  if (in.details && std::none_of(active_.begin(), active_.end(),
                                 [&](auto r) { return in.scalar.isTrue(*backend_, r); }))
    return;
  const auto &message = kindOf<step::Abort>(in).message;
  const auto *what =
      in.details ? "AbortOnCondition: the condition is true" : "Abort program executed";
  throw application_runtime_error((message.empty() ? what : message) + placeOf(stepOf(in)));
}

void Interpreter::assumeEqual(const Instruction &in) {
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

void Interpreter::cycleStamp(const Instruction &in) {
  account(in);
  const auto &views = in.details->views;
  for (auto r : active_) {
    std::uint64_t earlier = 0;
    if (views.size() > 1)
      std::memcpy(&earlier, packed(views[1], r).data(), sizeof earlier);
    const auto stamp = cycles() - earlier;
    std::byte words[8];
    std::memcpy(words, &stamp, 8); // little endian: low word first
    backend_->write(views[0].place, r, words);
  }
}

void Interpreter::floatingPoint(const Instruction &in) {
  const auto before = floatingPoint_.word;
  const auto &step = kindOf<step::SetFloatingPoint>(in);
  if (step.state) {
    std::memcpy(&floatingPoint_.word, packed(in.details->views[0], active_[0]).data(),
                sizeof floatingPoint_.word);
  } else {
    floatingPoint_.apply(step.change);
    for (auto r : active_)
      if (in.details)
        backend_->write(in.details->views[0].place, r,
                        reinterpret_cast<const std::byte *>(&before));
  }
  turn_.trapped = floatingPoint_.trapped();
  turn_.rounding = rounding();
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
void Interpreter::seeds(const Instruction &in) {
  const auto &view = in.details->views[0];
  for (auto r : active_) {
    auto &words = replicas_[r].seeds;
    for (auto i = words.size(); i < view.elements; ++i)
      words.push_back(
          std::uint32_t(base::mix(options_.seed * 0x10001 + global(r) * 0x100000001ull + i)));
    auto &random = random_[r];
    if (in.op == Op::SetSeeds) {
      backend_->read(view.place, r, reinterpret_cast<std::byte *>(words.data()));
      seedVertices(r, base::hashBytes(words.data(), words.size() * sizeof words[0]));
      if (words.size() >= seedWords)
        random = {joined(words, 0), joined(words, 2)};
      firstKeyChanged_ = true;
    } else {
      if (words.size() >= seedWords) {
        split(words, 0, random.key);
        split(words, 2, random.counter);
      }
      backend_->write(view.place, r, reinterpret_cast<const std::byte *>(words.data()));
    }
  }
  account(in);
}

} // namespace poplar::backend
