// SPDX-License-Identifier: MIT
// The arithmetic of a GRU layer: the inputs of many steps are multiplied at once, then each step is
// one product with the state (two, if the reset gate works before the product) and passes over its
// gates.
#include "gru/GruHost.hpp"
#include "base/Half.hpp"
#include "base/Simd.hpp"

namespace popnn::gru {

namespace {

using rnn::matrix;
using rnn::multiply;
using rnn::Rounded;

constexpr std::size_t chunkValues = std::size_t(1) << 20; // of gates that are not kept: 4 MiB

struct Units {
  Units(const Shape &s, float *row)
      : r(row + s.column[BASIC_GRU_CELL_RESET_GATE] * s.out),
        u(row + s.column[BASIC_GRU_CELL_UPDATE_GATE] * s.out),
        c(row + s.column[BASIC_GRU_CELL_CANDIDATE] * s.out) {}
  float *r, *u, *c;
};
std::size_t candidate(const Shape &s) { return s.column[BASIC_GRU_CELL_CANDIDATE] * s.out; }

OPENIPU_SIMD void product(const float *a, const float *b, float *to, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k)
    to[k] = a[k] * b[k];
}
OPENIPU_SIMD void addProduct(const float *a, const float *b, float *to, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k)
    to[k] += a[k] * b[k];
}
// h := w h + (1 - w) c with w = scale * u
OPENIPU_SIMD void blend(const float *u, float scale, const float *c, float *h, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    const float w = scale * u[k];
    h[k] = w * h[k] + (1 - w) * c[k];
  }
}

void roundIfHalf(const Shape &s, std::size_t row, Rounded what, float *values, std::size_t n) {
  if (s.isHalf)
    rnn::roundToHalf(s.rounding, row, what, values, n);
}

// The two gates' columns of the weights of the state; the candidate's is separate.
void weighGates(const Shape &s, const Weights &w, const float *state, float *gates,
                std::size_t row) {
  for (auto unit : {BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_UPDATE_GATE}) {
    const auto column = s.column[unit] * s.out;
    multiply(s.batch, s.out, s.out, matrix(state, s.out), matrix(w.output + column, s.width()),
             matrix(gates + column, row), 1);
  }
}

// Biases that go to the gates before anything else: [3 out].
std::vector<float> gateBiases(const Shape &s, const float *biases) {
  std::vector<float> b(s.width());
  for (std::size_t unit = 0; unit < 3; ++unit)
    for (std::size_t k = 0; k < s.out; ++k)
      if (!s.resetAfter)
        b[unit * s.out + k] = biases[unit * s.out + k];
      else
        b[unit * s.out + k] =
            biases[2 * unit * s.out + k] +
            (unit == s.column[BASIC_GRU_CELL_CANDIDATE] ? 0 : biases[(2 * unit + 1) * s.out + k]);
  return b;
}
const float *candidateStateBias(const Shape &s, const float *biases) {
  return biases + (2 * std::size_t(s.column[BASIC_GRU_CELL_CANDIDATE]) + 1) * s.out;
}

void weighInputs(const Shape &s, const Weights &w, const std::vector<float> &biases, const float *x,
                 std::size_t first, std::size_t steps, const Column &gates) {
  const auto rows = steps * s.batch;
  rnn::fillRows(gates.data, rows, s.width(), gates.row, biases.data());
  multiply(rows, s.width(), s.in, matrix(x + first * s.batch * s.in, s.in),
           matrix(w.input, s.width()), matrix(gates.data, gates.row), 1);
}

// State and scratch of a step.
struct Running {
  std::vector<float> h, part; // part: r h, or the state's part of the candidate
  Running(const Shape &s, const float *initial)
      : h(initial, initial + s.batch * s.out), part(s.batch * s.out) {}
};

void activateGates(const Shape &s, std::size_t row, float *gates) {
  const Units y(s, gates);
  for (float *gate : {y.r, y.u}) {
    rnn::activate(s.recurrentActivation, gate, s.out);
    roundIfHalf(s, row, gate == y.r ? Rounded::Gates : Rounded::Other, gate, s.out);
  }
}

void finishElement(const Shape &s, std::size_t row, float *gates, float scale, float *h) {
  const Units y(s, gates);
  rnn::activate(s.activation, y.c, s.out);
  roundIfHalf(s, row, Rounded::Candidate, y.c, s.out);
  blend(y.u, scale, y.c, h, s.out);
  roundIfHalf(s, row, Rounded::Output, h, s.out);
}

