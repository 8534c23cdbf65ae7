// SPDX-License-Identifier: MIT
// A compiled model on a device: the engine, its streams connected to whatever the session runs
// with, and the host's copy of the weights.
#pragma once
#include "lowering/programs.hpp"
#include <atomic>
#include <popart/devicemanager.hpp>
#include <popart/istepio.hpp>
#include <poplar/Engine.hpp>

namespace popart::session {

// Values of weights on the host, in the device's element types; of grouped ones group by group.
using Weights = std::map<TensorId, std::vector<char>>;

class Execution {
public:
  Execution(const poplar::Executable &executable, lowering::Interface io,
            const poplar::OptionFlags &engineOptions);

  // Loads on the device and connects everything; large constants go down once.
  void load(DeviceInfo &device, const std::map<TensorId, ir::HostTensor> &constants);
  bool isLoaded() const { return loaded_; }

  void run(unsigned program, const std::string &name);
  void step(IStepIO &io, const std::string &name);
  void interrupt() noexcept; // the step that runs

  void weightsFromHost() { run(lowering::WeightsFromHost, "WeightsFromHost"); }
  void weightsToHost() { run(lowering::WeightsToHost, "WeightsToHost"); }
  void buffersFromHost() { run(lowering::NamedBuffersFromHost, "copyNamedBuffers"); }
  void writeHyperParameters(const std::map<TensorId, ir::HostTensor> &values);
  void setSeed(std::uint64_t seed);
  std::uint64_t seed();
  std::uint64_t cycles(const std::string &id);

  Weights weights;
  Weights returned; // those of every replica, of weights that ask for it
  poplar::Engine &engine() { return engine_; }
  const lowering::Interface &io() const { return io_; }

private:
  void connectInput(const lowering::InputSpec &spec);
  void connectAnchor(const lowering::AnchorSpec &spec);
  void connectWeights();
  void connectUpload(const lowering::WeightSpec &spec);
  void connectDownload(const lowering::WeightSpec &spec);

  lowering::Interface io_;
  poplar::Engine engine_;
  IStepIO *step_ = nullptr; // of the step that runs
  Weights hyperParameters_, constants_;
  std::uint32_t seed_[2] = {0, 0};
  std::uint32_t cycles_[2] = {0, 0};
  bool loaded_ = false;
  std::atomic<bool> interrupted_ = false;
};

} // namespace popart::session
