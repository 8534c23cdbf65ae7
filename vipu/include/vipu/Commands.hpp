// SPDX-License-Identifier: MIT
// The command lines of vipu and vipu-admin: one set of words (create, list, get, reset, remove) and
// things; an operator has more of both.
#pragma once

namespace vipu {

enum class Role { User, Admin };
int run(Role role, int argc, char **argv); // the exit status

} // namespace vipu
