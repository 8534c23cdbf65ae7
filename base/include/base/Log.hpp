// SPDX-License-Identifier: MIT
// Leveled log lines of a layer: POPLAR, POPLIBS, GCL, POPART. Levels come from <LAYER>_LOG_LEVEL
// and <LAYER>_<MODULE>_LOG_LEVEL, lines go to <LAYER>_LOG_DEST (stderr, stdout, or a file that
// grows) in the form of <LAYER>_LOG_FORMAT (base/LogPattern.hpp). A level that is none or a file
// that cannot be written is said once on standard error; the program goes on.
#pragma once
#include "base/Text.hpp"
#include <atomic>
#include <string>

namespace base {

enum class LogLevel { Trace, Debug, Info, Warn, Err, Critical, Off };

// One module of one layer, e.g. Logger("POPLAR", "PO", "ENGINE"). Cheap to ask, safe from any
// thread, and never throws.
class Logger {
public:
  Logger(const std::string &layer, const std::string &tag, const std::string &module);
  bool enabled(LogLevel level) const { return level >= level_.load(std::memory_order_relaxed); }
  LogLevel level() const { return level_; }
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
  std::string name_, pattern_, destination_;
  bool utc_;
  mutable std::atomic<LogLevel> level_;
};

// OFF, CRITICAL, ERR, WARN, INFO, DEBUG, TRACE in any case; anything else throws
// std::invalid_argument with the list.
LogLevel parseLogLevel(const std::string &text);

// The same, for the value of a setting: what is wrong is said once, and nothing is logged.
LogLevel logLevelOr(const std::string &setting, const std::string &text, LogLevel otherwise);

// One line on standard error, the first time that this text comes.
void sayOnce(const std::string &text);

} // namespace base
