// SPDX-License-Identifier: MIT
// selectScalarFromRows: y[r] = x[r][i[r]].   updateScalarInRows: x[r][i[r]] -= 1.
// The masked index (popops/EncodingConstants.hpp) selects 0 and changes nothing; other indices
// beyond the row select NaN and make the row NaN.
//   selectScalarFromRows   outputs: y [rows]   inputs: x [rows, columns], i [rows]
//   updateScalarInRows     outputs: x, read and written   inputs: i
//   no attributes; x and y are float or half
#pragma once

namespace popops::kernels {

inline constexpr char selectScalarFromRows[] = "popops.selectScalarFromRows";
inline constexpr char updateScalarInRows[] = "popops.updateScalarInRows";

} // namespace popops::kernels
