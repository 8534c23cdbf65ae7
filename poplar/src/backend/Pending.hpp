// SPDX-License-Identifier: MIT
// Collectives with replicas of other processes that are under way. A thread of their own carries
// them out, one after the other, while the interpreter goes on with steps that touch no byte of
// what they read or write; the first one that does waits for all of them. So the results are those
// of one step after the other.
#pragma once
#include "analysis/RangeSet.hpp"
#include "backend/Flow.hpp"
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace poplar::backend {

// What a step may touch: whole variables, as bytes of the arena, so that variables which share
// memory are told apart from those that do not.
struct Footprint {
  analysis::RangeSet bytes;

  bool meets(const Footprint &other) const;
};

class Footprints { // of the instructions of a program, worked out when they are asked for
public:
  explicit Footprints(const executable::Image &image);
  const Footprint &of(const Instruction &in);

private:
  Footprint make(const Instruction &in) const;
  const executable::Image &image_;
  std::vector<std::optional<Footprint>> steps_;
};

// Sets Instruction::flag of the collectives that are worth starting early: they are large, and what
// follows does not need them at once.
void chooseEarly(std::deque<Block> &blocks, Footprints &footprints);

class Pending {
public:
  Pending() = default;
  Pending(const Pending &) = delete;
  ~Pending();

  bool any() const { return under_ != 0; } // since the last wait()
  const Footprint &touched() const { return touched_; }
  // Returns at once. The work runs in the floating point mode of the caller.
  void start(const Footprint &touches, std::function<void()> work);
  // Until all have ended. Throws what the first that failed threw; those behind it did not begin.
  void wait();
  void abandon() noexcept; // the same where another failure is on its way

private:
  void serve();
  std::exception_ptr finish();

  std::mutex mutex_;
  std::condition_variable wake_, ended_;
  std::deque<std::function<void()>> queue_;
  bool working_ = false, stop_ = false;
  std::exception_ptr error_;
  Footprint touched_;
  unsigned under_ = 0;
  std::thread thread_; // made at the first start()
};

} // namespace poplar::backend
