// SPDX-License-Identifier: MIT
// The arithmetic of an LSTM layer: the inputs of many steps are multiplied at once, then each step
// is one product with the state and one pass over its gates.
#include "lstm/LstmSteps.hpp"
#include "base/Half.hpp"
#include "base/Simd.hpp"

namespace popnn::lstm {

namespace {

using rnn::matrix;
using rnn::multiply;
using rnn::product;
using rnn::Rounded;

OPENIPU_SIMD void updateCell(const float *f, const float *i, const float *g, const float *c,
                             float *next, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k)
    next[k] = f[k] * c[k] + i[k] * g[k];
}

// Pointers to the four units in a row of gates.
struct Units {
  Units(const Shape &s, float *row)
      : f(row + s.at(BASIC_LSTM_CELL_FORGET_GATE)), i(row + s.at(BASIC_LSTM_CELL_INPUT_GATE)),
        g(row + s.at(BASIC_LSTM_CELL_CANDIDATE)), o(row + s.at(BASIC_LSTM_CELL_OUTPUT_GATE)) {}
  float *f, *i, *g, *o;
};

void activateGates(const Shape &s, std::size_t row, float *gates) {
  const Units u(s, gates);
  for (float *gate : {u.f, u.i, u.o})
    rnn::activate(s.recurrentActivation, gate, s.out);
  rnn::activate(s.activation, u.g, s.out);
  s.roundIfHalf(row, Rounded::Gates, gates, s.width());
}

// c := next cell state; squashed := activation(c)
void stepCell(const Shape &s, std::size_t row, float *gates, float *c, float *squashed) {
  const Units u(s, gates);
  updateCell(u.f, u.i, u.g, c, c, s.out);
  s.roundIfHalf(row, Rounded::Cell, c, s.out);
  std::copy_n(c, s.out, squashed);
  rnn::activate(s.activation, squashed, s.out);
  s.roundIfHalf(row, Rounded::Squashed, squashed, s.out);
}

struct Running {
  std::vector<float> output, cell, squashed;
  Running(const Shape &s, const State &initial)
      : output(initial.output, initial.output + s.batch * s.out),
        cell(initial.cell, initial.cell + s.batch * s.out), squashed(s.batch * s.out) {}
};

// The cell of rnn::forwardSteps.
struct Step {
  static constexpr std::size_t work = 16;
  const Shape &s;
  const Weights &w;
  const Trace &trace;
  Running &state;

  void weigh(std::size_t, float *gates, std::size_t row) const {
    multiply(s.batch, s.width(), s.out, matrix(state.output.data(), s.out),
             matrix(w.output, s.width()), matrix(gates, row), 1);
  }
  void finish(bool runs, std::size_t row, std::size_t element, float *gates) const {
    float *c = state.cell.data() + element * s.out, *h = state.output.data() + element * s.out,
          *squashed = state.squashed.data() + element * s.out;
    if (runs) {
      activateGates(s, row, gates);
      stepCell(s, row, gates, c, squashed);
      product(Units(s, gates).o, squashed, h, s.out);
      s.roundIfHalf(row, Rounded::Output, h, s.out);
    } else {
      std::fill_n(gates, s.width(), 0.f);
    }
    trace.cell.keep(row, runs ? c : nullptr, s.out);
    trace.squashed.keep(row, runs ? squashed : nullptr, s.out);
    trace.output.keep(row, runs ? h : nullptr, s.out);
  }
};

const float *inputWeights(const Shape &s, const Weights &w) {
  return s.useInput ? w.input : nullptr;
}

void finish(const Shape &s, const rnn::Lengths &lengths, const Running &state, float *finalOutput,
            float *finalCell) {
  for (std::size_t e = 0; e < s.batch; ++e) {
    const bool keepIt = !lengths.perElement || s.preserveFinalState || lengths.ranToTheEnd(e);
    for (std::size_t k = e * s.out; k < (e + 1) * s.out; ++k) {
      if (finalOutput)
        finalOutput[k] = keepIt ? state.output[k] : 0;
      finalCell[k] = keepIt ? state.cell[k] : 0;
    }
  }
}

} // namespace

