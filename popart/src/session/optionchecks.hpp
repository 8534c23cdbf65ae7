// SPDX-License-Identifier: MIT
// All that is wrong with a session's options by themselves, said before anything is made of them
// or taken from the cache.
#pragma once
#include <popart/sessionoptions.hpp>

namespace popart::session {

// popart::error that names the option.
void checkOptions(const SessionOptions &options, const DataFlow &flow, bool training);

} // namespace popart::session
