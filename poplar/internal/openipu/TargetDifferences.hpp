// SPDX-License-Identifier: MIT
// Whether an executable runs on a target, and if not, why; and the target of several processes.
#pragma once
#include "poplar/Executable.hpp"
#include "poplar/Target.hpp"
#include <string>

namespace poplar::openipu {

// The fields in which the target differs from that of the executable, one per line; empty if there
// are none.
std::string targetDifferences(const poplar::Executable &executable, const poplar::Target &target);

// What a program is compiled for whose replicas run in several processes: the device here has the
// IPUs of `here` of `all` replicas. Links are what a device with all IPUs has.
poplar::Target targetOfAll(const poplar::Target &device, unsigned here, unsigned all);

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