Trace traceOf(const Shape &s, float *data) {
  Trace trace;
  const auto row = s.kept() * s.out;
  auto take = [&](unsigned columns) {
    Column column{columns ? data : nullptr, row};
    data += columns * s.out;
    return column;
  };
  trace.gates = take(s.keptGates());
  trace.cell = take(s.keptCells() / 2);
  trace.squashed = take(s.keptCells() / 2);
  trace.output = take(s.fullSequence ? 0 : 1);
  return trace;
}

void forward(const Shape &s, const rnn::Lengths &lengths, const float *x, const Weights &w,
             const State &initial, const Trace &trace, float *finalOutput, float *finalCell) {
  Running state(s, initial);
  rnn::forwardSteps(s, lengths, inputWeights(s, w), w.biases, x, trace.gates,
                    Step{s, w, trace, state});
  finish(s, lengths, state, finalOutput, finalCell);
}

namespace {

// All gates at once: the outputs of every step are known.
void recomputeGates(const Shape &s, const rnn::Lengths &lengths, const float *x, const Weights &w,
                    const State &initial, const Column &outputs, const Column &gates) {
  rnn::weighInputs(s, inputWeights(s, w), w.biases, x, 0, s.steps, gates);
  const auto first = std::min<std::size_t>(s.steps, 1) * s.batch;
  multiply(first, s.width(), s.out, matrix(initial.output, s.out), matrix(w.output, s.width()),
           matrix(gates.data, gates.row), 1);
  multiply(s.rows() - first, s.width(), s.out, matrix(outputs.data, outputs.row),
           matrix(w.output, s.width()), matrix(gates.at(first), gates.row), 1);
  rnn::forElements(s.rows(), 8 * s.out, [&](std::size_t row) {
    if (lengths.runs(row % s.batch, row / s.batch))
      activateGates(s, row, gates.at(row));
    else
      gates.keep(row, nullptr, s.width());
  });
}

void recomputeCells(const Shape &s, const rnn::Lengths &lengths, const State &initial,
                    const Trace &trace) {
  std::vector<float> cell(initial.cell, initial.cell + s.batch * s.out);
  rnn::forElements(s.batch, s.steps * 8 * s.out, [&](std::size_t e) {
    float *c = cell.data() + e * s.out;
    for (std::size_t t = 0; t < lengths.of(e); ++t) {
      const auto row = t * s.batch + e;
      stepCell(s, row, trace.gates.at(row), c, trace.squashed.at(row));
      trace.cell.keep(row, c, s.out);
    }
  });
}

} // namespace

Trace complete(const Shape &s, const rnn::Lengths &lengths, const float *x, const Weights &w,
               const State &initial, const Trace &given, std::vector<float> &memory) {
  Trace trace = given;
  const std::size_t gates = trace.gates.data ? 0 : s.rows() * s.width(),
                    cells = trace.cell.data ? 0 : s.rows() * s.out;
  memory.resize(gates + 2 * cells);
  if (gates) {
    trace.gates = {memory.data(), s.width()};
    recomputeGates(s, lengths, x, w, initial, trace.output, trace.gates);
  }
  if (cells) {
    trace.cell = {memory.data() + gates, s.out};
    trace.squashed = {memory.data() + gates + cells, s.out};
    recomputeCells(s, lengths, initial, trace);
  }
  return trace;
}

