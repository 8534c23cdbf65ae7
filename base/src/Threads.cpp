// SPDX-License-Identifier: MIT
#include "base/Threads.hpp"
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace base {
namespace {

thread_local bool insidePool = false;

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

struct Job {
  const std::function<void(std::size_t, std::size_t, unsigned)> *body;
  std::size_t n, chunk;
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex errorMutex;

  void work(unsigned thread) {
    for (;;) {
      auto begin = next.fetch_add(chunk);
      if (begin >= n)
        return;
      try {
        (*body)(begin, std::min(n, begin + chunk), thread);
      } catch (...) {
        std::lock_guard lock(errorMutex);
        if (!error)
          error = std::current_exception();
        next = n;
      }
    }
  }
};

class Pool {
public:
  explicit Pool(unsigned threads) {
    for (unsigned i = 1; i < threads; ++i)
      workers_.emplace_back([this, i] { serve(i); });
  }
  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
      ++generation_;
    }
    wake_.notify_all();
    for (auto &worker : workers_)
      worker.join();
  }
  unsigned size() const { return workers_.size() + 1; }

  void run(Job &job) {
    std::lock_guard oneAtATime(runMutex_);
    {
      std::lock_guard lock(mutex_);
      job_ = &job;
      busy_ = workers_.size();
      ++generation_;
    }
    wake_.notify_all();
    insidePool = true;
    job.work(0);
    insidePool = false;
    for (int spins = 0; busy_.load(std::memory_order_acquire) != 0; ++spins) {
      if (spins < 4000)
        pause();
      else
        std::this_thread::yield();
    }
  }

private:
  void serve(unsigned index) {
    insidePool = true;
    std::uint64_t seen = 0;
    for (;;) {
      for (int spins = 0; spins < 4000 && generation_.load(std::memory_order_acquire) == seen;
           ++spins)
        pause();
      if (generation_.load(std::memory_order_acquire) == seen) {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return generation_.load() != seen; });
      }
      seen = generation_.load(std::memory_order_acquire);
      if (stop_)
        return;
      job_.load()->work(index);
      busy_.fetch_sub(1, std::memory_order_release);
    }
  }
  std::vector<std::thread> workers_;
  std::mutex mutex_, runMutex_;
  std::condition_variable wake_;
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<Job *> job_{nullptr};
  std::atomic<std::size_t> busy_{0};
  std::atomic<bool> stop_{false};
};

unsigned configuredThreads() {
  if (const char *text = std::getenv("OPENIPU_NUM_THREADS"))
    if (int n = std::atoi(text); n > 0)
      return n;
  return std::max(1u, std::thread::hardware_concurrency());
}

std::unique_ptr<Pool> &pool() {
  static std::unique_ptr<Pool> instance = std::make_unique<Pool>(configuredThreads());
  return instance;
}

} // namespace

unsigned numThreads() { return pool()->size(); }
void setNumThreads(unsigned n) { pool() = std::make_unique<Pool>(std::max(1u, n)); }

void parallelFor(std::size_t n, std::size_t grain,
                 const std::function<void(std::size_t, std::size_t, unsigned)> &body) {
  if (n == 0)
    return;
  grain = std::max<std::size_t>(1, grain);
  if (insidePool || n <= grain || numThreads() == 1)
    return body(0, n, 0);
  // Four chunks per thread balance uneven work without many atomic operations.
  auto chunk = std::max(grain, (n + 4 * numThreads() - 1) / (4 * numThreads()));
  Job job{&body, n, chunk, {}, {}, {}};
  pool()->run(job);
  if (job.error)
    std::rethrow_exception(job.error);
}

} // namespace base
