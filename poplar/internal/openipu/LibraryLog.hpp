// SPDX-License-Identifier: MIT
// The logs of the operator libraries: POPLIBS_LOG_LEVEL, POPLIBS_<LIBRARY>_LOG_LEVEL, and
// GCL_LOG_LEVEL for gcl. INFO has the calls (poputil/DebugInfo.hpp), DEBUG their plans.
#pragma once
#include "base/Log.hpp"
#include <string_view>

namespace poplar::openipu {

// The one question of a call when nothing is logged: does any library log at this level?
bool librariesLog(base::LogLevel level);

// Whether anybody reads what calls note of their arguments: a log or an open debug file.
bool callsAreNoted();

// "popops", "poplin" ...; poputil's for a name that is none.
const base::Logger &libraryLog(std::string_view library);

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
