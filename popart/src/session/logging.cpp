// SPDX-License-Identifier: MIT
#include <popart/logging.hpp>

#include "session/log.hpp"
#include <popart/error.hpp>

namespace popart {
namespace logging {

namespace {
base::LogLevel levelOf(const std::string &text) {
  try {
    return base::parseLogLevel(text);
  } catch (const std::invalid_argument &) {
    throw error("Unknown log level \"{}\". Use TRACE, DEBUG, INFO, WARN, ERR, CRITICAL or OFF.",
                text);
  }
}
} // namespace

void Logger::setLevel(const std::string &level) const {
  if (name_ == "all")
    session::setAllLevels(levelOf(level));
  else
    session::logOf(name_).setLevel(levelOf(level));
}

void Logger::write(const std::string &level, const std::string &text) const {
  const auto at = levelOf(level);
  const auto &log = session::logOf(name_);
  if (log.enabled(at))
    log.write(at, text);
}

} // namespace logging
} // namespace popart
