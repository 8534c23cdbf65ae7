// SPDX-License-Identifier: MIT
// y[.., i] = x[.., 0] + ... + x[.., i]. Floats and halves are summed in double; integers wrap.
//   outputs: y, of float, half, int or unsigned int
//   inputs:  x, of the shape and type of y
//   no attributes
#pragma once

namespace popops::kernels {

inline constexpr char cumulativeSum[] = "popops.cumulativeSum";

} // namespace popops::kernels
