// SPDX-License-Identifier: MIT
// The one line that a person at a terminal sees of work that takes long, for instance
// "Compiling: lay out memory, pass 5 of 7, 3 s". It comes after a second, changes four times a
// second and goes without a trace. Only if standard error is a terminal; OPENIPU_PROGRESS=off
// switches it off.
#pragma once
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace base {

// What is going on while the object lives; of several, the latest is shown. Costs the test of a
// flag where there is no terminal.
class Activity {
public:
  using Text = std::function<std::string()>; // asked from another thread
  explicit Activity(Text text);
  explicit Activity(const char *text);
  ~Activity();
  Activity(const Activity &) = delete;

private:
  Text text_;
  bool shown_;
};

// Takes the line off the terminal before something else is printed there.
void hideProgress();

// The line itself, apart from the clock and the terminal.
class ProgressLine {
public:
  using Time = std::chrono::steady_clock::time_point;
  // `write` puts bytes on a terminal of `columns`.
  ProgressLine(std::function<void(const std::string &)> write, unsigned columns)
      : write_(std::move(write)), columns_(columns) {}
  void begin(const Activity::Text &text, Time now);
  void end(const Activity::Text &text);
  void tick(Time now);
  void hide();

private:
  void erase();
  std::mutex mutex_;
  std::function<void(const std::string &)> write_;
  unsigned columns_;
  std::vector<const Activity::Text *> activities_;
  Time start_;
  bool visible_ = false;
};

} // namespace base