// One step, the reset gate before the product: two products.
void stepBefore(const Shape &s, const Weights &w, std::size_t t, Running &state, float *gates,
                std::size_t row) {
  weighGates(s, w, state.h.data(), gates, row);
  rnn::forElements(s.batch, 8 * s.out, [&](std::size_t e) {
    float *part = state.part.data() + e * s.out;
    activateGates(s, t * s.batch + e, gates + e * row);
    product(Units(s, gates + e * row).r, state.h.data() + e * s.out, part, s.out);
    roundIfHalf(s, t * s.batch + e, Rounded::Part, part, s.out);
  });
  multiply(s.batch, s.out, s.out, matrix(state.part.data(), s.out),
           matrix(w.output + candidate(s), s.width()), matrix(gates + candidate(s), row), 1);
}

// One step, the reset gate after the product.
void stepAfter(const Shape &s, const Weights &w, std::size_t t, Running &state, float *gates,
               std::size_t row) {
  weighGates(s, w, state.h.data(), gates, row);
  rnn::fillRows(state.part.data(), s.batch, s.out, s.out, candidateStateBias(s, w.biases));
  multiply(s.batch, s.out, s.out, matrix(state.h.data(), s.out),
           matrix(w.output + candidate(s), s.width()), matrix(state.part.data(), s.out), 1);
  rnn::forElements(s.batch, 8 * s.out, [&](std::size_t e) {
    float *part = state.part.data() + e * s.out;
    activateGates(s, t * s.batch + e, gates + e * row);
    roundIfHalf(s, t * s.batch + e, Rounded::Part, part, s.out);
    const Units y(s, gates + e * row);
    addProduct(y.r, part, y.c, s.out);
  });
}

void keep(const Column &column, std::size_t row, const float *values, std::size_t n) {
  if (column.data && values)
    std::copy_n(values, n, column.at(row));
  else if (column.data)
    std::fill_n(column.at(row), n, 0.f);
}

} // namespace

Trace traceOf(const Shape &s, float *data) {
  const auto row = s.kept() * s.out;
  Trace trace;
  trace.gates = {data, row};
  trace.recurrent = {s.resetAfter ? data + 3 * s.out : nullptr, row};
  trace.output = {s.fullSequence ? nullptr : data + (s.kept() - 1) * s.out, row};
  return trace;
}

void forward(const Shape &s, const rnn::Lengths &lengths, const float *x, const Weights &w,
             const float *initial, const float *attention, const Trace &trace, float *finalOutput) {
  Running state(s, initial);
  const auto biases = gateBiases(s, w.biases);
  const std::size_t perStep = std::max<std::size_t>(1, s.batch * s.width());
  const std::size_t chunk = std::max<std::size_t>(1, chunkValues / perStep);
  std::vector<float> own(trace.gates.data ? 0 : std::min<std::size_t>(chunk, s.steps) * perStep);
  for (std::size_t first = 0; first < s.steps; first += chunk) {
    const auto steps = std::min<std::size_t>(chunk, s.steps - first);
    const Column gates = trace.gates.data ? Column{trace.gates.at(first * s.batch), trace.gates.row}
                                          : Column{own.data(), s.width()};
    weighInputs(s, w, biases, x, first, steps, gates);
    for (auto t = first; t < first + steps; ++t) {
      float *now = gates.at((t - first) * s.batch);
      if (t < lengths.loop)
        (s.resetAfter ? stepAfter : stepBefore)(s, w, t, state, now, gates.row);
      rnn::forElements(s.batch, 8 * s.out, [&](std::size_t e) {
        const auto row = t * s.batch + e;
        const bool runs = lengths.runs(e, t);
        float *h = state.h.data() + e * s.out;
        if (runs)
          finishElement(s, row, now + e * gates.row, attention ? 1 - attention[row] : 1, h);
        else
          std::fill_n(now + e * gates.row, s.width(), 0.f);
        keep(trace.recurrent, row, runs ? state.part.data() + e * s.out : nullptr, s.out);
        keep(trace.output, row, runs ? h : nullptr, s.out);
      });
    }
  }
  if (finalOutput)
    std::copy(state.h.begin(), state.h.end(), finalOutput);
}

