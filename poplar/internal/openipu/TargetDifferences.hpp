// SPDX-License-Identifier: MIT
// Whether an executable runs on a target, and if not, why.
#pragma once
#include "poplar/Executable.hpp"
#include "poplar/Target.hpp"
#include <string>

namespace poplar::openipu {

// The fields in which the target differs from that of the executable, one per line; empty if there
// are none.
std::string targetDifferences(const poplar::Executable &executable, const poplar::Target &target);

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
