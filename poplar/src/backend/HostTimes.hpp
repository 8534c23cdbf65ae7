// SPDX-License-Identifier: MIT
// Where the host's time goes (option debug.hostTimes): wall time by step, from the end of the step
// before it, summed over all runs and written as a table when the engine goes.
#pragma once
#include "executable/Image.hpp"
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace poplar::backend {

class HostTimes {
public:
  HostTimes(std::shared_ptr<const executable::Image> image, std::string file);
  ~HostTimes(); // writes the table; "-" is the standard error
  void begin() { last_ = Clock::now(); }
  void end(std::uint32_t step) {
    const auto now = Clock::now(), began = last_;
    auto &done = steps_[step];
    done.time += now - began;
    done.least = std::min(done.least, now - began);
    ++done.calls;
    last_ = now;
  }

  // A step ran on the host in place of the backend, which copied so many bytes there and back.
  void onHost(std::uint32_t step, std::uint64_t there, std::uint64_t back) {
    steps_[step].there += there;
    steps_[step].back += back;
    steps_[step].onHost = true;
  }

private:
  using Clock = std::chrono::steady_clock;
  struct Step {
    Clock::duration time{}, least = Clock::duration::max();
    std::uint64_t calls = 0;
    std::uint64_t there = 0, back = 0; // bytes
    bool onHost = false;
  };
  std::shared_ptr<const executable::Image> image_;
  std::string file_;
  std::vector<Step> steps_;
  Clock::time_point last_;
};

} // namespace poplar::backend