namespace {

// Gradients of the update gate's and candidate's arguments; dh becomes the part that goes straight
// to the previous output.
void backBlend(const Shape &s, std::size_t row, float *gates, const float *previous, float scale,
               float *dh, float *to, float *attentionGradient) {
  const Units y(s, gates), d(s, to);
  double attention = 0;
  for (std::size_t k = 0; k < s.out; ++k) {
    const float w = scale * y.u[k], dw = dh[k] * (previous[k] - y.c[k]);
    d.u[k] = dw * scale;
    attention -= double(dw) * y.u[k];
    d.c[k] = dh[k] * (1 - w);
    dh[k] *= w;
  }
  rnn::multiplyByGradient(s.recurrentActivation, y.u, d.u, s.out);
  rnn::multiplyByGradient(s.activation, y.c, d.c, s.out);
  roundIfHalf(s, row, Rounded::Gradient, d.u, s.out);
  roundIfHalf(s, row, Rounded::Candidate, d.c, s.out);
  if (attentionGradient)
    *attentionGradient = float(attention);
}

// Gradient of the reset gate's argument, from that of its value.
void backReset(const Shape &s, std::size_t row, float *gates, float *to) {
  const Units y(s, gates), d(s, to);
  rnn::multiplyByGradient(s.recurrentActivation, y.r, d.r, s.out);
  roundIfHalf(s, row, Rounded::Gates, d.r, s.out);
}

// One step backward. `now`: gradient rows of the step; `back`: scratch [batch][out].
struct StepBack {
  const Shape &s;
  const rnn::Lengths &lengths;
  const Weights &w;
  const Trace &trace;
  const Gradients &g;
  const float *initial, *attention;
  std::vector<float> back, sum;

  float *gradient(std::size_t row) const { return g.rows + row * s.gradients() * s.out; }
  const float *previous(std::size_t t, std::size_t e) const {
    return t ? trace.output.at((t - 1) * s.batch + e) : initial + e * s.out;
  }

  void blendAll(std::size_t t) {
    rnn::forElements(s.batch, 16 * s.out, [&](std::size_t e) {
      const auto row = t * s.batch + e;
      float *dh = g.output + e * s.out;
      if (!lengths.runs(e, t)) {
        std::fill_n(gradient(row), s.gradients() * s.out, 0.f);
        if (g.attention)
          g.attention[row] = 0;
        return;
      }
      if (g.outputs)
        for (std::size_t k = 0; k < s.out; ++k)
          dh[k] += g.outputs[row * s.out + k];
      backBlend(s, row, trace.gates.at(row), previous(t, e), attention ? 1 - attention[row] : 1, dh,
                gradient(row), g.attention ? g.attention + row : nullptr);
    });
  }

  // Reset before the product: through the candidate's weights to r h, then to both.
  void resetBefore(std::size_t t) {
    const auto row = s.gradients() * s.out;
    multiply(s.batch, s.out, s.out, matrix(gradient(t * s.batch) + candidate(s), row),
             matrix(w.output + candidate(s), s.width()).transposed(), matrix(back.data(), s.out));
    rnn::forElements(s.batch, 8 * s.out, [&](std::size_t e) {
      if (!lengths.runs(e, t))
        return;
      const auto r = t * s.batch + e;
      const float *through = back.data() + e * s.out;
      product(through, previous(t, e), Units(s, gradient(r)).r, s.out);
      addProduct(through, Units(s, trace.gates.at(r)).r, g.output + e * s.out, s.out);
      backReset(s, r, trace.gates.at(r), gradient(r));
    });
  }

  // Reset after the product: to r and to the product itself.
  void resetAfter(std::size_t t) {
    const auto row = s.gradients() * s.out;
    rnn::forElements(s.batch, 8 * s.out, [&](std::size_t e) {
      if (!lengths.runs(e, t))
        return;
      const auto r = t * s.batch + e;
      const Units y(s, trace.gates.at(r)), d(s, gradient(r));
      float *recurrent = gradient(r) + 3 * s.out;
      product(d.c, trace.recurrent.at(r), d.r, s.out);
      product(d.c, y.r, recurrent, s.out);
      roundIfHalf(s, r, Rounded::Part, recurrent, s.out);
      backReset(s, r, trace.gates.at(r), gradient(r));
    });
    multiply(s.batch, s.out, s.out, matrix(gradient(t * s.batch) + 3 * s.out, row),
             matrix(w.output + candidate(s), s.width()).transposed(), matrix(sum.data(), s.out));
  }

