// SPDX-License-Identifier: MIT
// QR factorisation: A becomes R, and Q with Q R = A is made.
//   outputs: A [m, n], read and written; Q [m, m]
//   inputs:  none
//   no attributes
#pragma once

namespace poplin::kernels {

inline constexpr char qrFactorization[] = "poplin.qrFactorization";

} // namespace poplin::kernels
