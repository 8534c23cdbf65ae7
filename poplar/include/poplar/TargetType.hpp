// SPDX-License-Identifier: MIT
// Kinds of target. IPU is the simulated machine, IPU_MODEL a machine described by the program.
#pragma once
#include <string>

namespace poplar {

enum class TargetType { IPU, IPU_MODEL, CPU };

// "IPU", "IPU_MODEL", "CPU"; throws poplar_error for any other value.
std::string toString(TargetType type);

} // namespace poplar
