// SPDX-License-Identifier: MIT
// PopART's log from within a program: lines of its own, and the level of everything that PopART
// writes. Before the first call the level is that of the environment (POPART_LOG_LEVEL).
#ifndef POPART_LOGGING_HPP
#define POPART_LOGGING_HPP
#include <string>

namespace popart {
namespace logging {

class Logger {
public:
  explicit Logger(const std::string &name = "all") : name_(name) {}
  // TRACE, DEBUG, INFO, WARN, ERR, CRITICAL, OFF in any case; popart::error otherwise. One log
  // serves all of PopART, so every logger sets the same level.
  void setLevel(const std::string &level) const;
  // "info", text: one line, if the level allows.
  void write(const std::string &level, const std::string &text) const;
  const std::string &name() const { return name_; }

private:
  std::string name_;
};

} // namespace logging
} // namespace popart
#endif
