// SPDX-License-Identifier: MIT
// What survives fork(): memory does, threads do not. A mutex that another thread held at that
// moment stays locked in the child for ever, so process-wide ones are ForkMutexes; and who has
// threads asks whether they are still there.
#pragma once
#include <memory>
#include <mutex>

namespace base {

// How many forks lie between the first process and this one: threads that were started under
// another number are not in this process.
unsigned forkGeneration();

// Such threads can neither be used nor joined, and what they wait for cannot be destroyed: it stays
// until the process ends.
void abandon(std::shared_ptr<void> whatHasLostThreads);

// fork() waits until it is free, so that a child finds what it guards in order. The forking thread
// must not hold it.
class ForkMutex {
public:
  ForkMutex();
  ~ForkMutex();
  ForkMutex(const ForkMutex &) = delete;
  ForkMutex &operator=(const ForkMutex &) = delete;
  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

private:
  friend class ForkMutexes;
  std::mutex mutex_;
  ForkMutex *next_ = nullptr, *previous_ = nullptr; // in the list of all
};

} // namespace base
