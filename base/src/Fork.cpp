// SPDX-License-Identifier: MIT
// The list of all fork mutexes and the handlers that take them around a fork.
#include "base/Fork.hpp"
#include <atomic>
#include <pthread.h>
#include <thread>
#include <vector>

namespace base {

class ForkMutexes {
public:
  static ForkMutexes &get() {
    static auto *all = new ForkMutexes; // outlives every static ForkMutex
    return *all;
  }
  void add(ForkMutex &mutex) {
    std::lock_guard lock(listMutex_);
    mutex.next_ = first_;
    if (first_)
      first_->previous_ = &mutex;
    first_ = &mutex;
  }
  void remove(ForkMutex &mutex) {
    std::lock_guard lock(listMutex_);
    (mutex.previous_ ? mutex.previous_->next_ : first_) = mutex.next_;
    if (mutex.next_)
      mutex.next_->previous_ = mutex.previous_;
  }
  unsigned generation() const { return generation_.load(std::memory_order_relaxed); }

private:
  ForkMutexes() {
    ::pthread_atfork([] { get().lockAll(); }, [] { get().unlockAll(); },
                     [] {
                       ++get().generation_;
                       get().unlockAll();
                     });
  }
  // Some are taken while others are held, in whatever order: whoever cannot have all lets go of
  // all.
  void lockAll() {
    for (listMutex_.lock(); ForkMutex *busy = tryAll(); listMutex_.lock()) {
      for (ForkMutex *m = first_; m != busy; m = m->next_)
        m->unlock();
      listMutex_.unlock();
      std::this_thread::yield();
    }
  }
  // The first that is not free; null when all are taken.
  ForkMutex *tryAll() {
    ForkMutex *m = first_;
    while (m && m->try_lock())
      m = m->next_;
    return m;
  }
  void unlockAll() {
    for (ForkMutex *m = first_; m; m = m->next_)
      m->unlock();
    listMutex_.unlock();
  }

  std::mutex listMutex_;
  ForkMutex *first_ = nullptr;
  std::atomic<unsigned> generation_{0};
};

void abandon(std::shared_ptr<void> whatHasLostThreads) {
  static auto *kept = new std::vector<std::shared_ptr<void>>;
  static ForkMutex mutex;
  std::lock_guard lock(mutex);
  kept->push_back(std::move(whatHasLostThreads));
}
unsigned forkGeneration() { return ForkMutexes::get().generation(); }
ForkMutex::ForkMutex() { ForkMutexes::get().add(*this); }
ForkMutex::~ForkMutex() { ForkMutexes::get().remove(*this); }

} // namespace base
