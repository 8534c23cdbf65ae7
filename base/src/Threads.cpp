// SPDX-License-Identifier: MIT
#include "base/Threads.hpp"
#include "base/Arithmetic.hpp"
#include "base/Environment.hpp"
#include "base/FloatMode.hpp"
#include "base/Fork.hpp"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

namespace base {
namespace {

thread_local bool insidePool = false;

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

using Clock = std::chrono::steady_clock;
constexpr auto spinningTime = std::chrono::microseconds(100);
constexpr auto wakingTime = std::chrono::microseconds(30); // of a thread that sleeps, and the call

// Chunks that a thread does first, in order. Kernels that follow each other so find the part of a
// tensor that they worked on in the caches of their core.
struct alignas(64) Share {
  std::atomic<std::size_t> next{0};
  std::size_t end = 0;
  bool take(std::size_t &chunk) {
    if (next.load(std::memory_order_relaxed) >= end)
      return false;
    return (chunk = next.fetch_add(1)) < end;
  }
};

struct Job {
  const std::function<void(std::size_t, std::size_t, unsigned)> *body;
  std::size_t n, chunk;
  FloatMode mode;
  std::span<Share> shares = {};
  std::atomic<bool> failed{false};
  std::exception_ptr error;
  std::mutex errorMutex;

  void divide(std::span<Share> among) {
    shares = among;
    const std::size_t chunks = base::ceilDiv(n, chunk), threads = shares.size();
    for (std::size_t i = 0; i < threads; ++i) {
      shares[i].next = chunks * i / threads;
      shares[i].end = chunks * (i + 1) / threads;
    }
  }
  // The next one of the thread's own, or of another's that has not begun it.
  bool take(unsigned thread, std::size_t &index) {
    for (std::size_t i = 0; i < shares.size(); ++i)
      if (shares[(thread + i) % shares.size()].take(index))
        return true;
    return false;
  }
  // One chunk; false when all are taken.
  bool step(unsigned thread) {
    std::size_t index;
    if (failed || !take(thread, index))
      return false;
    try {
      (*body)(index * chunk, std::min(n, (index + 1) * chunk), thread);
    } catch (...) {
      std::lock_guard lock(errorMutex);
      if (!error)
        error = std::current_exception();
      failed = true;
    }
    return true;
  }
  void work(unsigned thread) {
    while (step(thread))
      ;
  }
  // Does one chunk and tells how long all of it takes one thread, about.
  Clock::duration tryOne() {
    const auto start = Clock::now();
    step(0);
    return (Clock::now() - start) * base::ceilDiv(n, chunk);
  }
};

// Pauses at first, then lets others run.
class Patience {
public:
  // False once the time is over.
  bool wait() {
    pause();
    if (++spins_ % 32)
      return true;
    const auto now = Clock::now();
    if (spins_ == 32)
      end_ = now + spinningTime;
    return now < end_;
  }

private:
  unsigned spins_ = 0;
  Clock::time_point end_;
};

// A job is open while its caller works on it. Threads enter an open job and leave it; the caller
// closes it when no work is left to begin and waits for those inside. One word holds all of it:
// number of the job | open | threads inside.
class Pool {
public:
  // Where the system gives no more threads or memory (a container's limit), there are fewer.
  explicit Pool(unsigned threads) : shares_(threads) {
    workers_.reserve(threads);
    try {
      for (unsigned i = 1; i < threads; ++i)
        workers_.emplace_back([this, i] { serve(i); });
    } catch (const std::exception &) {
    }
  }
  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
      state_ += oneJob;
    }
    wake_.notify_all();
    for (auto &worker : workers_)
      worker.join();
  }
  unsigned size() const { return workers_.size() + 1; }

  // False: another thread has the pool.
  bool run(Job &job) {
    std::unique_lock mine(runMutex_, std::try_to_lock);
    if (!mine)
      return false;
    job.divide(shares_);
    job_ = &job;
    state_ = (state_ & ~(oneJob - 1)) + oneJob + open;
    insidePool = true;
    if (sleepers_)
      wakeIfWorth(job);
    job.work(0);
    insidePool = false;
    if (missed_ != missed_.zero())
      lastJob_ = Clock::now();
    state_ -= open;
    for (Patience patience; state_.load(std::memory_order_acquire) & inside;)
      if (!patience.wait())
        std::this_thread::yield();
    return true;
  }

private:
  static constexpr std::uint64_t open = 1 << 15, inside = open - 1, oneJob = 1 << 16;

