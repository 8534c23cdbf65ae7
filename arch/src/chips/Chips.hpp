// SPDX-License-Identifier: MIT
// The known chips; each function is the whole of its file. A new chip is one more file and one more
// line here.
#pragma once
#include "arch/Chip.hpp"

namespace arch::chips {

Chip ipu1();
Chip ipu2();
Chip bow();
Chip ipu21();

double idleAt(double clockHz); // watts of an idle Mk2

} // namespace arch::chips
