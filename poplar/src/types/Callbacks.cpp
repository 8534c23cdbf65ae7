// SPDX-License-Identifier: MIT
// Host callbacks: where their virtual tables live, and the waiting of resumable ones.
#include "poplar/HostFunctionCallback.hpp"
#include "poplar/StreamCallback.hpp"
#include <condition_variable>
#include <mutex>

namespace poplar {

StreamCallbackBase::~StreamCallbackBase() = default;
HostCallback::~HostCallback() = default;

struct ResumableStreamCallback::State {
  std::mutex mutex;
  std::condition_variable changed;
  bool notified = false, awaiting = false;
};

ResumableStreamCallback::ResumableStreamCallback() : state_(new State) {}
ResumableStreamCallback::~ResumableStreamCallback() = default;

void ResumableStreamCallback::notify() {
  {
    std::lock_guard lock(state_->mutex);
    state_->notified = true;
  }
  state_->changed.notify_all();
}

bool ResumableStreamCallback::isAwaiting() const {
  std::lock_guard lock(state_->mutex);
  return state_->awaiting;
}

void ResumableStreamCallback::wait() {
  std::unique_lock lock(state_->mutex);
  state_->awaiting = true;
  state_->changed.wait(lock, [&] { return state_->notified; });
  state_->awaiting = state_->notified = false;
}

} // namespace poplar
