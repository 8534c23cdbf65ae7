// SPDX-License-Identifier: MIT
#include "backend/Pending.hpp"
#include "analysis/Effects.hpp"
#include "base/FloatMode.hpp"
#include <algorithm>

namespace poplar::backend {

bool Footprint::meets(const Footprint &other) const {
  return std::ranges::any_of(other.bytes.ranges(), [&](const analysis::Range &range) {
    return bytes.intersects(range.begin, range.end);
  });
}

Footprints::Footprints(const executable::Image &image)
    : image_(image), steps_(image.steps.size()) {}

const Footprint &Footprints::of(const Instruction &in) {
  auto &known = steps_[in.step];
  if (!known)
    known = make(in);
  return *known;
}

Footprint Footprints::make(const Instruction &in) const {
  Footprint print;
  const auto &step = image_.steps[in.step];
  const auto flow = flowOf(step);
  if (in.op == Op::Wait || flow == executable::steps::Flow::InOrder ||
      flow == executable::steps::Flow::Called)
    return print; // their parts are instructions too
  for (const auto &[var, effect] :
       analysis::effectsOf(image_, step, analysis::Outputs::ReadAndWrite)) {
    const auto &variable = image_.variables[var];
    if (variable.bytes())
      print.bytes.add(variable.arenaOffset, variable.arenaOffset + variable.bytes());
  }
  return print;
}

// What runs after an instruction of a block, as far as the block knows.
static const Instruction *following(const Block &block, std::size_t i) {
  for (++i; i < block.size(); ++i)
    switch (block[i].op) {
    case Op::Enter:
    case Op::Leave:
    case Op::Fork:
    case Op::Next:
    case Op::Join:
    case Op::Wait:
      break;
    case Op::Run:
    case Op::Segment:
      if (const auto *first = following(*block[i].body, std::size_t(-1)))
        return first;
      break;
    default:
      return &block[i];
    }
  return nullptr;
}

void chooseEarly(std::deque<Block> &blocks, Footprints &footprints) {
  constexpr std::uint64_t leastBytes = 1 << 16; // less has arrived before a thread wakes up
  for (auto &block : blocks)
    for (std::size_t i = 0; i < block.size(); ++i) {
      auto &in = block[i];
      if (in.op != Op::Kernel || !in.details->across || !in.runner->runsBeside())
        continue;
      const auto *next = following(block, i);
      in.flag = footprints.of(in).bytes.size() >= leastBytes &&
                !(next && footprints.of(in).meets(footprints.of(*next)));
    }
}

Pending::~Pending() {
  if (!thread_.joinable())
    return;
  {
    const std::lock_guard hold(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Pending::start(const Footprint &touches, std::function<void()> work) {
  touched_.bytes.unite(touches.bytes);
  ++under_;
  {
    const std::lock_guard hold(mutex_);
    queue_.push_back([work = std::move(work), mode = base::floatMode()] {
      const base::WithFloatMode asTheCaller(mode);
      work();
    });
  }
  if (!thread_.joinable())
    thread_ = std::thread([this] { serve(); });
  wake_.notify_one();
}

void Pending::serve() {
  std::unique_lock hold(mutex_);
  for (;;) {
    wake_.wait(hold, [&] { return stop_ || !queue_.empty(); });
    if (queue_.empty())
      return;
    const auto work = std::move(queue_.front());
    queue_.pop_front();
    working_ = true;
    const bool failed = error_ != nullptr;
    hold.unlock();
    std::exception_ptr error;
    try {
      if (!failed)
        work();
    } catch (...) {
      error = std::current_exception();
    }
    hold.lock();
    working_ = false;
    if (error)
      error_ = error;
    if (queue_.empty())
      ended_.notify_all();
  }
}

std::exception_ptr Pending::finish() {
  if (!under_)
    return nullptr;
  std::unique_lock hold(mutex_);
  ended_.wait(hold, [&] { return queue_.empty() && !working_; });
  touched_ = {};
  under_ = 0;
  return std::exchange(error_, nullptr);
}

void Pending::wait() {
  if (const auto error = finish())
    std::rethrow_exception(error);
}

void Pending::abandon() noexcept { finish(); }

} // namespace poplar::backend
