// SPDX-License-Identifier: MIT
#include "session/execution.hpp"

#include "base/Text.hpp"
#include "ir/narrowed.hpp"
#include "openipu/DirectSource.hpp"
#include "openipu/Heartbeat.hpp"
#include "openipu/Resume.hpp"
#include "openipu/Transport.hpp"
#include "session/convert.hpp"
#include "transforms/rewriting/foldbatchnorms.hpp"
#include <algorithm>
#include <cstring>
#include <popart/error.hpp>
#include <popart/stepio.hpp>
#include <set>

namespace popart::session {

using lowering::AnchorSpec;
using lowering::InputSpec;

namespace {

// A callback may bring anything.
void checkCount(const TensorId &id, const TensorInfo &tensor, const TensorInfo &given,
                const char *what) {
  if (given.nelms() != tensor.nelms())
    throw runtime_error(base::str("The ", what, " given for \"", id, "\" has ", given.nelms(),
                                  " elements, but one micro-batch of one replica has ",
                                  tensor.nelms(), ": ", tensor, "."));
}

// Asks the running step for the next micro-batch of an input.
class FromStep : public openipu::DirectSource {
public:
  FromStep(RunningStep &step, const InputSpec &spec) : step_(step), spec_(spec) {}
  Result prefetch(void *p) override {
    bool filled = false;
    step_.call([&](IStepIO &io) { filled = fill(io, p, true); });
    return filled ? Result::Success : Result::NotAvailable;
  }
  void fetch(void *p) override {
    const bool worked = step_.call([&](IStepIO &io) {
      if (!fill(io, p, false))
        throw runtime_error("There is no data for the input \"{}\".", spec_.id);
    });
    if (!worked) // nobody will look at them
      std::memset(p, 0, deviceBytes(spec_.info));
  }
  // Arrays of the right type are read where they are.
  const void *data() override {
    const void *found = nullptr;
    step_.call([&](IStepIO &io) {
      if (!dynamic_cast<StepIO *>(&io))
        return;
      const auto given = io.in(spec_.id, spec_.info.nelms(), false, spec_.broadcast);
      if (given.info.dataType() == ir::narrowed(spec_.info.dataType()))
        found = given.data;
    });
    return found;
  }
  void complete() override {
    step_.call([&](IStepIO &io) { io.inComplete(spec_.id, spec_.info.nelms(), spec_.broadcast); });
  }

private:
  bool fill(IStepIO &io, void *p, bool prefetch) {
    const auto elements = spec_.info.nelms();
    const auto given = io.in(spec_.id, elements, prefetch, spec_.broadcast);
    if (!given.data)
      return false;
    checkCount(spec_.id, spec_.info, given.info, "data");
    toDevice(spec_.id, spec_.info.dataType(), given.info.dataType(), given.data, p, elements);
    return true;
  }
  RunningStep &step_;
  const InputSpec spec_;
};

// Hands the value of an anchor to the running step.
class ToStep : public poplar::StreamCallback {
public:
  ToStep(RunningStep &step, const AnchorSpec &spec) : step_(step), spec_(spec) {}
  Result prefetch(void *) override { return Result::NotAvailable; }
  void fetch(void *p) override {
    step_.call([&](IStepIO &io) {
      const auto elements = spec_.info.nelms();
      const auto into = io.out(spec_.id, elements);
      if (!into.data)
        throw runtime_error("There is no array for the anchor \"{}\".", spec_.id);
      checkCount(spec_.id, spec_.info, into.info, "array");
      toHost(spec_.id, spec_.info.dataType(), into.info.dataType(), p, into.data, elements);
    });
  }
  void complete() override {
    step_.call([&](IStepIO &io) { io.outComplete(spec_.id); });
  }

private:
  RunningStep &step_;
  const AnchorSpec spec_;
};

} // namespace

Execution::Execution(const poplar::Executable &executable, lowering::Interface io, Share share,
                     const poplar::OptionFlags &engineOptions)
    : io_(std::move(io)), share_(share), engine_(executable, engineOptions) {}

bool RunningStep::call(const std::function<void(IStepIO &)> &work) const {
  if (!io)
    return false;
  const Turns::Callback inside(*turns);
  work(*io);
  return true;
}

void Execution::load(DeviceInfo &device, const std::map<TensorId, ir::HostTensor> &constants) {
  engine_.load(device.getDevice());
  for (const auto &spec : io_.inputs)
    if (!spec.toDevice.empty())
      connectInput(spec);
  for (const auto &spec : io_.anchors)
    if (!spec.toHost.empty())
      connectAnchor(spec);
  connectWeights();
  Weights held;
  for (const auto &spec : io_.held) {
    held[spec.id] = deviceForm(constants.at(spec.id));
    engine_.connectStream(spec.toDevice, const_cast<char *>(held[spec.id].data())); // only read
  }
  if (io_.random) {
    engine_.connectStream("h2d_randomSeed", seed_);
    seeds_.assign(2 * std::size_t(share_.number), 0);
    engine_.connectStream("d2h_randomSeed", seeds_.data());
  }
  rngState_.assign(std::size_t(io_.rngWords * share_.number), 0);
  if (io_.rngWords) {
    engine_.connectStream("d2h_rngState", rngState_.data());
    engine_.connectStream("h2d_rngState", rngState_.data());
  }
  cycles_.assign(2 * io_.cycleCounters.size() * std::size_t(share_.number), 0);
  if (!io_.cycleCounters.empty())
    engine_.connectStream("d2h_cycleCount", cycles_.data());
  loaded_ = usable_ = true;
  if (io_.startsUp)
    run(lowering::HeldConstantsFromHost, "constants");
}

void Execution::connectInput(const InputSpec &spec) {
  const auto copies = spec.broadcast ? 1 : share_.number;
  for (unsigned r = 0; r < copies; ++r)
    engine_.connectStreamToCallback(spec.toDevice, r, std::make_unique<FromStep>(step_, spec));
}
void Execution::connectAnchor(const AnchorSpec &spec) {
  for (unsigned r = 0; r < share_.number; ++r)
    engine_.connectStreamToCallback(spec.toHost, r, std::make_unique<ToStep>(step_, spec));
}
namespace {

// The part of the host's values that a replica holds, in bytes; what lies behind them is padding.
struct Part {
  std::size_t first, size, padding;
};
Part partOf(const lowering::WeightSpec &spec, unsigned replica) {
  const auto whole = deviceBytes(spec.info);
  if (spec.shardOf.empty())
    return {spec.groupOf.empty() ? 0 : whole * std::size_t(spec.groupOf[replica]), whole, 0};
  const auto element = whole / std::size_t(std::max<std::int64_t>(spec.info.nelms(), 1));
  const auto shard = element * std::size_t(spec.shardElements);
  const auto first = std::min(whole, shard * std::size_t(spec.shardOf[replica]));
  const auto size = std::min(shard, whole - first);
  return {first, size, shard - size};
}
void fillPart(const Part &part, const char *from, void *to) {
  std::memcpy(to, from + part.first, part.size);
  std::memset(static_cast<char *>(to) + part.size, 0, part.padding);
}

} // namespace

// Every replica asks for itself when they differ.
void Execution::connectUpload(const lowering::WeightSpec &spec, const HostBytes &from) {
  if (spec.toDevice.empty())
    return;
  if (spec.remote)
    return uploadRemote(spec, from);
  char *begin = const_cast<char *>(from.data()); // streams have one type of pointer, this one reads
  if (spec.groupOf.empty() && spec.shardOf.empty())
    return engine_.connectStream(spec.toDevice, begin);
  for (unsigned r = 0; r < share_.number; ++r)
    engine_.connectStreamToCallback(
        spec.toDevice, r,
        [begin, part = partOf(spec, globalIndex(r))](void *p) { fillPart(part, begin, p); });
}
// The host keeps the values of each group's first replica, or every shard; those of all replicas
// beside, if asked to.
std::function<void(const void *)> Execution::receiver(const lowering::WeightSpec &spec,
                                                      unsigned replica) {
  const auto whole = deviceBytes(spec.info);
  const auto part = partOf(spec, globalIndex(replica));
  unsigned first = 0; // replica that has this part
  while (partOf(spec, globalIndex(first)).first != part.first)
    ++first;
  char *&to = downloads_[spec.id];
  std::vector<char *> others;
  auto &all = returned[spec.id];
  for (unsigned r = 0; r < share_.number && spec.returnsAll; ++r) {
    all.resize(whole * std::size_t(share_.number));
    if (spec.shardOf.empty() ? r == replica : first == replica)
      others.push_back(all.data() + whole * r + (spec.shardOf.empty() ? 0 : part.first));
  }
  return [&to, others, part, keep = first == replica](const void *p) {
    if (keep)
      std::memcpy(to + part.first, p, part.size);
    for (char *other : others)
      std::memcpy(other, p, part.size);
  };
}
void Execution::connectDownload(const lowering::WeightSpec &spec) {
  downloads_[spec.id] = nullptr;
  for (unsigned r = 0; r < share_.number && !spec.remote; ++r)
    engine_.connectStreamToCallback(spec.toHost, r, receiver(spec, r));
}

void Execution::uploadRemote(const lowering::WeightSpec &spec, const HostBytes &from) {
  for (unsigned r = 0; r < share_.number; ++r) {
    const auto part = partOf(spec, globalIndex(r));
    std::vector<char> bytes(part.size + part.padding);
    fillPart(part, from.data(), bytes.data());
    engine_.copyToRemoteBuffer(poplar::ArrayRef<char>(bytes), spec.toDevice, 0, r);
  }
}
void Execution::downloadRemote(const lowering::WeightSpec &spec) {
  for (unsigned r = 0; r < share_.number; ++r) {
    const auto part = partOf(spec, globalIndex(r));
    std::vector<char> bytes(part.size + part.padding);
    engine_.copyFromRemoteBuffer(spec.toHost, poplar::ArrayRef<char>(bytes), 0, r);
    receiver(spec, r)(bytes.data());
  }
}
void Execution::connectWeights() {
  for (const auto &spec : io_.weights)
    if (!spec.toHost.empty() && (io_.replicas > 1 || spec.returnsAll || spec.remote))
      connectDownload(spec);
  for (const auto &spec : io_.hyperParameters) {
    auto &bytes = hyperParameters_[spec.id];
    bytes.resize(deviceBytes(spec.info));
    engine_.connectStream(spec.toDevice, bytes.data());
  }
}

void Execution::weightsFromHost(const Weights &from) {
  for (const auto &spec : io_.weights)
    connectUpload(spec, from.at(spec.id));
  const auto made = makeWeights(from); // until they are there
  for (const auto &spec : io_.made)
    connectUpload(spec, made.at(spec.id));
  run(lowering::WeightsFromHost, "WeightsFromHost");
}
Weights Execution::makeWeights(const Weights &from) const {
  std::map<TensorId, TensorInfo> forms;
  for (const auto *specs : {&io_.weights, &io_.made})
    for (const auto &spec : *specs)
      forms[spec.id] = {ir::narrowed(spec.info.dataType()), spec.info.shape()};
  const auto values = [&](const TensorId &id) { return from.at(id).as(forms.at(id)); };
  Weights made;
  for (const auto &norm : io_.norms) {
    const auto folded = transforms::foldOnHost(norm, forms.at(norm.bias).dataType(), values);
    made[norm.weights] = HostBytes(folded.weights);
    made[norm.bias] = HostBytes(folded.bias);
  }
  return made;
}
void Execution::weightsToHost(Weights &to) {
  for (const auto &spec : io_.weights) {
    if (spec.toHost.empty())
      continue;
    char *bytes = to[spec.id].overwrite(deviceBytes(spec.info) * std::size_t(spec.groups));
    if (downloads_.count(spec.id))
      downloads_[spec.id] = bytes;
    else
      engine_.connectStream(spec.toHost, bytes);
  }
  run(lowering::WeightsToHost, "WeightsToHost");
  for (const auto &spec : io_.weights)
    if (spec.remote && !spec.toHost.empty())
      downloadRemote(spec);
  if (share_.number != io_.replicas)
    gatherParts(to);
}
// Groups and shards of which no replica is here. A part comes from the process with the first
// replica that has it; one that has none of them sends nothing.
void Execution::gatherParts(Weights &to) {
  std::vector<std::pair<const lowering::WeightSpec *, unsigned>> parts; // and who has it first
  for (const auto &spec : io_.weights) {
    if (spec.toHost.empty() || (spec.groupOf.empty() && spec.shardOf.empty()))
      continue;
    std::set<std::size_t> seen;
    for (unsigned r = 0; r < io_.replicas; ++r)
      if (const auto part = partOf(spec, r); part.size && seen.insert(part.first).second)
        parts.emplace_back(&spec, r);
  }
  if (parts.empty())
    return; // also with the others, whose model is the same
  const auto here = [&](unsigned r) {
    return r >= share_.first && r < share_.first + share_.number;
  };
  // Processes have their replicas in order of rank, so that parts arrive in order of replicas.
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto &a, const auto &b) { return a.second < b.second; });
  std::string mine;
  for (const auto &[spec, r] : parts)
    if (const auto part = partOf(*spec, r); here(r))
      mine.append(to[spec->id].data() + part.first, part.size);
  std::string all;
  for (const auto &bytes : openipu::gatherBytes(openipu::transport(), mine))
    all += bytes;
  std::size_t at = 0;
  for (const auto &[spec, r] : parts) {
    const auto part = partOf(*spec, r);
    std::memcpy(to[spec->id].writable() + part.first, all.data() + at, part.size);
    at += part.size;
  }
}
void Execution::buffersFromHost(const Weights &from, const std::vector<TensorId> &ids) {
  for (const auto &spec : io_.weights)
    if (std::find(ids.begin(), ids.end(), spec.id) != ids.end())
      connectUpload(spec, from.at(spec.id));
  run(lowering::NamedBuffersFromHost, "copyNamedBuffers");
}

