// SPDX-License-Identifier: MIT
// The simulated device as the host runs it: one arena per replica and an interpreter of bound
// programs. Replicas run in step: each instruction is carried out for all active replicas before
// the next, and where a branch divides them each side runs with its own. That keeps callbacks on
// the calling thread and makes cross-replica copies meet. Some of the replicas of a program may run
// in other processes: then all that is numbered here by replica are those of this one.
#pragma once
#include "arch/System.hpp"
#include "backend/cpu/HostTimes.hpp"
#include "backend/cpu/Program.hpp"
#include "backend/cpu/Replica.hpp"
#include "backend/FloatingPoint.hpp"
#include "backend/Host.hpp"
#include "base/Log.hpp"
#include "base/OutputFile.hpp"
#include "openipu/Transport.hpp"
#include "profile/Recorder.hpp"
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <optional>

namespace poplar::backend::cpu {

struct MachineOptions {
  bool checked = false;            // debug.checkedCodelets
  bool poison = false;             // debug.poisonMemory
  bool threads = true;             // debug.cpuMultiThreadExecution
  std::uint32_t floatingPoint = 0; // FloatingPointState at load
  std::uint64_t seed = 0;          // prng.seed
  bool trace = false;              // debug.trace
  std::string traceFile;
  std::string hostTimesFile; // debug.hostTimesFile
  unsigned firstReplica = 0; // of those that run in this process
  unsigned numReplicas = 0; // 0: all
};

class Machine {
public:
  Machine(std::shared_ptr<const executable::Image> image, const arch::System &system,
          const MachineOptions &options, Host &host, profile::Recorder &recorder);
  ~Machine();

  void load();                     // memory, vertex state and floating point state as at the start
  void run(std::uint32_t program); // throws runtime_error and its kin; then load again
  void requestStop() noexcept;     // from any thread, also in a signal handler
  // Who has the other replicas; before load(), if there are any.
  void setPeers(openipu::Peers peers) { peers_ = std::move(peers); }
  std::uint64_t cycles() const { return cycles_; }
  // About as many, for another thread to read during a run.
  std::uint64_t cyclesSoFar() const { return cyclesSoFar_.load(std::memory_order_relaxed); }

  // Host access to tensors, replica by replica.
  void read(const BoundView &view, unsigned replica, std::byte *to) const;
  void write(const BoundView &view, unsigned replica, const std::byte *from);

private:
  struct Stop {};
  const executable::Step &stepOf(const Instruction &in) const { return image_->steps[in.step]; }
  template <class Kind> const Kind &kindOf(const Instruction &in) const {
    return *executable::as<Kind>(stepOf(in));
  }
  bool single() const { return replicas_.size() == 1; }
  unsigned global(unsigned replica) const { return options_.firstReplica + replica; }
  bool apart() const { return peers_.transport != nullptr; } // replicas run elsewhere too
  void meet(const Instruction &in);
  void sendApart(const Instruction &in, std::byte *packed);
  std::uint64_t firstKey();
  std::byte *arena(unsigned replica) { return replicas_[replica].arena.data(); }

  void interpret(const Block &block);
  void account(const Instruction &in) {
    recorder_.leaf(in.step, *in.cost->cost, cycles_, in.cost->cycles);
    cycles_ += in.cost->cycles;
    if (trace_)
      traceStep(in);
    if (hostTimes_) [[unlikely]]
      hostTimes_->end(in.step);
  }
  void pay(const Instruction &in) { // control steps: often free
    if (in.cost->cycles)
      account(in);
  }

  // Control flow
  void repeat(const Instruction &in);
  void repeatWhile(const Instruction &in);
  void branch(const Instruction &in);
  void select(const Instruction &in);
  const Block *caseOf(const Instruction &in, std::int64_t value) const;
  void runSplit(const std::vector<std::pair<const Block *, unsigned>> &choices);

  // Steps
  void execute(const Instruction &in);
  void executeReturning(const Instruction &in);
  bool executeOn(const Instruction &in, unsigned replica, bool returning);
  void executeCounted(const Instruction &in, const std::function<void(unsigned, bool)> &answer);
  bool count(const Instruction &in, unsigned replica, std::vector<std::uint64_t> &cycles);
  void measure(const Instruction &in, std::vector<std::uint64_t> cycles);
  void copy(const Instruction &in);
  void hostToDevice(const Instruction &in);
  void deviceToHost(const Instruction &in);
  void remote(const Instruction &in);
  std::vector<std::uint64_t> remoteSlots(const Instruction &in, unsigned replica);
  void hostCall(const Instruction &in);
  void crossReplica(const Instruction &in);
  void assumeEqual(const Instruction &in);
  void kernel(const Instruction &in);
  void runKernel(const Instruction &in, KernelCall &call);
  openipu::Rounding nextRounding();
  KernelCall &gathered(const Instruction &in, unsigned replica); // operands ready to be read
  void scattered(const Instruction &in, unsigned replica);       // outputs back in the arena
  void print(const Instruction &in);
  void show(const Instruction &in, const tensor::View &tensor, const std::string &title,
            const executable::PrintFormat &format);
  void cycleStamp(const Instruction &in);
  void floatingPoint(const Instruction &in);
  void seeds(const Instruction &in);
  void writeUndef(const Instruction &in);
  [[noreturn]] void fail(const Instruction &in);
  void abort(const Instruction &in);

  void markWritten(const MoveList &moves, std::uint64_t bufferBytes, unsigned replica);
  void markWritten(const BoundView &view, unsigned replica);
  std::byte *buffer(std::uint64_t bytes);
  std::vector<std::byte> packed(const BoundView &view, unsigned replica) const;
  void traceStep(const Instruction &in);
  void loadModules();
  void bindKernels(Replica &replica);
  [[noreturn]] void translateFailure();

  std::shared_ptr<const executable::Image> image_;
  arch::System system_; // of one replica
  MachineOptions options_;
  Host &host_;
  profile::Recorder &recorder_;
  codelet::FaultHandlers faults_;
  Modules modules_;
  LoadedModules loaded_, loadedPlain_; // plain: for counting in checked mode
  std::unique_ptr<Program> program_;
  std::unique_ptr<Program> plainProgram_;            // checked mode only
  std::map<std::size_t, executable::Cost> measured_; // by step: costs that counting completed
  std::vector<std::vector<std::uint64_t>> counted_;  // by compute set: cycles of its vertices
  std::vector<std::uint8_t> recounts_; // by compute set: its cycles change with the data
  std::vector<std::vector<std::uint32_t>> executions_; // by compute set: steps that execute it
  std::deque<Replica> replicas_;
  openipu::Peers peers_;
  std::uint64_t meetings_ = 0;   // collectives so far
  std::uint64_t firstKey_ = 0;   // of the generator of the first replica of all
  bool firstKeyChanged_ = false; // since it was asked for
  std::vector<unsigned> active_;
  FloatingPointState floatingPoint_;
  RunMode mode_;
  std::atomic<std::uint64_t> cyclesSoFar_{0};
  std::uint64_t cycles_ = 0; // runs on over loads, as the counter of a tile does
  struct Fork {
    std::uint64_t start, latest;
  };
  std::vector<Fork> forks_;              // programs side by side that are under way
  const Instruction *current_ = nullptr; // for messages
  std::atomic<bool> stop_ = false;
  std::vector<std::byte> buffer_, ones_;
  bool trace_ = false;
  base::Descriptor traceFile_;
  std::optional<base::DescriptorStream> traceStream_;
  std::optional<HostTimes> hostTimes_;
};

} // namespace poplar::backend::cpu
