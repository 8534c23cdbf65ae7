// SPDX-License-Identifier: MIT
// The three kernels of a GRU layer: operands become plain floats, GruSteps.cpp does the rest.
#include "popnn/kernels/Gru.hpp"
#include "gru/GruSteps.hpp"
#include "rnn/Operands.hpp"

namespace popnn::gru {

using openipu::KernelArgs;

namespace {

void runForward(const KernelArgs &args) {
  const Shape s(args);
  if (rnn::writesNothing(args))
    return;
  rnn::Operands o(args, s.present);
  float *output = o.out(), *intermediates = o.outIf(Shape::HasIntermediates);
  const float *x = o.in(), *h0 = o.in();
  const auto weights = o.weights(true);
  const float *attention = o.inIf(Shape::HasAttention);
  const auto lengths = o.lengthsIf(Shape::HasLengths, s);
  Trace trace;
  if (intermediates)
    trace = traceOf(s, intermediates);
  if (s.fullSequence)
    trace.output = {output, s.out};
  forward(s, lengths, x, weights, h0, attention, trace, s.fullSequence ? nullptr : output);
  o.flush();
}

// Intermediates and output sequence of the forward pass; only read.
Trace traceFrom(const Shape &s, const float *kept, const float *outputs) {
  Trace trace = traceOf(s, const_cast<float *>(kept));
  if (outputs)
    trace.output = {const_cast<float *>(outputs), s.out};
  return trace;
}

void runBackward(const KernelArgs &args) {
  const Shape s(args);
  rnn::Operands o(args, s.present);
  const auto row = s.gradients() * s.out;
  float *dh = o.out(), *dx = o.outIf(Shape::WantsInputGradient),
        *gates = o.outOrScratch(Shape::WantsGateGradients, s.rows() * row),
        *dAttention = o.outIf(Shape::WantsAttentionGradient);
  const float *h0 = o.in(), *kept = o.in();
  const auto weights = o.weights(true);
  const float *x = o.in(), *dy = o.in(), *y = o.inIf(Shape::HasOutput),
              *attention = o.inIf(Shape::HasAttention);
  const auto lengths = o.lengthsIf(Shape::HasLengths, s);

  const auto trace = traceFrom(s, kept, y);
  for (std::size_t k = 0; k < s.batch * s.out; ++k)
    dh[k] = s.fullSequence ? 0 : dy[k];
  backward(s, lengths, weights, h0, attention, trace,
           {gates, dh, s.fullSequence ? dy : nullptr, dAttention});
  if (dx)
    rnn::inputGradient(s, gates, row, weights.input, dx);
  if (o.has(Shape::WantsWeightGradients))
    weightGradients(s, gates, x, h0, trace, o.weightGradients(true));
  o.flush();
}

void runUpdate(const KernelArgs &args) {
  const Shape s(args);
  rnn::Operands o(args, s.present);
  const float *h0 = o.in(), *kept = o.in(), *gates = o.in(), *x = o.in(),
              *y = o.inIf(Shape::HasOutput);
  weightGradients(s, gates, x, h0, traceFrom(s, kept, y), o.weightGradients(true));
  o.flush();
}

const openipu::Registered registeredForward{
    {.name = kernels::gruForward, .run = runForward, .givesFloats = openipu::alwaysGivesFloats}};
const openipu::Registered registeredBackward{
    {.name = kernels::gruBackward, .run = runBackward, .givesFloats = openipu::alwaysGivesFloats}};
const openipu::Registered registeredUpdate{
    {.name = kernels::gruUpdate, .run = runUpdate, .givesFloats = openipu::alwaysGivesFloats}};

} // namespace

} // namespace popnn::gru
