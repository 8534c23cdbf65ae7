// SPDX-License-Identifier: MIT
// All that is wrong with a session's options by themselves, said before anything is made of them
// or taken from the cache.
#pragma once
#include <popart/sessionoptions.hpp>

namespace popart::session {

// popart::error that names the option.
void checkOptions(const SessionOptions &options, const DataFlow &flow, bool training);

// The engine option debug.checkIndices, of the session or of the environment, which is stronger.
bool checksIndices(const SessionOptions &options);

} // namespace popart::session
