// SPDX-License-Identifier: MIT
// Leveled log lines: `09:38:52.878 15288 PO:ENGINE   [I] text`. Levels and destination come from
// <PREFIX>_LOG_LEVEL, <PREFIX>_<MODULE>_LOG_LEVEL and <PREFIX>_LOG_DEST (stdout, stderr, or a
// file).
#pragma once
#include "base/Text.hpp"
#include <atomic>
#include <string>

namespace base {

enum class LogLevel { Trace, Debug, Info, Warn, Err, Off };

// One component of one layer, e.g. Logger("POPLAR", "PO", "ENGINE"). Cheap to ask, safe from any
// thread.
class Logger {
public:
  Logger(std::string environmentPrefix, std::string tag, std::string module);
  bool enabled(LogLevel level) const { return level >= level_; }
  void setLevel(LogLevel level) const { level_ = level; } // in place of the environment's
  void write(LogLevel level, const std::string &text) const;
  template <class... Parts> void trace(const Parts &...p) const { log(LogLevel::Trace, p...); }
  template <class... Parts> void debug(const Parts &...p) const { log(LogLevel::Debug, p...); }
  template <class... Parts> void info(const Parts &...p) const { log(LogLevel::Info, p...); }
  template <class... Parts> void warn(const Parts &...p) const { log(LogLevel::Warn, p...); }
  template <class... Parts> void error(const Parts &...p) const { log(LogLevel::Err, p...); }

private:
  template <class... Parts> void log(LogLevel level, const Parts &...parts) const {
    if (enabled(level))
      write(level, str(parts...));
  }
  std::string tag_, module_, destination_;
  mutable std::atomic<LogLevel> level_;
};

// OFF, ERR, WARN, INFO, DEBUG, TRACE in any case; anything else throws std::invalid_argument with
// the list.
LogLevel parseLogLevel(const std::string &text);

} // namespace base
