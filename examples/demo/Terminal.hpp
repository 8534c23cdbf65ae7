// SPDX-License-Identifier: MIT
// A progress bar and a few colours. On anything but a terminal both are plain: the bar becomes one
// finished line, so a log stays readable.
#pragma once
#include <chrono>
#include <string>

namespace demo {

bool isTerminal();
std::string bold(const std::string &text);
std::string good(const std::string &text);
std::string bad(const std::string &text);
std::string dim(const std::string &text);

// `filled` of `width` places.
std::string bar(double fraction, unsigned width);

class Stopwatch {
public:
  double seconds() const;

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// One line that fills up. Redraws at most ten times a second.
class Progress {
public:
  Progress(std::string label, std::string unit);
  void at(long done, long total);
  void finish(const std::string &note); // the last picture of the line, with the time it took

private:
  void draw(long done, long total, const std::string &note);
  std::string label_, unit_;
  Stopwatch time_;
  double lastDraw_ = -1;
  long total_ = 1;
};

} // namespace demo
