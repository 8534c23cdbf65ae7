// SPDX-License-Identifier: MIT
// The controller as a process.
#pragma once

namespace vipu {

int serve(int argc, char **argv); // until SIGINT or SIGTERM; the exit status

} // namespace vipu
