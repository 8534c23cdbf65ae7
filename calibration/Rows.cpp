// SPDX-License-Identifier: MIT
// All rows, in the order in which kinds are printed.
#include "Row.hpp"

namespace calibration {

Rows allRows() {
  Rows rows;
  addVertexRows(rows);
  addBlurRows(rows);
  addStreamRows(rows);
  addExchangeRows(rows);
  addHostRows(rows);
  addProductRows(rows);
  addSparseRows(rows);
  addConvolutionRows(rows);
  addPowerRows(rows);
  addMemoryRows(rows);
  addModelRows(rows);
  return rows;
}

} // namespace calibration
