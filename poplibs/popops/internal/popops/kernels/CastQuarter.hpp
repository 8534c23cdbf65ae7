// SPDX-License-Identifier: MIT
// Casts to and from 8-bit floats, or between their formats. Rounds as KernelArgs::rounding says.
//   outputs: y
//   inputs:  x, of the shape of y; the metadata [1] of x if it is quarter, then that of y
//   no attributes; what is not quarter is float, half, or a char of any kind
#pragma once

namespace popops::kernels {

inline constexpr char castQuarter[] = "popops.castQuarter";

} // namespace popops::kernels
