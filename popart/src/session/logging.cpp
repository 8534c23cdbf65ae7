// SPDX-License-Identifier: MIT
#include <popart/logging.hpp>

#include "session/log.hpp"
#include <algorithm>
#include <popart/error.hpp>

namespace popart {
namespace logging {

namespace {
base::LogLevel levelOf(const std::string &text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (upper == "CRITICAL")
    return base::LogLevel::Err;
  try {
    return base::parseLogLevel(upper == "WARNING" ? "WARN" : upper);
  } catch (const std::invalid_argument &) {
    throw error("Unknown log level \"{}\". Use TRACE, DEBUG, INFO, WARN, ERR, CRITICAL or OFF.",
                text);
  }
}
} // namespace

void Logger::setLevel(const std::string &level) const { session::log().setLevel(levelOf(level)); }
void Logger::write(const std::string &level, const std::string &text) const {
  const auto at = levelOf(level);
  if (session::log().enabled(at))
    session::log().write(at, name_ == "all" ? text : name_ + ": " + text);
}

} // namespace logging
} // namespace popart
