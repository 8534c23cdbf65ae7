// SPDX-License-Identifier: MIT
#include "engine/CallbackThreads.hpp"
#include "base/Fork.hpp"

namespace poplar::engine {

CallbackThreads::CallbackThreads(unsigned n)
    : team_(std::make_shared<Team>()), generation_(base::forkGeneration()) {
  for (unsigned i = 0; i < n; ++i) {
    auto &lane = team_->lanes.emplace_back();
    team_->threads.emplace_back([&lane] { serve(lane); });
  }
}

bool CallbackThreads::alive() const { return generation_ == base::forkGeneration(); }

CallbackThreads::~CallbackThreads() {
  if (!alive()) {
    base::abandon(std::move(team_));
    return;
  }
  for (auto &lane : team_->lanes) {
    std::lock_guard lock(lane.mutex);
    lane.stop = true;
    lane.wake.notify_one();
  }
  for (auto &thread : team_->threads)
    thread.join();
}

std::future<void> CallbackThreads::post(unsigned index, std::function<void()> work) {
  auto &lane = team_->lanes[index % team_->lanes.size()];
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
