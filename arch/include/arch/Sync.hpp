// SPDX-License-Identifier: MIT
// What it costs to wait for each other: one tile's workers, one IPU, all IPUs, the host.
#pragma once
#include "arch/System.hpp"

namespace arch {

enum class SyncScope { Tile, Ipu, AllIpus, Host };
enum class HostWait { Synchronous, Prefetched };

Cycles syncCycles(const System &system, SyncScope scope, HostWait host = HostWait::Synchronous);

} // namespace arch
