// SPDX-License-Identifier: MIT
// All rows, in the order in which kinds are printed.
#include "Row.hpp"

namespace calibration {

Rows allRows() {
  Rows rows;
  addBlurRows(rows);
  return rows;
}

} // namespace calibration
