// SPDX-License-Identifier: MIT
#include "engine/CallbackThreads.hpp"

namespace poplar::engine {

CallbackThreads::CallbackThreads(unsigned n) {
  for (unsigned i = 0; i < n; ++i) {
    auto &lane = lanes_.emplace_back();
    threads_.emplace_back([&lane] { serve(lane); });
  }
}

CallbackThreads::~CallbackThreads() {
  for (auto &lane : lanes_) {
    std::lock_guard lock(lane.mutex);
    lane.stop = true;
    lane.wake.notify_one();
  }
  for (auto &thread : threads_)
    thread.join();
}

std::future<void> CallbackThreads::post(unsigned index, std::function<void()> work) {
  auto &lane = lanes_[index % lanes_.size()];
  std::packaged_task<void()> task(std::move(work));
  auto future = task.get_future();
  std::lock_guard lock(lane.mutex);
  lane.tasks.push_back(std::move(task));
  lane.wake.notify_one();
  return future;
}

void CallbackThreads::serve(Lane &lane) {
  for (;;) {
    std::unique_lock lock(lane.mutex);
    lane.wake.wait(lock, [&] { return lane.stop || !lane.tasks.empty(); });
    if (lane.tasks.empty())
      return;
    auto task = std::move(lane.tasks.front());
    lane.tasks.pop_front();
    lock.unlock();
    task();
  }
}

} // namespace poplar::engine
