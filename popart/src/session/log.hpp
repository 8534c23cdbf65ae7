// SPDX-License-Identifier: MIT
// The logs of PopART, one per module: POPART_LOG_LEVEL, POPART_<MODULE>_LOG_LEVEL, POPART_LOG_DEST,
// POPART_LOG_FORMAT, and POPART_LOG_CONFIG, a JSON file {"ir": "DEBUG", ...}.
#pragma once
#include "base/Log.hpp"

namespace popart::session {

// "session", "ir", "transform", "devicex" ...; any name is a module. Lives until the process ends.
const base::Logger &logOf(const std::string &module);
// Of every module, those that come later too.
void setAllLevels(base::LogLevel level);

inline const base::Logger &log() {
  static const auto &logger = logOf("session");
  return logger;
}

} // namespace popart::session
