// SPDX-License-Identifier: MIT
// The arithmetic of an LSTM layer on plain floats, whole sequences at a time. Rows are (step,
// element of the batch) pairs in that order.
#pragma once
#include "popnn/kernels/Lstm.hpp"
#include "rnn/Cell.hpp"

namespace popnn::lstm {

using rnn::Column;
using rnn::Weights;

using Shape = rnn::Called<kernels::LstmOf>;

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

// `outputs`: of all steps.
void weightGradients(const Shape &shape, const float *gateGradients, const float *x,
                     const float *initialOutput, const Column &outputs,
                     const rnn::WeightGradients &to);

} // namespace popnn::lstm
