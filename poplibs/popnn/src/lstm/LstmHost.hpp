// SPDX-License-Identifier: MIT
// The arithmetic of an LSTM layer on plain floats, whole sequences at a time. Rows are (step,
// element of the batch) pairs in that order.
#pragma once
#include "popnn/LstmDef.hpp"
#include "rnn/Cell.hpp"

namespace popnn::lstm {

enum class Recomputation : std::uint8_t { None, CellAndTanh, Full };

using rnn::Column;
using rnn::Weights;

// What a kernel must know.
struct Shape : rnn::CellShape {
  Shape() : CellShape(BASIC_LSTM_CELL_NUM_UNITS) {}
  Recomputation recomputation = Recomputation::None;
  bool preserveFinalState = false, useInput = true;

  // Intermediates are [steps][batch][kept][out]: gates as in the weights, cell state, activated
  // cell state, output; those that the recomputation mode or the output sequence saves left out.
  unsigned keptGates() const { return recomputation == Recomputation::Full ? 0 : 4; }
  unsigned keptCells() const { return recomputation == Recomputation::None ? 2 : 0; }
  unsigned kept() const { return keptGates() + keptCells() + (fullSequence ? 0 : 1); }
};

struct Trace {
  Column gates, cell, squashed, output;
};
// The parts of an intermediates tensor that are there.
Trace traceOf(const Shape &shape, float *intermediates);

struct State {
  const float *output = nullptr, *cell = nullptr; // [batch][out]
};

// Runs the steps; fills what `trace` has room for, and the final state [batch][out].
void forward(const Shape &shape, const rnn::Lengths &lengths, const float *x,
             const Weights &weights, const State &initial, const Trace &trace, float *finalOutput,
             float *finalCell);

// What of the trace is missing, from what is there: gates from inputs and outputs, cell states from
// gates. The returned columns point into `memory` or into the given trace.
Trace complete(const Shape &shape, const rnn::Lengths &lengths, const float *x,
               const Weights &weights, const State &initial, const Trace &trace,
               std::vector<float> &memory);

struct Gradients {
  float *gates = nullptr;                   // [rows][4 out]
  float *output = nullptr, *cell = nullptr; // [batch][out]: of the final, then initial state
  const float *outputs = nullptr;           // [rows][out], or [batch][out] of the last step only
};
// `output` and `cell` hold the gradient of the final state at entry.
void backward(const Shape &shape, const rnn::Lengths &lengths, const Weights &weights,
              const State &initial, const Trace &trace, const Gradients &gradients);

void inputGradient(const Shape &shape, const float *gateGradients, const float *inputWeights,
                   float *gradient);

// Gradients of the weights, in the layout of Weights. `outputs`: of all steps.
void weightGradients(const Shape &shape, const float *gateGradients, const float *x,
                     const float *initialOutput, const Column &outputs, float *input, float *output,
                     float *biases);

} // namespace popnn::lstm
