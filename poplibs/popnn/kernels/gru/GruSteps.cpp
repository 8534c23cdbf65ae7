// SPDX-License-Identifier: MIT
// The arithmetic of a GRU layer: the inputs of many steps are multiplied at once, then each step is
// one product with the state (two, if the reset gate works before the product) and passes over its
// gates.
#include "gru/GruSteps.hpp"
#include "base/Half.hpp"
#include "base/Simd.hpp"

namespace popnn::gru {

namespace {

using rnn::addProduct;
using rnn::matrix;
using rnn::multiply;
using rnn::product;
using rnn::Rounded;

struct Units {
  Units(const Shape &s, float *row)
      : r(row + s.at(BASIC_GRU_CELL_RESET_GATE)), u(row + s.at(BASIC_GRU_CELL_UPDATE_GATE)),
        c(row + s.at(BASIC_GRU_CELL_CANDIDATE)) {}
  float *r, *u, *c;
};
std::size_t candidate(const Shape &s) { return s.at(BASIC_GRU_CELL_CANDIDATE); }

// h := w h + (1 - w) c with w = scale * u
OPENIPU_SIMD void blend(const float *u, float scale, const float *c, float *h, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    const float w = scale * u[k];
    h[k] = w * h[k] + (1 - w) * c[k];
  }
}

// The two gates' columns of the weights of the state; the candidate's is separate.
void weighGates(const Shape &s, const Weights &w, const float *state, float *gates,
                std::size_t row) {
  for (auto unit : {BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_UPDATE_GATE}) {
    const auto column = s.at(unit);
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
    s.roundIfHalf(row, gate == y.r ? Rounded::Gates : Rounded::Other, gate, s.out);
  }
}

void finishElement(const Shape &s, std::size_t row, float *gates, float scale, float *h) {
  const Units y(s, gates);
  rnn::activate(s.activation, y.c, s.out);
  s.roundIfHalf(row, Rounded::Candidate, y.c, s.out);
  blend(y.u, scale, y.c, h, s.out);
  s.roundIfHalf(row, Rounded::Output, h, s.out);
}

// One step, the reset gate before the product: two products.
void stepBefore(const Shape &s, const Weights &w, std::size_t t, Running &state, float *gates,
                std::size_t row) {
  weighGates(s, w, state.h.data(), gates, row);
  rnn::forElements(s.batch, 8 * s.out, [&](std::size_t e) {
    float *part = state.part.data() + e * s.out;
    activateGates(s, t * s.batch + e, gates + e * row);
    product(Units(s, gates + e * row).r, state.h.data() + e * s.out, part, s.out);
    s.roundIfHalf(t * s.batch + e, Rounded::Part, part, s.out);
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
    s.roundIfHalf(t * s.batch + e, Rounded::Part, part, s.out);
    const Units y(s, gates + e * row);
    addProduct(y.r, part, y.c, s.out);
  });
}

// The cell of rnn::forwardSteps.
struct Step {
  static constexpr std::size_t work = 8;
  const Shape &s;
  const Weights &w;
  const float *attention;
  const Trace &trace;
  Running &state;

  void weigh(std::size_t t, float *gates, std::size_t row) const {
    (s.resetAfter ? stepAfter : stepBefore)(s, w, t, state, gates, row);
  }
  void finish(bool runs, std::size_t row, std::size_t element, float *gates) const {
    float *h = state.h.data() + element * s.out;
    if (runs)
      finishElement(s, row, gates, attention ? 1 - attention[row] : 1, h);
    else
      std::fill_n(gates, s.width(), 0.f);
    trace.recurrent.keep(row, runs ? state.part.data() + element * s.out : nullptr, s.out);
    trace.output.keep(row, runs ? h : nullptr, s.out);
  }
};

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
  rnn::forwardSteps(s, lengths, w.input, gateBiases(s, w.biases).data(), x, trace.gates,
                    Step{s, w, attention, trace, state});
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
  s.roundIfHalf(row, Rounded::Gradient, d.u, s.out);
  s.roundIfHalf(row, Rounded::Candidate, d.c, s.out);
  if (attentionGradient)
    *attentionGradient = float(attention);
}

// Gradient of the reset gate's argument, from that of its value.
void backReset(const Shape &s, std::size_t row, float *gates, float *to) {
  const Units y(s, gates), d(s, to);
  rnn::multiplyByGradient(s.recurrentActivation, y.r, d.r, s.out);
  s.roundIfHalf(row, Rounded::Gates, d.r, s.out);
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
        rnn::addRow(g.outputs + row * s.out, dh, s.out);
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
      s.roundIfHalf(r, Rounded::Part, recurrent, s.out);
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
      const auto column = s.at(unit);
      multiply(s.batch, s.out, s.out, matrix(gradient(t * s.batch) + column, s.gradients() * s.out),
               matrix(w.output + column, s.width()).transposed(), matrix(sum.data(), s.out), 1);
    }
    for (std::size_t e = 0; e < s.batch; ++e)
      if (lengths.runs(e, t))
        rnn::addRow(sum.data() + e * s.out, g.output + e * s.out, s.out);
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

namespace {

// r h of every row, as the candidate's product saw it.
std::vector<float> resetOutputs(const Shape &s, const float *initial, const Trace &trace) {
  std::vector<float> values(s.rows() * s.out);
  rnn::forElements(s.rows(), s.out, [&](std::size_t row) {
    const float *h = row < s.batch ? initial + row * s.out : trace.output.at(row - s.batch);
    product(Units(s, trace.gates.at(row)).r, h, values.data() + row * s.out, s.out);
    s.roundIfHalf(row, Rounded::Part, values.data() + row * s.out, s.out);
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
                     const Trace &trace, const rnn::WeightGradients &to) {
  const auto row = s.gradients() * s.out, width = s.width();
  rnn::inputWeightsGradient(s, gradients, row, x, to.input);
  for (auto unit : {BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_UPDATE_GATE}) {
    const auto column = s.at(unit);
    rnn::stateWeightsGradient(s, gradients + column, row, s.out, initial, trace.output,
                              to.output + column);
  }
  if (s.resetAfter) {
    rnn::stateWeightsGradient(s, gradients + 3 * s.out, row, s.out, initial, trace.output,
                              to.output + candidate(s));
  } else {
    const auto reset = resetOutputs(s, initial, trace);
    multiply(s.out, s.out, s.rows(), matrix(reset.data(), s.out).transposed(),
             matrix(gradients + candidate(s), row), matrix(to.output + candidate(s), width));
  }
  biasGradients(s, gradients, to.biases);
}

} // namespace popnn::gru
