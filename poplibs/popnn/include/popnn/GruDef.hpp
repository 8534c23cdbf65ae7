// SPDX-License-Identifier: MIT
// The gates of a GRU cell: the first dimension of its weights.
#pragma once

// RESET_GATE and UPDATE_GATE decide what is kept; the candidate is what may replace it.
enum BasicGruCellUnit {
  BASIC_GRU_CELL_RESET_GATE = 0,
  BASIC_GRU_CELL_UPDATE_GATE = 1,
  BASIC_GRU_CELL_CANDIDATE = 2,
  BASIC_GRU_CELL_NUM_UNITS = 3
};
