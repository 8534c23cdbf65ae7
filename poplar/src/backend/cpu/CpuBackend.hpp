// SPDX-License-Identifier: MIT
// The simulated device's memory and steps on the host's processor: one arena per replica, vertices
// and kernels that work on it.
#pragma once
#include "backend/cpu/Leaves.hpp"
#include "backend/cpu/Replica.hpp"
#include <deque>
#include <functional>
#include <optional>

namespace poplar::backend::cpu {

class CpuBackend final : public Backend {
public:
  explicit CpuBackend(const HostSetup &setup);
  ~CpuBackend() override;

  void load() override;
  void begin() override;
  void end() override { printing_.reset(); }
  void run(std::uint32_t step, const Turn &turn) override;
  SegmentId prepareSegment(const Segment &segment) override;
  std::uint64_t runSegment(SegmentId id, const Turn &turn, const Times &times) override;
  std::vector<std::uint64_t> count(std::uint32_t step, const Turn &turn) override;
  bool runsBeside() const override { return true; }
  std::function<void()> start(std::uint32_t step, const Turn &turn) override;
  Place place(const Transfer &transfer) override;
  void read(Place place, unsigned replica, std::byte *to) override;
  void write(Place place, unsigned replica, const std::byte *from) override;
  void seed(unsigned replica, std::uint64_t seed) override;
  void stop() noexcept override;

private:
  struct BoundPlace {
    MoveList toHost, fromHost;
    std::int64_t at = 0; // of a single value, which loops and branches ask for
    unsigned bytes = 0;  // of it; 0: it is more
  };
  unsigned global(unsigned replica) const { return options_.firstReplica + replica; }
  std::byte *arena(unsigned replica) { return replicas_[replica].arena.data(); }

  struct Moment {
    std::uint64_t cycles; // of the device so far
    std::uint64_t taken;  // keys since the turn began
  };
  void run(const Leaf &leaf, const Turn &turn, const Moment &now);
  void execute(const Leaf &leaf, const Turn &turn, const Moment &now);
  bool executeOn(const Leaf &leaf, unsigned replica);
  void answer(const Leaf &leaf, unsigned replica, bool result);
  bool count(const Leaf &leaf, unsigned replica, std::vector<std::uint64_t> &cycles);
  void copy(const Leaf &leaf, const Turn &turn);
  void forget(const Leaf &leaf, const Turn &turn);
  void prepareKernels();
  void kernel(const Leaf &leaf, const Turn &turn, const Moment &now);
  std::function<void()> collective(const Leaf &leaf, const Turn &turn);
  KernelCall &gathered(const Leaf &leaf, unsigned replica, const Turn &turn,
                       const Moment &now);            // operands ready to be read
  void scattered(const Leaf &leaf, unsigned replica); // outputs back in the arena

  void markWritten(const BoundView &view, unsigned replica);
  void loadModules();

  std::shared_ptr<const executable::Image> image_;
  arch::System system_; // of one replica
  RunOptions options_;
  bool mayRound_;
  Host &host_;
  codelet::FaultHandlers faults_;
  Modules modules_;
  LoadedModules loaded_, loadedPlain_; // plain: for counting in checked mode
  std::unique_ptr<Leaves> leaves_;
  std::unique_ptr<Leaves> plainLeaves_;             // checked mode only
  std::vector<std::vector<std::uint64_t>> counted_; // by compute set: cycles of its vertices
  std::vector<std::uint8_t> recounts_; // by compute set: its cycles change with the data
  std::deque<Replica> replicas_;
  // If there is one replica only, tight loops of small steps find it here.
  std::byte *only_ = nullptr; // its memory, if it has no shadow
  std::vector<VertexRunner *> onlySets_;
  std::vector<BoundPlace> places_;
  std::vector<std::vector<const Leaf *>> segments_;
  std::uint64_t cycles_ = 0; // of the device when vertices begin
  RunMode mode_;
  std::atomic<bool> stop_ = false;
  std::optional<PrintScope> printing_;
  std::vector<std::byte> ones_;
};

} // namespace poplar::backend::cpu
