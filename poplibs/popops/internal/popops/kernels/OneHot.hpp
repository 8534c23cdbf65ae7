// SPDX-License-Identifier: MIT
// encoded[r] = off, but `on` at indices[r], if that is one of its columns.
//   outputs: encoded [rows, classes], of half or of a type of four bytes
//   inputs:  indices [rows]; on [1] and off [1] of the type of encoded, or neither: 1 and 0
//   no attributes
#pragma once

namespace popops::kernels {

inline constexpr char encodeOneHot[] = "popops.encodeOneHot";

} // namespace popops::kernels
