// SPDX-License-Identifier: MIT
// A GRU layer (RecurrentCell.hpp). Operands in brackets are there if the attributes say so.
// Biases are [3, 2, out] with resetAfter; attention is [steps, batch].
//   gruForward
//     outputs: output [steps, batch, out], or the last one [batch, out];
//              [intermediates [steps, batch, kept, out]]
//     inputs:  x [steps, batch, in]; initial output [batch, out]; weights of the input, of the
//              state, biases; [attention]; [lengths]
//   gruBackward
//     outputs: gradient of the initial output; [of x]; [of the units' sums
//              [steps, batch, gradients, out]]; [of the attention]; [of the weights]
//     inputs:  initial output; intermediates; weights as above; x; gradient of the output;
//              [output]; [attention]; [lengths]
//   gruUpdate
//     outputs: gradients of the weights
//     inputs:  initial output; intermediates; gradients of the units' sums; x; [output]
#pragma once
#include "popnn/GruDef.hpp"
#include "popnn/kernels/RecurrentCell.hpp"

namespace popnn::kernels {

inline constexpr char gruForward[] = "popnn.gruForward";
inline constexpr char gruBackward[] = "popnn.gruBackward";
inline constexpr char gruUpdate[] = "popnn.gruUpdate";

struct GruOf : CellOf {
  enum Present : std::uint32_t {
    HasIntermediates = 1,
    HasLengths = 2,
    HasAttention = 4,
    HasOutput = 8,
    WantsInputGradient = 16,
    WantsGateGradients = 32,
    WantsWeightGradients = 64,
    WantsAttentionGradient = 128,
  };
  bool resetAfter = false;

  GruOf() : CellOf(BASIC_GRU_CELL_NUM_UNITS) {}

  // Intermediates are gates as in the weights (the update gate before attention), the state's part
  // of the candidate with resetAfter, the output if nobody else has it.
  unsigned kept() const { return 3 + (resetAfter ? 1 : 0) + (fullSequence ? 0 : 1); }
  // Gradients of the units' sums, and with resetAfter of the state's part of the candidate.
  unsigned gradients() const { return resetAfter ? 4 : 3; }

  std::string write() const {
    return begin().put(fullSequence).put(resetAfter).put(isHalf).put(present).take();
  }
  static GruOf read(std::string_view bytes) {
    openipu::AttributeReader r(bytes);
    GruOf s;
    s.begin(r);
    for (auto *flag : {&s.fullSequence, &s.resetAfter, &s.isHalf})
      *flag = r.get<bool>();
    s.present = r.get<std::uint32_t>();
    return s;
  }
};

} // namespace popnn::kernels
