// SPDX-License-Identifier: MIT
// An LSTM layer (RecurrentCell.hpp). Operands in brackets are there if the attributes say so.
//   lstmForward
//     outputs: output [steps, batch, out], or the last one [batch, out]; final cell state;
//              [intermediates [steps, batch, kept, out]]
//     inputs:  x [steps, batch, in]; initial output, initial cell state [batch, out];
//              [weights of the input], of the state, biases; [lengths]
//   lstmBackward
//     outputs: gradients of the initial output and cell state; [of x]; [of the units' sums
//              [steps, batch, 4, out]]; [of the weights, as in the inputs]
//     inputs:  initial output and cell state; [intermediates]; weights as above; [x]; [output];
//              gradient of the output; [of the final output]; [of the final cell state]; [lengths]
//   lstmUpdate
//     outputs: gradients of the weights
//     inputs:  initial output; gradients of the units' sums; [intermediates]; [x]; [output]
#pragma once
#include "popnn/kernels/RecurrentCell.hpp"
#include "popnn/LstmDef.hpp"

namespace popnn::kernels {

inline constexpr char lstmForward[] = "popnn.lstmForward";
inline constexpr char lstmBackward[] = "popnn.lstmBackward";
inline constexpr char lstmUpdate[] = "popnn.lstmUpdate";

enum class Recomputation : std::uint8_t { None, CellAndTanh, Full };

struct LstmOf : CellOf {
  enum Present : std::uint32_t {
    HasIntermediates = 1,
    HasLengths = 2,
    HasInputWeights = 4,
    HasInput = 8,
    HasOutput = 16,
    HasLastOutput = 32,
    HasLastCell = 64,
    WantsInputGradient = 128,
    WantsGateGradients = 256,
    WantsWeightGradients = 512,
  };
  Recomputation recomputation = Recomputation::None;
  bool preserveFinalState = false, useInput = true;

  LstmOf() : CellOf(BASIC_LSTM_CELL_NUM_UNITS) {}

  // Intermediates are gates as in the weights, cell state, activated cell state, output; those that
  // the recomputation mode or the output sequence saves left out.
  unsigned keptGates() const { return recomputation == Recomputation::Full ? 0 : 4; }
  unsigned keptCells() const { return recomputation == Recomputation::None ? 2 : 0; }
  unsigned kept() const { return keptGates() + keptCells() + (fullSequence ? 0 : 1); }

  std::string write() const {
    auto w = begin();
    w.put(recomputation).put(fullSequence).put(preserveFinalState).put(useInput).put(isHalf);
    return w.put(present).take();
  }
  static LstmOf read(std::string_view bytes) {
    openipu::AttributeReader r(bytes);
    LstmOf s;
    s.begin(r);
    s.recomputation = r.get<Recomputation>();
    for (auto *flag : {&s.fullSequence, &s.preserveFinalState, &s.useInput, &s.isHalf})
      *flag = r.get<bool>();
    s.present = r.get<std::uint32_t>();
    return s;
  }
};

} // namespace popnn::kernels
