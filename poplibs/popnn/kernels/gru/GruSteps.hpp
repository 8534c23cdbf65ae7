// SPDX-License-Identifier: MIT
// The arithmetic of a GRU layer on plain floats, whole sequences at a time. Rows are (step, element
// of the batch) pairs in that order.
#pragma once
#include "popnn/kernels/Gru.hpp"
#include "rnn/Cell.hpp"

namespace popnn::gru {

using rnn::Column;
using rnn::Weights; // biases: [3][out], or [3][2][out] with resetAfter

using Shape = rnn::Called<kernels::GruOf>;

struct Trace {
  Column gates, recurrent, output;
};
Trace traceOf(const Shape &shape, float *intermediates);

// `attention`: null or [steps][batch]. Fills what `trace` has room for, and the final output.
void forward(const Shape &shape, const rnn::Lengths &lengths, const float *x,
             const Weights &weights, const float *initial, const float *attention,
             const Trace &trace, float *finalOutput);

struct Gradients {
  float *rows = nullptr;          // [rows][gradients()][out]
  float *output = nullptr;        // [batch][out]: of the final, then of the initial output
  const float *outputs = nullptr; // [rows][out], with a full sequence
  float *attention = nullptr;     // [steps][batch]
};
void backward(const Shape &shape, const rnn::Lengths &lengths, const Weights &weights,
              const float *initial, const float *attention, const Trace &trace,
              const Gradients &gradients);

void weightGradients(const Shape &shape, const float *gradients, const float *x,
                     const float *initial, const Trace &trace, const rnn::WeightGradients &to);

} // namespace popnn::gru
