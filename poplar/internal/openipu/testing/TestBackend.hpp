// SPDX-License-Identifier: MIT
// For tests: backends whose memory is apart from the host's. Pages are mapped for each replica and
// protected outside of the backend's own work, so that whoever touches them by another way than
// read and write ends the process. One does what it is asked for at once; the other begins nothing
// before somebody waits for it. They see no more of libpoplar than a library of its own would.
#pragma once
#include "base/FloatMode.hpp"
#include "openipu/Backend.hpp"
#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <deque>
#include <new>
#include <stdexcept>
#include <sys/mman.h>
#include <utility>

namespace poplar::openipu::testing {

class TestBackend final : public Backend {
public:
  static constexpr const char *atOnce = "test.apart", *queueing = "test.queueing";
  static void registerOnce() {
    static const bool done = [] {
      for (const std::string name : {atOnce, queueing})
        registerBackend(
            {.name = name, .traits = {.overwrites = false}, .make = [name](const Setup &setup) {
               return std::make_unique<TestBackend>(setup, name == queueing);
             }});
      return true;
    }();
    (void)done;
  }

  explicit TestBackend(const Setup &setup, bool queues = false) : setup_(setup), queues_(queues) {
    for (const auto &step : setup_.steps) {
      if (steps_.size() <= step.step)
        steps_.resize(step.step + 1);
      steps_[step.step] = &step;
      scratch_ = std::max(scratch_, scratchOf(step));
    }
    for (unsigned r = 0; r < setup.numReplicas; ++r) {
      auto *p =
          mmap(nullptr, bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (p == MAP_FAILED)
        throw std::bad_alloc();
      memory_.push_back(static_cast<std::byte *>(p));
    }
  }
  ~TestBackend() override {
    calls_.clear();
    for (auto *p : memory_)
      munmap(p, bytes());
  }

  void load() override {
    queue_.clear();
    broken_ = false;
    calls_.clear();
    calls_.resize(memory_.size());
    for (unsigned r = 0; r < memory_.size(); ++r) {
      {
        const Open open(*this);
        std::memset(memory_[r], setup_.poison ? 0xff : 0, bytes());
        for (const auto &one : setup_.contents)
          std::memcpy(memory_[r] + one.offset, one.bytes.data(), one.bytes.size());
        const auto number = setup_.firstReplica + r;
        for (auto at : setup_.replicaNumbers)
          std::memcpy(memory_[r] + at, &number, sizeof number);
      }
      for (const auto &step : setup_.steps)
        if (step.kind == StepKind::Kernel)
          calls_[r].emplace_back(step, memory_[r], scratchStart(), setup_.firstReplica + r);
    }
  }

  void begin() override { stop_ = false; }
  void end() override { finish(); }
  void stop() noexcept override { stop_ = true; }

  void run(std::uint32_t step, const Turn &turn) override {
    steps += !queues_;
    work([this, step, turn = Taken(turn)] { perform(step, turn, 0); });
  }
  // All of it is one piece of work. Keys follow from what was known when it was asked for.
  std::uint64_t runSegment(SegmentId id, const Turn &turn, const Times &times) override {
    if (!queues_)
      return Backend::runSegment(id, turn, times);
    const auto *whole = &segment(id);
    ++segments;
    work([this, whole, turn = Taken(turn), count = times.count] {
      const bool stochastic = turn.turn.rounding.stochastic;
      std::uint64_t taken = 0;
      for (std::uint64_t t = 0; t < count; ++t, taken += whole->taken(stochastic))
        for (const auto &part : whole->parts)
          perform(part.step, turn, taken + whole->taken(part, stochastic));
    });
    return times.count;
  }
  std::vector<std::uint64_t> count(std::uint32_t, const Turn &) override {
    return {};
  } // no vertices

  Place place(const Transfer &transfer) override {
    places_.push_back(transfer);
    return Place(places_.size() - 1);
  }
  void read(Place place, unsigned replica, std::byte *to) override {
    ++reads;
    finish();
    const Open open(*this);
    move(places_[place].toHost, memory_[replica], to);
  }
  void write(Place place, unsigned replica, const std::byte *from) override {
    const auto *moves = &places_[place].fromHost;
    std::uint64_t end = 0;
    for (const auto &one : *moves)
      end = std::max(end, reach(one));
    work([this, moves, replica, copy = std::vector<std::byte>(from, from + end)] {
      move(*moves, copy.data(), memory_[replica]);
    });
  }

  const volatile std::byte *address() const {
    return memory_[0];
  } // for a test that must not use it
  // Of all that there are: steps of those that work at once, segments of the others.
  inline static unsigned steps = 0, segments = 0;
  inline static unsigned reads = 0;

private:
  class Open {
  public:
    explicit Open(const TestBackend &backend) : backend_(backend) {
      protect(PROT_READ | PROT_WRITE);
    }
    ~Open() { protect(PROT_NONE); }
    Open(const Open &) = delete;

  private:
    void protect(int how) const {
      for (auto *p : backend_.memory_)
        mprotect(p, backend_.bytes(), how);
    }
    const TestBackend &backend_;
  };

  // A Turn with values of its own.
  struct Taken {
    explicit Taken(const Turn &given) : turn(given) {
      for (unsigned r = 0; r <= std::ranges::max(given.replicas); ++r)
        random.push_back(given.random[r]);
      turn.cycles = nullptr;
      turn.generations = nullptr;
    }
    Turn withKeys() const {
      auto now = turn;
      now.random = const_cast<RandomState *>(random.data());
      return now;
    }
    Turn turn;
    std::vector<RandomState> random;
  };

  // A kernel with its operands, where they lie or in scratch memory behind the variables.
  struct Call {
    Call(const BoundStep &bound, std::byte *memory, std::uint64_t scratch, unsigned replica)
        : step(&bound) {
      for (const auto &t : bound.operands) {
        const auto at = t.strided ? t.offset : scratch;
        operands.push_back({memory + at, t.type, t.shape, t.strides, t.elements,
                            !t.strided || t.contiguous, t.unread, false});
        if (!t.strided)
          scratch += padded(t.bytes());
      }
      const std::span<const KernelOperand> all(operands);
      args = {.outputs = all.first(bound.outputs),
              .inputs = all.subspan(bound.outputs),
              .attributes = bound.attributes,
              .replica = replica};
      if (bound.kernel->prepare)
        args.prepared = bound.kernel->prepare(args);
    }
    ~Call() {
      if (step->kernel->release && args.prepared)
        step->kernel->release(args.prepared);
    }
    Call(const Call &) = delete;
    const BoundStep *step;
    std::vector<KernelOperand> operands;
    KernelArgs args;
  };

  static std::uint64_t padded(std::uint64_t bytes) { return (bytes + 127) / 64 * 64; }
  static std::uint64_t scratchOf(const BoundStep &step) {
    std::uint64_t bytes = 0;
    for (const auto &t : step.operands)
      bytes += t.strided ? 0 : padded(t.bytes());
    return bytes;
  }
  std::uint64_t scratchStart() const { return padded(setup_.memoryBytes); }
  std::size_t bytes() const { return scratchStart() + scratch_ + 64; }

  // ---- now or later

  void work(std::function<void()> body) {
    if (!queues_) {
      const Open open(*this);
      const base::FlushDenormals asTilesDo;
      return body();
    }
    if (broken_)
      return;
    queue_.push_back(std::move(body));
    if (queue_.size() > mostWaiting)
      finish();
  }
  void finish() {
    if (queue_.empty())
      return;
    const Open open(*this);
    const base::FlushDenormals asTilesDo;
    while (!queue_.empty() && !stop_) {
      const auto body = std::move(queue_.front());
      queue_.pop_front();
      try {
        body();
      } catch (...) {
        queue_.clear();
        broken_ = true;
        throw LateFault{now_, std::current_exception()};
      }
    }
    queue_.clear();
  }

  // ---- steps

  void perform(std::uint32_t step, const Taken &taken, std::uint64_t keys) {
    now_ = step;
    const auto turn = taken.withKeys();
    const auto &bound = *steps_[step];
    for (auto r : turn.replicas)
      switch (bound.kind) {
      case StepKind::Copy: {
        const auto packed = throughBuffer(bound.moves);
        std::vector<std::byte> buffer(packed.bytes);
        move(packed.in, memory_[r], buffer.data());
        move(packed.out, buffer.data(), memory_[r]);
        break;
      }
      case StepKind::Kernel:
        if (!bound.kernel->runAcross)
          call(bound, callOf(bound, r), turn, keys);
        break;
      default:
        break;
      }
    if (bound.kernel && bound.kernel->runAcross)
      callAcross(bound, turn);
  }

  Call &callOf(const BoundStep &step, unsigned replica) {
    return *std::ranges::find(calls_[replica], &step, &Call::step);
  }
  void gather(const BoundStep &step, Call &call, unsigned replica) {
    for (std::size_t i = 0; i < step.operands.size(); ++i)
      if (!step.operands[i].strided && step.operands[i].read)
        move(step.operands[i].gather, memory_[replica], call.operands[i].data);
  }
  void scatter(const BoundStep &step, Call &call, unsigned replica) {
    for (std::size_t i = 0; i < step.outputs; ++i)
      if (!step.operands[i].strided)
        move(reversed(step.operands[i].gather), call.operands[i].data, memory_[replica]);
  }
  void call(const BoundStep &step, Call &call, const Turn &turn, std::uint64_t keys) {
    const auto replica = call.args.replica - setup_.firstReplica;
    call.args.rounding = turn.roundingAt(keys);
    if (call.args.rounding.stochastic && step.rounds)
      throw std::logic_error("the test backend does not round stochastically");
    if (step.draws)
      call.args.key = turn.drawnAt(replica, keys);
    ++call.args.generation; // it keeps nothing
    gather(step, call, replica);
    step.kernel->run(call.args);
    if (turn.trapped & FE_OVERFLOW)
      for (const auto &out : call.args.outputs)
        if (out.type == TypeId::Float && out.contiguous)
          for (std::size_t i = 0; i < out.elements; ++i)
            if (std::isinf(out.as<float>()[i]))
              throw FloatTrap{FE_OVERFLOW};
    scatter(step, call, replica);
  }
  void callAcross(const BoundStep &step, const Turn &turn) {
    std::vector<KernelArgs> all;
    for (auto r : turn.replicas) {
      gather(step, callOf(step, r), r);
      all.push_back(callOf(step, r).args);
    }
    step.kernel->runAcross(all);
    for (auto r : turn.replicas)
      scatter(step, callOf(step, r), r);
  }

  static std::uint64_t reach(const RawMove &m) { // end of what it reads of a packed buffer
    std::int64_t last = m.from;
    for (const auto &loop : m.loops) {
      if (!loop.extent)
        return 0;
      last += std::max<std::int64_t>(0, loop.from * std::int64_t(loop.extent - 1));
    }
    return std::uint64_t(last) + m.unit;
  }
  static void move(const RawMove &m, std::size_t level, const std::byte *from, std::byte *to) {
    if (level == m.loops.size())
      return void(std::memcpy(to, from, m.unit));
    const auto &loop = m.loops[level];
    for (std::uint64_t i = 0; i < loop.extent; ++i)
      move(m, level + 1, from + std::int64_t(i) * loop.from, to + std::int64_t(i) * loop.to);
  }
  static void move(const std::vector<RawMove> &moves, const std::byte *from, std::byte *to) {
    for (const auto &m : moves)
      move(m, 0, from + m.from, to + m.to);
  }

  static constexpr std::size_t mostWaiting = 1000;
  Setup setup_;
  bool queues_, broken_ = false;
  std::uint64_t scratch_ = 0;
  std::vector<const BoundStep *> steps_; // by number
  std::vector<std::byte *> memory_;
  std::vector<std::deque<Call>> calls_; // by replica
  std::deque<Transfer> places_;
  std::deque<std::function<void()>> queue_;
  std::uint32_t now_ = 0; // the step under way
  std::atomic<bool> stop_ = false;
};

} // namespace poplar::openipu::testing
