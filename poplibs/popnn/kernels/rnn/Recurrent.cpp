// SPDX-License-Identifier: MIT
#include "popnn/kernels/Recurrent.hpp"
#include "rnn/Gates.hpp"
#include "rnn/Operands.hpp"

namespace popnn::rnn {
namespace {

using kernels::RnnOf;
using openipu::KernelArgs;
using poplin::dense::Floats;
using poplin::dense::FloatsOut;

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

void runForward(const KernelArgs &args) {
  const auto a = RnnOf::read(args.attributes);
  Operands ins(args.inputs);
  const FloatsOut y(args.outputs[0]);
  const auto &shape = args.outputs[0].shape;
  const std::size_t steps = shape[0], batch = shape[1], out = shape[2];
  const auto &first = ins.next();
  const Floats x(first);
  if (a.present & RnnOf::FromInput) {
    const Floats w(ins.next());
    const auto in = first.shape[2];
    multiply(steps * batch, out, in, matrix(x.data(), in), matrix(w.data(), out),
             matrix(y.data(), out));
  } else {
    std::copy_n(x.data(), steps * batch * out, y.data());
  }
  if (a.present & RnnOf::Iterates) {
    const Floats h(ins.next()), u(ins.next()), b(ins.next());
    iterate(a.activation, steps, batch, out, h.data(), u.data(), b.data(),
            first.type == openipu::TypeId::Half ? &args.rounding : nullptr, y.data());
  }
  y.flush();
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
  Operands outs(args.outputs), ins(args.inputs);
  const auto &dyOperand = ins.next();
  const auto *rounding = dyOperand.type == openipu::TypeId::Half ? &args.rounding : nullptr;
  const std::size_t steps = dyOperand.shape[0], batch = dyOperand.shape[1],
                    out = dyOperand.shape[2];
  const Floats dy(dyOperand), y(ins.next()), u(ins.next());
  Floats after, w, x, h0;
  if (a.present & RnnOf::HasState)
    after = Floats(ins.next());
  std::vector<float> own(steps * batch * out);
  iterateBack(a.activation, steps, batch, out, dy.data(), y.data(), u.data(), after.data(),
              rounding, own.data());
  if (a.present & RnnOf::WantsState) {
    const FloatsOut state(outs.next());
    std::copy(own.begin(), own.end(), state.data());
    state.flush();
  }
  if (a.present & RnnOf::WantsInput) {
    w = Floats(ins.next());
    const auto &dxOperand = outs.next();
    const FloatsOut dx(dxOperand);
    const auto in = dxOperand.shape.back();
    multiply(steps * batch, in, out, matrix(own.data(), out), matrix(w.data(), out).transposed(),
             matrix(dx.data(), in));
    dx.flush();
  }
  if (a.present & RnnOf::WantsWeights) {
    const auto &xOperand = ins.next();
    x = Floats(xOperand);
    h0 = Floats(ins.next());
    const auto in = xOperand.shape[2], first = std::min<std::size_t>(steps, 1) * batch;
    const FloatsOut dw(outs.next()), du(outs.next()), db(outs.next());
    addDeltas(own.data(), x.data(), nullptr, steps * batch, in, out, false, dw.data(), nullptr);
    addDeltas(own.data(), nullptr, h0.data(), first, in, out, false, nullptr, du.data());
    if (steps > 1)
      addDeltas(own.data() + first * out, nullptr, y.data(), steps * batch - first, in, out, true,
                nullptr, du.data());
    sumRows(own.data(), steps * batch, out, out, db.data());
    for (const auto *result : {&dw, &du, &db})
      result->flush();
  }
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
