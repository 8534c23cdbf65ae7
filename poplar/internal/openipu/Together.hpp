// SPDX-License-Identifier: MIT
// Programs that the device runs side by side because each keeps to IPUs of its own, the stages of a
// pipeline, or to tiles of its own, transfers on I/O tiles. The host runs them one after the other;
// the slowest one's cycles count.
#pragma once
#include "poplar/DebugContext.hpp"
#include "poplar/Program.hpp"
#include <vector>

namespace poplar::openipu {

// The programs must not write what another of them reads or writes.
poplar::program::Program together(const std::vector<poplar::program::Program> &programs,
                                  const poplar::DebugContext &context = {});

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
