// SPDX-License-Identifier: MIT
// Runs bound programs on any backend: control flow, the replicas that are active, cycles and
// profile, streams, remote buffers, host functions, printing, and replicas of other processes.
// Replicas run in step: each instruction is carried out for all active replicas before the next,
// and where a branch divides them each side runs with its own. That keeps callbacks on the calling
// thread and makes cross-replica copies meet. Some of the replicas of a program may run in other
// processes: then all that is numbered here by replica are those of this one.
#pragma once
#include "backend/Account.hpp"
#include "backend/Changes.hpp"
#include "backend/FloatingPoint.hpp"
#include "backend/Flow.hpp"
#include "backend/Host.hpp"
#include "backend/Pending.hpp"
#include "openipu/Transport.hpp"
#include <atomic>

namespace poplar::backend {

class Interpreter {
public:
  // On a backend of this kind.
  Interpreter(std::shared_ptr<const executable::Image> image, const arch::System &system,
              const BackendKind &kind, const RunOptions &options, Host &host,
              profile::Recorder &recorder);
  ~Interpreter();

  void load();                     // memory, vertex state and floating point state as at the start
  void run(std::uint32_t program); // throws runtime_error and its kin; then load or resume
  void resume(); // with the memory that the last run left; floating point state as it found it
  bool isIntact() const { return intact_; }     // no vertex was broken off since load()
  const Trail &trail() const { return trail_; } // of the last run, empty if it came to its end
  void requestStop() noexcept;                  // from any thread, also in a signal handler
  // Who has the other replicas; before load(), if there are any.
  void setPeers(openipu::Peers peers);
  std::uint64_t cycles() const { return account_.cycles(); }
  // About as many, for another thread to read during a run.
  std::uint64_t cyclesSoFar() const { return account_.cyclesSoFar(); }

  // Host access to tensors, replica by replica.
  HostView view(const tensor::View &view) { return {view, *image_, *backend_}; }
  void read(const HostView &view, unsigned replica, std::byte *to) const;
  void write(const HostView &view, unsigned replica, const std::byte *from);

private:
  struct Stop {};
  struct Replica {
    std::vector<std::uint32_t> seeds;
  };
  const executable::Step &stepOf(const Instruction &in) const { return image_->steps[in.step]; }
  template <class Kind> const Kind &kindOf(const Instruction &in) const {
    return *executable::as<Kind>(stepOf(in));
  }
  bool single() const { return replicas_.size() == 1; }
  unsigned global(unsigned replica) const { return options_.firstReplica + replica; }
  bool apart() const { return peers_.transport != nullptr; } // replicas run elsewhere too
  void meet(const Instruction &in);
  void requireAll(const Instruction &in) const;
  void exchangePlaces(const Instruction &in);
  void settle(const Instruction &in); // waits for collectives whose memory it needs
  void across(const Instruction &in);
  std::vector<std::uint64_t> ofAll(const Instruction &in, std::vector<std::uint64_t> counted);
  void takeSlowest(const Instruction &in, std::vector<std::uint64_t> &cycles);
  void sendApart(const Instruction &in, std::byte *packed);
  std::uint64_t firstKey();

  void interpret(const Block &block);
  void interpret(const Block &block, const Instruction *&at);
  void account(const Instruction &in) { account_.pay(in.step, *in.cost); }
  void pay(const Instruction &in) { // control steps: often free
    if (in.cost->cycles)
      account(in);
  }

  // Segments
  void segment(const Instruction &in);
  bool runsWhole(Joined &joined);
  bool findCycles(Joined &joined);
  std::uint64_t runWhole(Joined &joined, std::uint64_t times, const Instruction *loop);
  void payFor(const Joined &joined, std::uint64_t times, const Instruction *loop);
  void repeatSegment(const Instruction &in, std::uint64_t times);

  // Control flow
  void repeat(const Instruction &in);
  void repeatWhile(const Instruction &in);
  void branch(const Instruction &in);
  void select(const Instruction &in);
  const Block *caseOf(const Instruction &in, std::int64_t value) const;
  void runSplit(const std::vector<std::pair<const Block *, unsigned>> &choices);

  // Steps
  void execute(const Instruction &in);
  void hostToDevice(const Instruction &in);
  void deviceToHost(const Instruction &in);
  void remote(const Instruction &in);
  std::vector<std::uint64_t> remoteSlots(const Instruction &in, unsigned replica);
  void hostCall(const Instruction &in);
  void crossReplica(const Instruction &in);
  void assumeEqual(const Instruction &in);
  void kernel(const Instruction &in);
  openipu::Rounding rounding() const;
  void beginKernels();
  void endKernels(std::uint64_t taken);
  void print(const Instruction &in);
  void show(const Instruction &in, const std::string &title, const executable::PrintFormat &format);
  void cycleStamp(const Instruction &in);
  void floatingPoint(const Instruction &in);
  void seeds(const Instruction &in);
  [[noreturn]] void fail(const Instruction &in);
  void abort(const Instruction &in);

  std::byte *buffer(std::uint64_t bytes);
  std::vector<std::byte> packed(const HostView &view, unsigned replica) const;
  void seedVertices(unsigned replica, std::uint64_t seed);
  [[noreturn]] void translateFailure();

  std::shared_ptr<const executable::Image> image_;
  arch::System system_; // of one replica
  RunOptions options_;
  Host &host_;
  Account account_;
  KernelUses kernels_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<OnHost> onHost_; // null: the backend runs every step
  std::unique_ptr<Flow> flow_;
  std::vector<std::uint64_t> generations_; // by kernel, of its steady operands
  std::vector<Replica> replicas_;
  std::vector<RandomState> random_; // by replica
  openipu::Peers peers_;
  std::optional<Footprints> footprints_; // where there are peers
  std::uint64_t meetings_ = 0;           // collectives so far
  unsigned choices_ = 0; // branches and loops around this step that others may not take
  struct Counts {
    std::vector<std::uint64_t> mine, charged;
  };
  std::map<std::uint32_t, Counts> counts_; // by compute set that the data decides, with peers
  std::uint64_t firstKey_ = 0;             // of the generator of the first replica of all
  bool firstKeyChanged_ = false;           // since it was asked for
  Turn turn_;                              // its replicas are those that are active
  std::vector<unsigned> &active_ = turn_.replicas;
  FloatingPointState floatingPoint_, foundFloatingPoint_; // the latter when the run began
  Trail trail_;
  bool intact_ = true;
  const Instruction *current_ = nullptr; // for messages
  std::atomic<bool> stop_ = false;
  std::vector<std::byte> buffer_;
  Pending pending_; // the last: what is under way uses the rest
};

} // namespace poplar::backend
