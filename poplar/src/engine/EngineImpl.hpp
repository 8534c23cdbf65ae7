// SPDX-License-Identifier: MIT
// What an Engine holds. It is the host of the programs it runs: streams, remote buffers, host
// functions and text.
#pragma once
#include "backend/Host.hpp"
#include "backend/Interpreter.hpp"
#include "backend/MappedMemory.hpp"
#include "base/Fork.hpp"
#include "engine/Streams.hpp"
#include "machine/Lease.hpp"
#include "openipu/Resume.hpp"
#include "options/EngineOptions.hpp"
#include "poplar/Engine.hpp"
#include "profile/Recorder.hpp"
#include <atomic>
#include <map>
#include <mutex>
#include <optional>

namespace poplar {

struct Engine::Impl final : backend::Host {
  enum class State { Created, Prepared, Loaded, Failed };

  Impl(std::shared_ptr<const executable::Image> image, const OptionFlags &flags, std::string name);
  ~Impl() override;

  // An engine loads or runs once at a time: a second call, from another thread or from a callback
  // of the first, is refused.
  class Turn {
  public:
    Turn(Impl &impl, const char *call);
    ~Turn() { impl_.busy = nullptr; }
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;

  private:
    Impl &impl_;
  };

  class UsageOfRun;

  void requireIdle(const char *call) const; // refused like a second run, but takes no turn

  // ---- life
  void prepare(const Device &device);
  void bind();
  void deploy();
  void run(unsigned program, const std::string &debugName, const options::OptionValues &runtime);
  void execute(unsigned program, const std::string &debugName, std::uint64_t startCycle);
  bool resume(); // openipu/Resume.hpp
  void clear(const openipu::Handles &handles);
  openipu::Changed changedByLastRun(const openipu::Handles &handles, std::uint64_t turns);
  engine::StreamOptions optionsOfRun(const options::OptionValues &runtime);
  void raiseSimulatedError();
  void requireAttached(const char *call) const;
  unsigned replicas() const { return shareOfReplicas.number; } // of this process
  bool apart() const { return replicas() != std::max(1u, image->replicationFactor); }
  void findPeers();

  // ---- host side of a running program (backend::Host)
  const std::byte *beginRead(std::uint32_t stream, unsigned replica) override {
    return streams.beginRead(stream, replica);
  }
  void endRead(std::uint32_t stream, unsigned replica) override {
    streams.endRead(stream, replica);
  }
  std::byte *beginWrite(std::uint32_t stream, unsigned replica) override {
    return streams.beginWrite(stream, replica);
  }
  void endWrite(std::uint32_t stream, unsigned replica) override {
    streams.endWrite(stream, replica);
  }
  std::byte *remoteBuffer(std::uint32_t buffer, unsigned replica) override;
  void callFunction(std::uint32_t function, unsigned replica, std::span<const void *const> inputs,
                    std::span<void *const> outputs) override;
  void tensorText(std::string_view text) override;
  void vertexText(std::string_view text) override;

  // ---- tensors and remote buffers, between runs
  void requireLoaded(const char *what, const std::string &handle) const;
  void read(const std::string &handle, std::byte *to, std::optional<std::uint64_t> bytes);
  void write(const std::string &handle, const std::byte *from, std::optional<std::uint64_t> bytes);
  using Views = std::map<const executable::HostAccess *, backend::HostView>;
  const backend::HostView &bound(Views &all, const executable::HostAccess &access,
                                 const tensor::View &view);
  const backend::HostView &viewOf(const executable::HostAccess &access);
  const backend::HostView *metadataOf(const executable::HostAccess &access); // null: none
  std::byte *remoteSlot(const std::string &handle, std::uint64_t repeat, unsigned replica);
  std::uint32_t findRemote(const std::string &handle) const;

  // ---- reports
  std::string reportDirectory() const;
  bool wantsReport() const;
  void writeReport();
  void reportWhileRunning(); // after a run, now and then
  void dumpVariables() const;

  std::shared_ptr<const executable::Image> image;
  options::Options options;
  struct UsualOptions { // of runs that have none of their own
    std::string environment;
    engine::StreamOptions options;
  };
  std::optional<UsualOptions> usualOptions;
  std::optional<bool> reportsEachRun; // what the options say, once it was asked
  struct Share {
    unsigned first, number;
  } shareOfReplicas;
  std::string name;
  Target target;
  profile::Recorder recorder;
  engine::Streams streams;
  State state = State::Created;
  bool deviceLost = false;                            // by the error that ended the last run
  std::atomic<const char *> busy = nullptr;           // the call that has its turn
  const unsigned generation = base::forkGeneration(); // of the process that made it
  std::uint64_t runs = 0;                             // that ended well
  bool reportWritten = false;                         // nothing happened since the last report
  TimerTimePoint nextReport = {};                     // not before
  std::unique_ptr<backend::Interpreter> interpreter;
  std::shared_ptr<machine::Lease> lease; // of the device that is loaded; null if it needs none

  // By buffer and replica; made at first use.
  std::vector<std::vector<backend::MappedMemory>> remoteMemory;
  std::vector<std::vector<std::unique_ptr<HostCallback>>> hostFunctions; // by function and replica
  Views views, metadataViews;                                            // bound at first use
  std::map<std::uint32_t, backend::HostView> cleared;                    // variables, likewise
  std::map<ErrorLocation, ErrorCode> simulatedErrors;

  std::mutex textMutex;
  std::ostream *vertexStream, *tensorStream;
};

} // namespace poplar
