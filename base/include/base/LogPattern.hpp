// SPDX-License-Identifier: MIT
// What a log line looks like, in the pattern language of spdlog: %Y %m %d %H %M %S, %e (ms), %f
// (us), %F (ns), %P process, %t thread, %n name, %l and %L level, %v text; %^ and %$ mark colours
// and are left out; %-12n pads to the right, %12n to the left. Anything else stands as it is.
#pragma once
#include "base/Log.hpp"
#include <chrono>

namespace base {

struct LogLine {
  std::chrono::system_clock::time_point time;
  bool utc;
  int process, thread;
  LogLevel level;
  const std::string &name, &text;
};

std::string formatLogLine(const std::string &pattern, const LogLine &line);

} // namespace base
