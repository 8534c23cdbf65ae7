// SPDX-License-Identifier: MIT
// The three kernels of an LSTM layer: operands become plain floats, LstmSteps.cpp does the rest.
#include "popnn/kernels/Lstm.hpp"
#include "lstm/LstmSteps.hpp"
#include "rnn/Operands.hpp"
#include <utility>

namespace popnn::lstm {

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
  FloatsOut output(outs.next()), cell(outs.next()), intermediates;
  if (s.present & Shape::HasIntermediates)
    intermediates = FloatsOut(outs.next());
  const Floats x(ins.next()), h0(ins.next()), c0(ins.next());
  const rnn::LayerWeights layer(ins, s.present & Shape::HasInputWeights);
  const rnn::Lengths lengths(ins.nextIf(s.present & Shape::HasLengths), s.batch, s.steps);
  Trace trace;
  if (s.present & Shape::HasIntermediates)
    trace = traceOf(s, intermediates.data());
  if (s.fullSequence)
    trace.output = {output.data(), s.out};
  forward(s, lengths, x.data(), layer.weights(), {h0.data(), c0.data()}, trace,
          s.fullSequence ? nullptr : output.data(), cell.data());
  output.flush();
  cell.flush();
  intermediates.flush();
}

// Gradient of the final state: what the caller gave, or nothing.
void start(const float *given, float *gradient, std::size_t n) {
  if (given)
    std::copy_n(given, n, gradient);
  else
    std::fill_n(gradient, n, 0.f);
}

// Gradients of the weights into the three outputs that come next.
void updateWeights(const Shape &s, rnn::Operands &outs, const float *gateGradients, const float *x,
                   const float *h0, const Column &outputs, bool input) {
  const rnn::LayerGradients to(outs, input);
  weightGradients(s, gateGradients, x, h0, outputs, to.input.data(), to.output.data(),
                  to.biases.data());
  to.flush();
}

void runBackward(const KernelArgs &args) {
  const Shape s(args);
  rnn::Operands outs(args.outputs), ins(args.inputs);
  const FloatsOut dh(outs.next()), dc(outs.next());
  FloatsOut dx, dGates;
  if (s.present & Shape::WantsInputGradient)
    dx = FloatsOut(outs.next());
  if (s.present & Shape::WantsGateGradients)
    dGates = FloatsOut(outs.next());
  const Floats h0(ins.next()), c0(ins.next());
  const auto kept = floatsIf(ins.nextIf(s.present & Shape::HasIntermediates));
  const rnn::LayerWeights layer(ins, s.present & Shape::HasInputWeights);
  const auto x = floatsIf(ins.nextIf(s.present & Shape::HasInput)),
             y = floatsIf(ins.nextIf(s.present & Shape::HasOutput));
  const Floats dy(ins.next());
  const auto lastOutput = floatsIf(ins.nextIf(s.present & Shape::HasLastOutput)),
             lastCell = floatsIf(ins.nextIf(s.present & Shape::HasLastCell));
  const rnn::Lengths lengths(ins.nextIf(s.present & Shape::HasLengths), s.batch, s.steps);

  const State initial{h0.data(), c0.data()};
  Trace trace = traceOf(s, const_cast<float *>(dataOf(kept))); // only read
  if (y)
    trace.output = {const_cast<float *>(y->data()), s.out};
  std::vector<float> memory, own;
  trace = complete(s, lengths, dataOf(x), layer.weights(), initial, trace, memory);
  float *gates = dGates.data();
  if (!gates) {
    own.resize(s.rows() * s.width());
    gates = own.data();
  }
  start(dataOf(lastOutput), dh.data(), s.batch * s.out);
  start(dataOf(lastCell), dc.data(), s.batch * s.out);
  backward(s, lengths, layer.weights(), initial, trace, {gates, dh.data(), dc.data(), dy.data()});
  if (s.present & Shape::WantsInputGradient)
    inputGradient(s, gates, layer.weights().input, dx.data());
  if (s.present & Shape::WantsWeightGradients)
    updateWeights(s, outs, gates, dataOf(x), h0.data(), trace.output,
                  s.present & Shape::HasInputWeights);
  for (const auto *result : {&dh, &dc, &std::as_const(dx), &std::as_const(dGates)})
    result->flush();
}

void runUpdate(const KernelArgs &args) {
  const Shape s(args);
  rnn::Operands outs(args.outputs), ins(args.inputs);
  const Floats h0(ins.next()), gates(ins.next());
  const auto kept = floatsIf(ins.nextIf(s.present & Shape::HasIntermediates));
  const auto x = floatsIf(ins.nextIf(s.present & Shape::HasInput)),
             y = floatsIf(ins.nextIf(s.present & Shape::HasOutput));
  Column outputs{const_cast<float *>(dataOf(y)), s.out}; // only read
  if (!y)
    outputs = traceOf(s, const_cast<float *>(dataOf(kept))).output;
  updateWeights(s, outs, gates.data(), dataOf(x), h0.data(), outputs,
                s.present & Shape::HasInputWeights);
}

const openipu::Registered registeredForward{
    {.name = kernels::lstmForward, .run = runForward, .givesFloats = openipu::alwaysGivesFloats}};
const openipu::Registered registeredBackward{
    {.name = kernels::lstmBackward, .run = runBackward, .givesFloats = openipu::alwaysGivesFloats}};
const openipu::Registered registeredUpdate{
    {.name = kernels::lstmUpdate, .run = runUpdate, .givesFloats = openipu::alwaysGivesFloats}};

} // namespace

} // namespace popnn::lstm
