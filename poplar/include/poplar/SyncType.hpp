// SPDX-License-Identifier: MIT
// Which tiles wait for each other: those of one IPU, all of the program, or all with the host.
#pragma once

namespace poplar {

enum class SyncType { INTERNAL, EXTERNAL, GLOBAL };

} // namespace poplar
