// SPDX-License-Identifier: MIT
// Programs that are too large for an IPU's memory: here they run all the same, and every front end
// says so once, in these words.
#pragma once
#include <popart/devicemanager.hpp>
#include <popart/session.hpp>

namespace frontend {

// Options of a session that may be too large, unless its engine options say otherwise;
// POPLAR_ENGINE_OPTIONS is stronger than both.
popart::SessionOptions allowingTooLarge(popart::SessionOptions options);
// What to say once the session is compiled; "" if it fits, or the device is no IPU.
std::string memoryAdvice(const popart::Session &session, const popart::DeviceInfo &device);

} // namespace frontend
