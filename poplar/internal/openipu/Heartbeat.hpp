// SPDX-License-Identifier: MIT
// How far this process has come, for poprun and for the other processes of a job. The file that
// POPDIST_HEARTBEAT_FILE names gets "step time", at most once a second.
#pragma once
#include <cstdint>

namespace poplar::openipu {

void beat();      // a step of a model ended
void beatOfRun(); // a run of an engine ended: counts where nobody counts steps
std::uint64_t lastStep();

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