  void run(std::size_t t) {
    blendAll(t);
    if (t >= lengths.loop)
      return;
    std::fill(sum.begin(), sum.end(), 0.f);
    s.resetAfter ? resetAfter(t) : resetBefore(t);
    for (auto unit : {BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_UPDATE_GATE}) {
      const auto column = s.column[unit] * s.out;
      multiply(s.batch, s.out, s.out, matrix(gradient(t * s.batch) + column, s.gradients() * s.out),
               matrix(w.output + column, s.width()).transposed(), matrix(sum.data(), s.out), 1);
    }
    for (std::size_t e = 0; e < s.batch; ++e)
      if (lengths.runs(e, t))
        for (std::size_t k = e * s.out; k < (e + 1) * s.out; ++k)
          g.output[k] += sum[k];
  }
};

} // namespace

void backward(const Shape &s, const rnn::Lengths &lengths, const Weights &w, const float *initial,
              const float *attention, const Trace &trace, const Gradients &g) {
  StepBack step{s, lengths, w, trace, g, initial, attention, {}, {}};
  step.back.resize(s.batch * s.out);
  step.sum.resize(s.batch * s.out);
  for (auto t = std::size_t(s.steps); t-- > 0;)
    step.run(t);
}

void inputGradient(const Shape &s, const float *gradients, const float *inputWeights,
                   float *gradient) {
  multiply(s.rows(), s.in, s.width(), matrix(gradients, s.gradients() * s.out),
           matrix(inputWeights, s.width()).transposed(), matrix(gradient, s.in));
}

namespace {

// to[out][columns] = sum over the steps of previous output^T gradients.
void stateGradient(const Shape &s, const float *gradients, std::size_t columns,
                   const float *initial, const Column &outputs, float *to) {
  const auto first = std::min<std::size_t>(s.steps, 1) * s.batch, row = s.gradients() * s.out;
  multiply(s.out, columns, first, matrix(initial, s.out).transposed(), matrix(gradients, row),
           matrix(to, s.width()));
  if (s.rows() > first)
    multiply(s.out, columns, s.rows() - first, matrix(outputs.data, outputs.row).transposed(),
             matrix(gradients + first * row, row), matrix(to, s.width()), 1);
}

// r h of every row, as the candidate's product saw it.
std::vector<float> resetOutputs(const Shape &s, const float *initial, const Trace &trace) {
  std::vector<float> values(s.rows() * s.out);
  rnn::forElements(s.rows(), s.out, [&](std::size_t row) {
    const float *h = row < s.batch ? initial + row * s.out : trace.output.at(row - s.batch);
    product(Units(s, trace.gates.at(row)).r, h, values.data() + row * s.out, s.out);
    roundIfHalf(s, row, Rounded::Part, values.data() + row * s.out, s.out);
  });
  return values;
}

void biasGradients(const Shape &s, const float *gradients, float *biases) {
  const auto row = s.gradients() * s.out;
  if (!s.resetAfter)
    return rnn::sumRows(gradients, s.rows(), s.width(), row, biases);
  std::vector<float> sums(row);
  rnn::sumRows(gradients, s.rows(), row, row, sums.data());
  for (std::size_t unit = 0; unit < 3; ++unit) {
    const bool isCandidate = unit == s.column[BASIC_GRU_CELL_CANDIDATE];
    std::copy_n(sums.data() + unit * s.out, s.out, biases + 2 * unit * s.out);
    std::copy_n(sums.data() + (isCandidate ? 3 : unit) * s.out, s.out,
                biases + (2 * unit + 1) * s.out);
  }
}

} // namespace

void weightGradients(const Shape &s, const float *gradients, const float *x, const float *initial,
                     const Trace &trace, float *input, float *output, float *biases) {
  const auto row = s.gradients() * s.out, width = s.width();
  multiply(s.in, width, s.rows(), matrix(x, s.in).transposed(), matrix(gradients, row),
           matrix(input, width));
  for (auto unit : {BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_UPDATE_GATE}) {
    const auto column = s.column[unit] * s.out;
    stateGradient(s, gradients + column, s.out, initial, trace.output, output + column);
  }
  if (s.resetAfter) {
    stateGradient(s, gradients + 3 * s.out, s.out, initial, trace.output, output + candidate(s));
  } else {
    const auto reset = resetOutputs(s, initial, trace);
    multiply(s.out, s.out, s.rows(), matrix(reset.data(), s.out).transposed(),
             matrix(gradients + candidate(s), row), matrix(output + candidate(s), width));
  }
  biasGradients(s, gradients, biases);
}

} // namespace popnn::gru
