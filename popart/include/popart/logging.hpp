// SPDX-License-Identifier: MIT
// PopART's log from within a program: lines of its own, and the level of what PopART writes. Before
// the first call levels are those of the environment (POPART_LOG_LEVEL, POPART_LOG_CONFIG).
#ifndef POPART_LOGGING_HPP
#define POPART_LOGGING_HPP
#include <string>

namespace popart {
namespace logging {

class Logger {
public:
  explicit Logger(const std::string &name = "all") : name_(name) {}
  // TRACE, DEBUG, INFO, WARN, ERR, CRITICAL, OFF in any case; popart::error otherwise. Of the
  // module that the logger is named for ("session", "ir", "transform", "devicex" are PopART's own);
  // "all": of every module.
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
