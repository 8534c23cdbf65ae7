// SPDX-License-Identifier: MIT
// The three kernels of a GRU layer: operands become plain floats, GruSteps.cpp does the rest.
#include "popnn/kernels/Gru.hpp"
#include "gru/GruSteps.hpp"
#include "rnn/Operands.hpp"
#include <utility>

namespace popnn::gru {

using openipu::KernelArgs;
using poplin::dense::Floats;
using poplin::dense::FloatsOut;
using rnn::dataOf;
using rnn::floatsIf;

namespace {

void runForward(const KernelArgs &args) {
  const Shape s(args);
  if (rnn::writesNothing(args))
    return;
  rnn::Operands outs(args.outputs), ins(args.inputs);
  const FloatsOut output(outs.next());
  FloatsOut intermediates;
  if (s.present & Shape::HasIntermediates)
    intermediates = FloatsOut(outs.next());
  const Floats x(ins.next()), h0(ins.next());
  const rnn::LayerWeights layer(ins, true);
  const auto attention = floatsIf(ins.nextIf(s.present & Shape::HasAttention));
  const rnn::Lengths lengths(ins.nextIf(s.present & Shape::HasLengths), s.batch, s.steps);
  Trace trace;
  if (s.present & Shape::HasIntermediates)
    trace = traceOf(s, intermediates.data());
  if (s.fullSequence)
    trace.output = {output.data(), s.out};
  forward(s, lengths, x.data(), layer.weights(), h0.data(), dataOf(attention), trace,
          s.fullSequence ? nullptr : output.data());
  output.flush();
  intermediates.flush();
}

// Intermediates and output sequence of the forward pass; only read.
Trace traceFrom(const Shape &s, const float *kept, const float *outputs) {
  Trace trace = traceOf(s, const_cast<float *>(kept));
  if (outputs)
    trace.output = {const_cast<float *>(outputs), s.out};
  return trace;
}

void updateWeights(const Shape &s, rnn::Operands &outs, const float *gradients, const float *x,
                   const float *h0, const Trace &trace) {
  const rnn::LayerGradients to(outs, true);
  weightGradients(s, gradients, x, h0, trace, to.input.data(), to.output.data(), to.biases.data());
  to.flush();
}

void runBackward(const KernelArgs &args) {
  const Shape s(args);
  rnn::Operands outs(args.outputs), ins(args.inputs);
  const FloatsOut dh(outs.next());
  FloatsOut dx, dGates, dAttention;
  if (s.present & Shape::WantsInputGradient)
    dx = FloatsOut(outs.next());
  if (s.present & Shape::WantsGateGradients)
    dGates = FloatsOut(outs.next());
  if (s.present & Shape::WantsAttentionGradient)
    dAttention = FloatsOut(outs.next());
  const Floats h0(ins.next()), kept(ins.next());
  const rnn::LayerWeights layer(ins, true);
  const Floats x(ins.next()), dy(ins.next());
  const auto y = floatsIf(ins.nextIf(s.present & Shape::HasOutput)),
             attention = floatsIf(ins.nextIf(s.present & Shape::HasAttention));
  const rnn::Lengths lengths(ins.nextIf(s.present & Shape::HasLengths), s.batch, s.steps);

  const auto trace = traceFrom(s, kept.data(), dataOf(y));
  std::vector<float> own;
  float *gates = dGates.data();
  if (!gates) {
    own.resize(s.rows() * s.gradients() * s.out);
    gates = own.data();
  }
  for (std::size_t k = 0; k < s.batch * s.out; ++k)
    dh.data()[k] = s.fullSequence ? 0 : dy[k];
  backward(s, lengths, layer.weights(), h0.data(), dataOf(attention), trace,
           {gates, dh.data(), s.fullSequence ? dy.data() : nullptr, dAttention.data()});
  if (s.present & Shape::WantsInputGradient)
    rnn::inputGradient(s, gates, s.gradients() * s.out, layer.input.data(), dx.data());
  if (s.present & Shape::WantsWeightGradients)
    updateWeights(s, outs, gates, x.data(), h0.data(), trace);
  for (const auto *result :
       {&dh, &std::as_const(dx), &std::as_const(dGates), &std::as_const(dAttention)})
    result->flush();
}

void runUpdate(const KernelArgs &args) {
  const Shape s(args);
  rnn::Operands outs(args.outputs), ins(args.inputs);
  const Floats h0(ins.next()), kept(ins.next()), gates(ins.next()), x(ins.next());
  const auto y = floatsIf(ins.nextIf(s.present & Shape::HasOutput));
  updateWeights(s, outs, gates.data(), x.data(), h0.data(), traceFrom(s, kept.data(), dataOf(y)));
}

const openipu::Registered registeredForward{
    {.name = kernels::gruForward, .run = runForward, .givesFloats = openipu::alwaysGivesFloats}};
const openipu::Registered registeredBackward{
    {.name = kernels::gruBackward, .run = runBackward, .givesFloats = openipu::alwaysGivesFloats}};
const openipu::Registered registeredUpdate{
    {.name = kernels::gruUpdate, .run = runUpdate, .givesFloats = openipu::alwaysGivesFloats}};

} // namespace

} // namespace popnn::gru
