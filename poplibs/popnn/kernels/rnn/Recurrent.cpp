// SPDX-License-Identifier: MIT
#include "popnn/kernels/Recurrent.hpp"
#include "rnn/Gates.hpp"
#include "rnn/Operands.hpp"

namespace popnn::rnn {
namespace {

using kernels::RnnOf;
using openipu::KernelArgs;
using poplin::dense::Floats;

// y[steps][batch][out] = f(y + h U + b) in place, where y holds x W.
void iterate(NonLinearityType type, std::size_t steps, std::size_t batch, std::size_t out,
             const float *initial, const float *feedback, const float *biases,
             const openipu::Rounding *rounding, float *y) {
  const float *h = initial;
  for (std::size_t t = 0; t < steps && batch * out > 0; ++t, h = y, y += batch * out) {
    multiply(batch, out, out, matrix(h, out), matrix(feedback, out), matrix(y, out), 1);
    forElements(batch, 8 * out, [&](std::size_t e) {
      float *row = y + e * out;
      for (std::size_t k = 0; k < out; ++k)
        row[k] += biases[k];
      activate(type, row, out);
      if (rounding)
        roundToHalf(*rounding, t * batch + e, Rounded::Output, row, out);
    });
  }
}

// Of the layer, whose type its first input has.
const openipu::Rounding *roundingIfHalf(const KernelArgs &args) {
  return args.inputs[0].type == openipu::TypeId::Half ? &args.rounding : nullptr;
}

void runForward(const KernelArgs &args) {
  const auto a = RnnOf::read(args.attributes);
  Operands o(args, a.present);
  float *y = o.out();
  const float *x = o.in();
  const auto &shape = args.outputs[0].shape;
  const std::size_t steps = shape[0], batch = shape[1], out = shape[2];
  if (o.has(RnnOf::FromInput)) {
    const auto in = args.inputs[0].shape[2];
    multiply(steps * batch, out, in, matrix(x, in), matrix(o.in(), out), matrix(y, out));
  } else {
    std::copy_n(x, steps * batch * out, y);
  }
  if (o.has(RnnOf::Iterates)) {
    const float *h = o.in(), *u = o.in(), *b = o.in();
    iterate(a.activation, steps, batch, out, h, u, b, roundingIfHalf(args), y);
  }
  o.flush();
}

// state[t] = (dy[t] + state[t+1] U^T) f'(y[t]), from the last step to the first.
void iterateBack(NonLinearityType type, std::size_t steps, std::size_t batch, std::size_t out,
                 const float *dy, const float *y, const float *feedback, const float *after,
                 const openipu::Rounding *rounding, float *state) {
  for (auto t = batch * out > 0 ? steps : 0; t-- > 0;) {
    float *now = state + t * batch * out;
    std::copy_n(dy + t * batch * out, batch * out, now);
    if (after)
      multiply(batch, out, out, matrix(after, out), matrix(feedback, out).transposed(),
               matrix(now, out), 1);
    for (std::size_t e = 0; e < batch; ++e)
      multiplyByGradient(type, y + (t * batch + e) * out, now + e * out, out);
    if (rounding)
      roundToHalf(*rounding, t, Rounded::Gradient, now, batch * out);
    after = now;
  }
}

// Gradients of the weights from states and inputs of `rows` rows, added to or put into `to`.
void addDeltas(const float *state, const float *x, const float *previous, std::size_t rows,
               std::size_t in, std::size_t out, bool add, float *w, float *u) {
  if (w)
    multiply(in, out, rows, matrix(x, in).transposed(), matrix(state, out), matrix(w, out), add);
  if (u)
    multiply(out, out, rows, matrix(previous, out).transposed(), matrix(state, out), matrix(u, out),
             add);
}

void runBackward(const KernelArgs &args) {
  const auto a = RnnOf::read(args.attributes);
  Operands o(args, a.present);
  const float *dy = o.in(), *y = o.in(), *u = o.in(), *after = o.inIf(RnnOf::HasState);
  const auto &shape = args.inputs[0].shape;
  const std::size_t steps = shape[0], batch = shape[1], out = shape[2], rows = steps * batch;
  float *state = o.outOrScratch(RnnOf::WantsState, rows * out);
  iterateBack(a.activation, steps, batch, out, dy, y, u, after, roundingIfHalf(args), state);
  if (o.has(RnnOf::WantsInput)) {
    const auto &w = o.nextIn();
    const auto in = w.shape[0];
    multiply(rows, in, out, matrix(state, out), matrix(o.load(w), out).transposed(),
             matrix(o.out(), in));
  }
  if (o.has(RnnOf::WantsWeights)) {
    const auto &xOperand = o.nextIn();
    const auto in = xOperand.shape[2], first = std::min<std::size_t>(steps, 1) * batch;
    const float *x = o.load(xOperand), *h0 = o.in();
    float *dw = o.out(), *du = o.out(), *db = o.out();
    addDeltas(state, x, nullptr, rows, in, out, false, dw, nullptr);
    addDeltas(state, nullptr, h0, first, in, out, false, nullptr, du);
    if (steps > 1)
      addDeltas(state + first * out, nullptr, y, rows - first, in, out, true, nullptr, du);
    sumRows(state, rows, out, out, db);
  }
  o.flush();
}

void runUpdate(const KernelArgs &args) {
  const Floats state(args.inputs[0]), x(args.inputs[1]), h(args.inputs[2]);
  const std::size_t batch = args.inputs[0].shape[0], out = args.inputs[0].shape[1],
                    in = args.inputs[1].shape[1];
  using poplin::dense::load;
  using poplin::dense::store;
  using poplin::dense::View;
  std::vector<float> w(out * in), u(out * out), b(out), sums(out);
  const View views[] = {View(args.outputs[0]), View(args.outputs[1]), View(args.outputs[2])};
  float *values[] = {w.data(), u.data(), b.data()};
  for (int i = 0; i < 3; ++i)
    load(views[i], values[i]);
  addDeltas(state.data(), x.data(), h.data(), batch, in, out, true, w.data(), u.data());
  sumRows(state.data(), batch, out, out, sums.data());
  for (std::size_t k = 0; k < out; ++k)
    b[k] += sums[k];
  for (int i = 0; i < 3; ++i)
    store(values[i], views[i]);
}

const openipu::Registered registeredForward{
    {.name = kernels::rnnForward, .run = runForward, .givesFloats = openipu::alwaysGivesFloats}};
const openipu::Registered registeredBackward{
    {.name = kernels::rnnBackward, .run = runBackward, .givesFloats = openipu::alwaysGivesFloats}};
const openipu::Registered registeredUpdate{
    {.name = kernels::rnnUpdate, .run = runUpdate, .givesFloats = openipu::alwaysGivesFloats}};

} // namespace
} // namespace popnn::rnn
