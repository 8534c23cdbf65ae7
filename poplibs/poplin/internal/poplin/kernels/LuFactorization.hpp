// SPDX-License-Identifier: MIT
// LU factorisation without pivoting.
//   outputs: L [m, m], with ones on the diagonal; U [m, n]
//   inputs:  a [m, n]
//   no attributes
#pragma once

namespace poplin::kernels {

inline constexpr char luFactorization[] = "poplin.luFactorization";

} // namespace poplin::kernels