void Execution::run(unsigned program, const std::string &name) {
  if (!loaded_)
    throw runtime_error("The engine is not loaded. Call prepareDevice() first.");
  try {
    engine_.run(program, name);
  } catch (...) {
    usable_ = openipu::resume(engine_);
    throw;
  }
}

// Gradients that were gathered for an update that did not come are dropped. What a model changes
// itself in every micro-batch (running statistics) stays as it is.
bool Execution::goesOn() {
  openipu::Handles updated, gathered;
  for (const auto &spec : io_.weights)
    if (spec.role == ir::Role::Accumulator)
      gathered.push_back(spec.toDevice);
    else if (spec.role != ir::Role::Fixed)
      updated.push_back(spec.toDevice);
  const auto batches = static_cast<std::uint64_t>(io_.batchesPerStep);
  const auto changed = openipu::changedByLastRun(engine_, updated, batches);
  if (!usable_ || changed == openipu::Changed::InPart || !openipu::resume(engine_))
    return false;
  openipu::clear(engine_, gathered);
  return true;
}

void Execution::interrupt() noexcept {
  interrupted_ = true;
  engine_.stop();
}

bool Execution::step(IStepIO &io, const std::string &name, const Turns &turns, unsigned program) {
  interrupted_ = false;
  step_ = {&io, &turns};
  try {
    run(program, name);
    step_ = {};
    openipu::beat();
  } catch (...) {
    step_ = {};
    io.rewind();
    throw;
  }
  if (interrupted_) {
    io.rewind();
    return false;
  }
  if (!io_.cycleCounters.empty() && program == lowering::Main)
    run(lowering::CycleCountToHost, "cycleCount");
  return true;
}

