// SPDX-License-Identifier: MIT
// A compiled model on a device: the engine, its streams connected to whatever the session runs
// with.
#pragma once
#include "lowering/programs.hpp"
#include "session/hostbytes.hpp"
#include "session/turns.hpp"
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <popart/devicemanager.hpp>
#include <popart/istepio.hpp>
#include <poplar/Engine.hpp>

namespace popart::session {

// Values of weights on the host, in the device's element types; of grouped ones group by group.
using Weights = std::map<TensorId, HostBytes>;

// The step that runs. What its callbacks throw does not travel through the engine, which would be
// unusable from then on: the program ends where it is and the step throws it.
struct RunningStep {
  explicit RunningStep(poplar::Engine &e) : engine(e) {}
  // False, and nothing done, if no step runs or one of its callbacks has thrown.
  bool call(const std::function<void(IStepIO &)> &work);
  void begin(IStepIO &with, const Turns &of);
  void end(); // throws what a callback threw

  poplar::Engine &engine;
  IStepIO *io = nullptr;
  const Turns *turns = nullptr;
  std::atomic<bool> failed = false;
  std::exception_ptr failure;
  std::mutex lock;
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
  bool step(IStepIO &io, const std::string &name, const Turns &turns);
  void interrupt() noexcept; // the step that runs

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
  RunningStep step_{engine_};
  std::map<TensorId, std::vector<char>> hyperParameters_;
  std::map<TensorId, char *> downloads_; // where weights go while they come from the device
  std::uint32_t seed_[2] = {0, 0};
  // From all replicas, one after the other: seeds, and {low, high} of every cycle counter.
  std::vector<std::uint32_t> seeds_, cycles_, rngState_;
  bool loaded_ = false;
  std::atomic<bool> interrupted_ = false;
};

} // namespace popart::session
