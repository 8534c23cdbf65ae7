// SPDX-License-Identifier: MIT
// Leaf steps that run as a whole, once or as the body of a loop, and what they cost.
#include "backend/Faults.hpp"
#include "backend/Interpreter.hpp"
#include <algorithm>

namespace poplar::backend {

// Not where each step's own time is wanted, where collectives are under way that some step may have
// to wait for, and as long as there are vertices to be counted.
bool Interpreter::runsWhole(Joined &joined) {
  return !account_.wantsSteps() && !pending_.any() && (joined.timed || findCycles(joined));
}

bool Interpreter::findCycles(Joined &joined) {
  std::uint64_t cycles = 0;
  std::vector<const executable::Cost *> costs;
  auto part = joined.segment.parts.begin();
  for (const auto &in : joined.steps) {
    if (in.cost->pending)
      return false;
    if (in.op != Op::Wait)
      part++->cycles = cycles;
    cycles += in.cost->cycles;
    costs.push_back(in.cost->cost);
  }
  joined.segment.cycles = cycles;
  account_.costs(joined.group, std::move(costs));
  return joined.timed = true;
}

void Interpreter::segment(const Instruction &in) {
  if (runsWhole(*in.joined)) [[likely]]
    runWhole(*in.joined, 1, nullptr);
  else
    interpret(in.joined->steps);
}

// The rest of a loop of which `times` turns are left. Not all at once, so that others see how far
// it is.
void Interpreter::repeatSegment(const Instruction &in, std::uint64_t times) {
  constexpr std::uint64_t mostSteps = 1024;
  auto &joined = *in.body->front().joined;
  const auto together = std::max<std::uint64_t>(1, mostSteps / joined.steps.size());
  const Instruction *at = nullptr;
  try {
    while (times) {
      if (stop_.load(std::memory_order_relaxed)) [[unlikely]]
        throw Stop{};
      account_.tell();
      at = &in.body->front();
      times -= runWhole(joined, std::min(times, together), &in);
      at = nullptr;
    }
  } catch (...) {
    trail_.push_back({in.body, at});
    throw;
  }
}

// Returns how often it ran.
std::uint64_t Interpreter::runWhole(Joined &joined, std::uint64_t times, const Instruction *loop) {
  const auto &segment = joined.segment;
  const bool stochastic = turn_.rounding.stochastic;
  if (segment.kernels)
    beginKernels();
  try {
    const auto done = joined.steps.front().runner->runSegment(
        joined.id, turn_, {times, loop ? loop->cost->cycles : 0});
    endKernels(done * segment.taken(stochastic));
    payFor(joined, done, loop);
    return done;
  } catch (const SegmentFault &fault) {
    const auto &failed = segment.parts[fault.part];
    endKernels(fault.turns * segment.taken(stochastic) + segment.taken(failed, stochastic));
    payFor(joined, fault.turns, loop);
    if (loop)
      pay(*loop);
    current_ = &joined.steps[joined.at[fault.part]];
    for (const auto *in = joined.steps.data(); in != current_; ++in)
      account(*in);
    trail_.push_back({&joined.steps, current_});
    std::rethrow_exception(fault.cause);
  }
}

void Interpreter::payFor(const Joined &joined, std::uint64_t times, const Instruction *loop) {
  if (!account_.seesEach(joined.group) && !(loop && account_.sees(loop->step))) [[likely]] {
    if (loop && loop->cost->cycles)
      account_.payAgain(loop->step, *loop->cost, times);
    account_.payAll(joined.group, joined.segment.cycles, times);
    return;
  }
  for (std::uint64_t t = 0; t < times; ++t) {
    if (loop)
      pay(*loop);
    for (const auto &in : joined.steps)
      account(in);
    if (loop)
      account_.endOfBody(loop->step);
  }
}

} // namespace poplar::backend