namespace {

// One element of one step: dh and dc come in for the step's results; the gradients of the gates'
// arguments go to `to`, dc becomes that of the previous cell state.
void backElement(const Shape &s, std::size_t row, float *gates, const float *previousCell,
                 const float *squashed, const float *dh, float *dc, float *to) {
  const Units y(s, gates), d(s, to);
  product(dh, y.o, d.g, s.out); // through the activated cell state
  rnn::multiplyByGradient(s.activation, squashed, d.g, s.out);
  rnn::addRow(d.g, dc, s.out);
  product(dh, squashed, d.o, s.out);
  product(dc, previousCell, d.f, s.out);
  product(dc, y.g, d.i, s.out);
  product(dc, y.i, d.g, s.out);
  product(dc, y.f, dc, s.out);
  rnn::multiplyByGradient(s.recurrentActivation, y.o, d.o, s.out);
  rnn::multiplyByGradient(s.recurrentActivation, y.f, d.f, s.out);
  rnn::multiplyByGradient(s.recurrentActivation, y.i, d.i, s.out);
  rnn::multiplyByGradient(s.activation, y.g, d.g, s.out);
  s.roundIfHalf(row, Rounded::Gradient, to, s.width());
}

// Elements whose final state was dropped get no gradient through it; that of the only output goes
// to the last step of each.
void startState(const Shape &s, const rnn::Lengths &lengths, const Gradients &g) {
  for (std::size_t e = 0; e < s.batch; ++e) {
    float *output = g.output + e * s.out;
    if (lengths.perElement && !s.preserveFinalState && !lengths.ranToTheEnd(e)) {
      std::fill_n(output, s.out, 0.f);
      std::fill_n(g.cell + e * s.out, s.out, 0.f);
    }
    if (!s.fullSequence)
      rnn::addRow(g.outputs + e * s.out, output, s.out);
  }
}

} // namespace

void backward(const Shape &s, const rnn::Lengths &lengths, const Weights &w, const State &initial,
              const Trace &trace, const Gradients &g) {
  startState(s, lengths, g);
  std::vector<float> previous(s.batch * s.out);
  for (auto t = std::size_t(s.steps); t-- > 0;) {
    float *now = g.gates + t * s.batch * s.width();
    if (t >= lengths.loop) {
      std::fill_n(now, s.batch * s.width(), 0.f);
      continue;
    }
    rnn::forElements(s.batch, 16 * s.out, [&](std::size_t e) {
      const auto row = t * s.batch + e;
      float *to = now + e * s.width(), *dh = g.output + e * s.out;
      if (!lengths.runs(e, t))
        return void(std::fill_n(to, s.width(), 0.f));
      if (s.fullSequence)
        rnn::addRow(g.outputs + row * s.out, dh, s.out);
      const float *cell = t ? trace.cell.at(row - s.batch) : initial.cell + e * s.out;
      backElement(s, row, trace.gates.at(row), cell, trace.squashed.at(row), dh, g.cell + e * s.out,
                  to);
    });
    multiply(s.batch, s.out, s.width(), matrix(now, s.width()),
             matrix(w.output, s.width()).transposed(), matrix(previous.data(), s.out));
    for (std::size_t e = 0; e < s.batch; ++e)
      if (lengths.runs(e, t))
        std::copy_n(previous.data() + e * s.out, s.out, g.output + e * s.out);
  }
}

void inputGradient(const Shape &s, const float *gateGradients, const float *inputWeights,
                   float *gradient) {
  if (!s.useInput)
    return void(std::fill_n(gradient, s.rows() * s.in, 0.f));
  rnn::inputGradient(s, gateGradients, s.width(), inputWeights, gradient);
}

void weightGradients(const Shape &s, const float *gateGradients, const float *x,
                     const float *initialOutput, const Column &outputs,
                     const rnn::WeightGradients &to) {
  const auto width = s.width();
  if (to.input && s.useInput)
    rnn::inputWeightsGradient(s, gateGradients, width, x, to.input);
  else if (to.input)
    std::fill_n(to.input, s.in * width, 0.f);
  rnn::stateWeightsGradient(s, gateGradients, width, width, initialOutput, outputs, to.output);
  rnn::sumRows(gateGradients, s.rows(), width, width, to.biases);
}

} // namespace popnn::lstm
