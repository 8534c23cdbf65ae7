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
    popart::session::setAllLevels(levelOf(level));
  else
    popart::session::logOf(name_).setLevel(levelOf(level));
}

void Logger::write(const std::string &level, const std::string &text) const {
  const auto at = levelOf(level);
  const auto &log = popart::session::logOf(name_);
  if (log.enabled(at))
    log.write(at, text);
}

bool shouldLog(const std::string &module, const std::string &level) {
  return popart::session::logOf(module).enabled(levelOf(level));
}

} // namespace logging
} // namespace popart