void Execution::writeHyperParameters(const std::map<TensorId, ir::HostTensor> &values) {
  for (const auto &spec : io_.hyperParameters) {
    const auto form = deviceForm(values.at(spec.id));
    std::memcpy(hyperParameters_[spec.id].data(), form.data(), form.size());
  }
  if (!io_.hyperParameters.empty())
    run(lowering::OptimizerFromHost, "OptimizerFromHost");
}

void Execution::setSeed(std::uint64_t seed) {
  seed_[0] = static_cast<std::uint32_t>(seed);
  seed_[1] = static_cast<std::uint32_t>(seed >> 32);
  run(lowering::RandomSeedFromHost, "RandomSeedFromHost");
}
std::uint64_t Execution::seed() {
  run(lowering::RandomSeedToHost, "RandomSeedToHost");
  return seeds_[0] | (std::uint64_t(seeds_[1]) << 32);
}
std::vector<std::uint32_t> Execution::rngState() {
  if (io_.rngWords)
    run(lowering::RngStateToHost, "RngStateToHost");
  return rngState_;
}
void Execution::setRngState(const std::vector<std::uint32_t> &state) {
  std::copy(state.begin(), state.end(), rngState_.begin());
  if (io_.rngWords)
    run(lowering::RngStateFromHost, "RngStateFromHost");
}
std::uint64_t Execution::cycles(const std::string &id) {
  for (std::size_t i = 0; i < io_.cycleCounters.size(); ++i)
    if (io_.cycleCounters[i] == id)
      return cycles_[2 * i] | (std::uint64_t(cycles_[2 * i + 1]) << 32);
  throw error(base::str("There is no cycle counter \"", id, "\". Set ",
                        "instrumentWithHardwareCycleCounter before the session is made; ids: ",
                        base::list(io_.cycleCounters), "."));
}

} // namespace popart::session
