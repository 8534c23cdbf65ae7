// SPDX-License-Identifier: MIT
// Beside every instance, on its host: a process that starts the program, reads the heartbeat that
// popdist writes for it, and says which rank ended where and after which step. When it ends with an
// error, mpirun ends the others.
//
// The heartbeat is a file at POPDIST_HEARTBEAT_FILE with the line "STEP SECONDS [PHASE]", written
// anew at every step (SECONDS since 1970; PHASE: "waiting" while the instance waits for others).
#pragma once
#include <string>
#include <vector>

namespace poprun {

struct Watched {
  unsigned instance = 0;
  std::string host;
  unsigned stuckAfter = 0; // seconds without a heartbeat after the first one; 0: never
  std::vector<std::string> program;
};

// The words that make a call of poprun do this.
std::vector<std::string> watchCommand(const Watched &watched);
// What they said; nothing if they are no such call.
bool isWatchCall(int argc, char **argv);
int watch(int argc, char **argv);
// Starts the program and stays until its end: its exit status.
int watch(const Watched &watched);

} // namespace poprun