  // Waking takes long, so one short job is done alone; of many in a row the first few are.
  void wakeIfWorth(Job &job) {
    if (Clock::now() - lastJob_ > spinningTime)
      missed_ = missed_.zero();
    missed_ += job.tryOne();
    if (missed_ < wakingTime)
      return;
    missed_ = missed_.zero();
    std::lock_guard lock(mutex_);
    wake_.notify_all();
  }
  bool enter(std::uint64_t &seen) {
    auto now = state_.load(std::memory_order_acquire);
    while (now / oneJob != seen / oneJob && (now & open))
      if (state_.compare_exchange_weak(now, now + 1)) {
        seen = now;
        return true;
      }
    return false;
  }
  void sleep(std::uint64_t seen) {
    std::unique_lock lock(mutex_);
    ++sleepers_;
    wake_.wait(lock, [&] {
      const auto now = state_.load();
      return stop_ || (now / oneJob != seen / oneJob && (now & open));
    });
    --sleepers_;
  }
  void serve(unsigned index) {
    insidePool = true;
    std::uint64_t seen = 0;
    for (Patience patience; !stop_;) {
      if (enter(seen)) {
        {
          auto &job = *job_.load();
          WithFloatMode mode(job.mode);
          job.work(index);
        }
        --state_;
        patience = {};
      } else if (!patience.wait()) {
        // Where there is one job there will be another: nobody sleeps while it is open, though
        // nothing of it is left to begin.
        if (state_.load(std::memory_order_relaxed) & open)
          std::this_thread::yield();
        else
          sleep(seen);
        patience = {};
      }
    }
  }
  std::vector<Share> shares_; // of the job
  std::vector<std::thread> workers_;
  std::mutex mutex_, runMutex_;
  std::condition_variable wake_;
  std::atomic<std::uint64_t> state_{0};
  std::atomic<unsigned> sleepers_{0};
  std::atomic<Job *> job_{nullptr};
  std::atomic<bool> stop_{false};
  Clock::duration missed_{}; // work that was done while others slept, lately
  Clock::time_point lastJob_;
};

unsigned cores() { return std::max(1u, std::thread::hardware_concurrency()); }

unsigned poolSize() {
  try {
    return configuredThreads();
  } catch (const std::invalid_argument &) {
    return cores();
  }
}

// The pool of this process. A child of fork has none of the threads: it forgets the pool, which it
// can neither use nor destroy, and makes its own when it needs one.
class Pools {
public:
  static Pools &get() {
    static Pools instance;
    return instance;
  }
  Pool &current() {
    if (auto *pool = current_.load(std::memory_order_acquire)) [[likely]]
      return *pool;
    std::lock_guard lock(mutex_);
    if (!current_)
      make(threads_ ? threads_ : poolSize());
    return *current_;
  }
  void resize(unsigned threads) {
    std::lock_guard lock(mutex_);
    delete current_.exchange(nullptr);
    make(threads);
  }
  ~Pools() { delete current_.load(); }

private:
  Pools() {
    ::pthread_atfork(nullptr, nullptr, [] { get().forget(); });
  }
  void make(unsigned threads) {
    threads_ = threads;
    current_ = new Pool(threads);
  }
  void forget() {
    if (auto *pool = current_.exchange(nullptr))
      abandon(std::shared_ptr<Pool>(pool));
    insidePool = false;
  }
  ForkMutex mutex_; // of making and replacing it
  std::atomic<Pool *> current_{nullptr};
  unsigned threads_ = 0; // 0: not known yet
};

} // namespace

unsigned configuredThreads() {
  return unsigned(numberFromEnvironment("OPENIPU_NUM_THREADS", cores(), 1, 4096));
}
unsigned numThreads() { return Pools::get().current().size(); }
void setNumThreads(unsigned n) { Pools::get().resize(std::max(1u, n)); }

void parallelFor(std::size_t n, std::size_t grain,
                 const std::function<void(std::size_t, std::size_t, unsigned)> &body) {
  if (n == 0)
    return;
  grain = std::max<std::size_t>(1, grain);
  if (insidePool || n <= grain || numThreads() == 1)
    return body(0, n, 0);
  // Sixteen chunks per thread balance uneven work without many atomic operations.
  auto chunk = std::max(grain, (n + 16 * numThreads() - 1) / (16 * numThreads()));
  Job job{&body, n, chunk, floatMode(), {}, {}, {}, {}};
  if (!Pools::get().current().run(job))
    return body(0, n, 0);
  if (job.error)
    std::rethrow_exception(job.error);
}

} // namespace base
