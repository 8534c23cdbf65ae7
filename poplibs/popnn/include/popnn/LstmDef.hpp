// SPDX-License-Identifier: MIT
// The gates of an LSTM cell: the first dimension of its weights.
#pragma once

// Forget, input and output gate, and the candidate for the cell's state.
enum BasicLstmCellUnit {
  BASIC_LSTM_CELL_FORGET_GATE = 0,
  BASIC_LSTM_CELL_INPUT_GATE = 1,
  BASIC_LSTM_CELL_CANDIDATE = 2,
  BASIC_LSTM_CELL_OUTPUT_GATE = 3,
  BASIC_LSTM_CELL_NUM_UNITS = 4
};
