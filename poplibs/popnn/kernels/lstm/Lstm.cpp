// SPDX-License-Identifier: MIT
// The three kernels of an LSTM layer: operands become plain floats, LstmSteps.cpp does the rest.
#include "popnn/kernels/Lstm.hpp"
#include "lstm/LstmSteps.hpp"
#include "rnn/Operands.hpp"

namespace popnn::lstm {

using openipu::KernelArgs;

namespace {

void runForward(const KernelArgs &args) {
  const Shape s(args);
  if (rnn::writesNothing(args))
    return;
  rnn::Operands o(args, s.present);
  float *output = o.out(), *cell = o.out(), *intermediates = o.outIf(Shape::HasIntermediates);
  const float *x = o.in(), *h0 = o.in(), *c0 = o.in();
  const auto weights = o.weights(o.has(Shape::HasInputWeights));
  const auto lengths = o.lengthsIf(Shape::HasLengths, s);
  Trace trace;
  if (intermediates)
    trace = traceOf(s, intermediates);
  if (s.fullSequence)
    trace.output = {output, s.out};
  forward(s, lengths, x, weights, {h0, c0}, trace, s.fullSequence ? nullptr : output, cell);
  o.flush();
}

// Gradient of the final state: what the caller gave, or nothing.
void start(const float *given, float *gradient, std::size_t n) {
  if (given)
    std::copy_n(given, n, gradient);
  else
    std::fill_n(gradient, n, 0.f);
}

// Intermediates and output sequence of the forward pass, as far as they are there; only read.
Trace traceFrom(const Shape &s, const float *kept, const float *outputs) {
  Trace trace;
  if (kept)
    trace = traceOf(s, const_cast<float *>(kept));
  if (outputs)
    trace.output = {const_cast<float *>(outputs), s.out};
  return trace;
}

void runBackward(const KernelArgs &args) {
  const Shape s(args);
  rnn::Operands o(args, s.present);
  float *dh = o.out(), *dc = o.out(), *dx = o.outIf(Shape::WantsInputGradient),
        *gates = o.outOrScratch(Shape::WantsGateGradients, s.rows() * s.width());
  const float *h0 = o.in(), *c0 = o.in(), *kept = o.inIf(Shape::HasIntermediates);
  const bool hasInputWeights = o.has(Shape::HasInputWeights);
  const auto weights = o.weights(hasInputWeights);
  const float *x = o.inIf(Shape::HasInput), *y = o.inIf(Shape::HasOutput), *dy = o.in(),
              *lastOutput = o.inIf(Shape::HasLastOutput), *lastCell = o.inIf(Shape::HasLastCell);
  const auto lengths = o.lengthsIf(Shape::HasLengths, s);

  std::vector<float> memory;
  const auto trace = complete(s, lengths, x, weights, {h0, c0}, traceFrom(s, kept, y), memory);
  start(lastOutput, dh, s.batch * s.out);
  start(lastCell, dc, s.batch * s.out);
  backward(s, lengths, weights, {h0, c0}, trace, {gates, dh, dc, dy});
  if (dx)
    inputGradient(s, gates, weights.input, dx);
  if (o.has(Shape::WantsWeightGradients))
    weightGradients(s, gates, x, h0, trace.output, o.weightGradients(hasInputWeights));
  o.flush();
}

void runUpdate(const KernelArgs &args) {
  const Shape s(args);
  rnn::Operands o(args, s.present);
  const float *h0 = o.in(), *gates = o.in(), *kept = o.inIf(Shape::HasIntermediates),
              *x = o.inIf(Shape::HasInput), *y = o.inIf(Shape::HasOutput);
  weightGradients(s, gates, x, h0, traceFrom(s, kept, y).output,
                  o.weightGradients(o.has(Shape::HasInputWeights)));
  o.flush();
}

const openipu::Registered registeredForward{
    {.name = kernels::lstmForward, .run = runForward, .givesFloats = openipu::alwaysGivesFloats}};
const openipu::Registered registeredBackward{
    {.name = kernels::lstmBackward, .run = runBackward, .givesFloats = openipu::alwaysGivesFloats}};
const openipu::Registered registeredUpdate{
    {.name = kernels::lstmUpdate, .run = runUpdate, .givesFloats = openipu::alwaysGivesFloats}};

} // namespace

} // namespace popnn::lstm
