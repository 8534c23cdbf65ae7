// SPDX-License-Identifier: MIT
// y = x, element by element, where both are views of any strides.
//   outputs: y
//   inputs:  x, of the shape and type of y
//   no attributes
#pragma once

namespace popops::kernels {

inline constexpr char rearrange[] = "popops.rearrange";

} // namespace popops::kernels
