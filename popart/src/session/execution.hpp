// SPDX-License-Identifier: MIT
// A compiled model on a device: the engine, its streams connected to whatever the session runs
// with.
#pragma once
#include "lowering/programs.hpp"
#include "session/hostbytes.hpp"
#include "session/turns.hpp"
#include <atomic>
#include <functional>
#include <popart/devicemanager.hpp>
#include <popart/istepio.hpp>
#include <poplar/Engine.hpp>

namespace popart::session {

// Values of weights on the host, in the device's element types; of grouped ones group by group.
using Weights = std::map<TensorId, HostBytes>;

// The step that runs, for the callbacks of streams. What they throw ends the program at once and
// comes out of the step.
struct RunningStep {
  bool call(const std::function<void(IStepIO &)> &work) const; // false, nothing done: no step runs

  IStepIO *io = nullptr;
  const Turns *turns = nullptr;
};

// The replicas that this process has.
struct Share {
  std::int64_t first, number;
};

class Execution {
public:
  Execution(const poplar::Executable &executable, lowering::Interface io, Share share,
            const poplar::OptionFlags &engineOptions);

  // Loads on the device and connects everything; large constants go down once.
  void load(DeviceInfo &device, const std::map<TensorId, ir::HostTensor> &constants);
  bool isLoaded() const { return loaded_; }

  void run(unsigned program, const std::string &name);
  // False: it was interrupted. The step io's functions are callbacks of these turns.
  bool step(IStepIO &io, const std::string &name, const Turns &turns,
            unsigned program = lowering::Main);
  void interrupt() noexcept; // the step that runs
  // After a step that ended early: whether the next can begin with what the device has, because the
  // weights are those of a whole number of updates. If not, weights must come from the host; and
  // the engine must be loaded first, if it is not usable.
  bool goesOn();
  bool isUsable() const { return usable_; }

  // The device reads straight from the values handed over, and writes straight into them.
  void weightsFromHost(const Weights &from);
  void weightsToHost(Weights &to);
  void buffersFromHost(const Weights &from, const std::vector<TensorId> &ids);
  void writeHyperParameters(const std::map<TensorId, ir::HostTensor> &values);
  void setSeed(std::uint64_t seed);
  std::uint64_t seed();
  // What the tiles round by, replica after replica; nothing if the session does not ask for it.
  std::vector<std::uint32_t> rngState();
  void setRngState(const std::vector<std::uint32_t> &state);
  std::uint64_t cycles(const std::string &id);

  // Of weights that ask for it: those of every replica of this process, one after the other.
  std::map<TensorId, std::vector<char>> returned;
  poplar::Engine &engine() { return engine_; }
  const lowering::Interface &io() const { return io_; }

private:
  void connectInput(const lowering::InputSpec &spec);
  void connectAnchor(const lowering::AnchorSpec &spec);
  void connectWeights();
  Weights makeWeights(const Weights &from) const; // that norms have gone into
  void connectUpload(const lowering::WeightSpec &spec, const HostBytes &from);
  void connectDownload(const lowering::WeightSpec &spec);
  // What takes the values of one replica.
  std::function<void(const void *)> receiver(const lowering::WeightSpec &spec, unsigned replica);
  void uploadRemote(const lowering::WeightSpec &spec, const HostBytes &from);
  void downloadRemote(const lowering::WeightSpec &spec);
  unsigned globalIndex(unsigned replica) const { return unsigned(share_.first) + replica; }
  void gatherParts(Weights &to); // that only replicas of other processes have

  lowering::Interface io_;
  Share share_;
  poplar::Engine engine_;
  RunningStep step_;
  std::map<TensorId, std::vector<char>> hyperParameters_;
  std::map<TensorId, char *> downloads_; // where weights go while they come from the device
  std::uint32_t seed_[2] = {0, 0};
  // From all replicas, one after the other: seeds, and {low, high} of every cycle counter.
  std::vector<std::uint32_t> seeds_, cycles_, rngState_;
  bool loaded_ = false, usable_ = false;
  std::atomic<bool> interrupted_ = false;
};

} // namespace popart::session
