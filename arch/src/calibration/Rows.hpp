// SPDX-License-Identifier: MIT
// The groups of calibration rows; each file models the programs behind its group from counts that
// were published with them.
#pragma once
#include "arch/Calibration.hpp"

namespace arch::calibration {

using Rows = std::vector<CalibrationRow>;

void addComputeRows(Rows &rows);  // streams, loops, matrix unit
void addStencilRows(Rows &rows);  // the blur on one and many IPUs
void addExchangeRows(Rows &rows); // phases on one IPU
void addOutsideRows(Rows &rows);  // links, host, power

} // namespace arch::calibration
