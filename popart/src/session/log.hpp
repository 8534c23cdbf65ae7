// SPDX-License-Identifier: MIT
// The log of sessions: POPART_LOG_LEVEL, POPART_LOG_DEST.
#pragma once
#include "base/Log.hpp"

namespace popart::session {

inline const base::Logger &log() {
  static const base::Logger logger("POPART", "PA", "SESSION");
  return logger;
}

} // namespace popart::session
