// SPDX-License-Identifier: MIT
// The planners of the operator libraries beside published measurements of single operators.
#pragma once
#include "arch/Calibration.hpp"

namespace calibration {

// Matrix products by size and type, the blur as a convolution, the triad from operators.
std::vector<arch::CalibrationRow> operatorRows();

} // namespace calibration
