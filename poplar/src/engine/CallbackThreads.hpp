// SPDX-License-Identifier: MIT
// Threads that call stream callbacks when streamCallbacks.multiThreadMode is not singleThread. Work
// of one stream always goes to the same thread, so its callbacks never run at the same time.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace poplar::engine {

enum class CallbackMode {
  SingleThread,  // everything on the thread that runs the program
  Collaborative, // prefetches on another thread
  Dedicated      // every callback on another thread
};

class CallbackThreads {
public:
  explicit CallbackThreads(unsigned n);
  ~CallbackThreads();
  unsigned size() const { return unsigned(team_->threads.size()); }
  bool alive() const; // false in a child of fork, which has none of them
  std::future<void> post(unsigned lane, std::function<void()> work);

private:
  struct Lane {
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<std::packaged_task<void()>> tasks;
    bool stop = false;
  };
  struct Team {
    std::deque<Lane> lanes;
    std::vector<std::thread> threads;
  };
  static void serve(Lane &lane);
  std::shared_ptr<Team> team_;
  unsigned generation_; // of the process that has them
};

} // namespace poplar::engine
