// SPDX-License-Identifier: MIT
// The three kernels of a GRU layer: operands become plain floats, GruHost.cpp does the rest.
#include "gru/GruImpl.hpp"
#include "rnn/Operands.hpp"

namespace popnn::gru {

using openipu::KernelArgs;
using poplin::dense::Floats;
using poplin::dense::FloatsOut;
using rnn::dataOf;
using rnn::floatsIf;

void write(openipu::AttributeWriter &writer, const Shape &s) {
  rnn::write(writer, s);
  writer.put(s.fullSequence).put(s.resetAfter).put(s.isHalf);
}

Shape readShape(openipu::AttributeReader &reader, const openipu::Rounding &rounding) {
  Shape s;
  rnn::read(reader, rounding, s);
  for (auto *flag : {&s.fullSequence, &s.resetAfter, &s.isHalf})
    *flag = reader.get<bool>();
  return s;
}

namespace {

void runForward(const KernelArgs &args) {
  openipu::AttributeReader reader(args.attributes);
  const auto s = readShape(reader, args.rounding);
  if (rnn::writesNothing(args))
    return;
  const auto bits = reader.get<std::uint32_t>();
  rnn::Operands outs(args.outputs), ins(args.inputs);
  const FloatsOut output(outs.next());
  FloatsOut intermediates;
  if (bits & HasIntermediates)
    intermediates = FloatsOut(outs.next());
  const Floats x(ins.next()), h0(ins.next());
  const rnn::LayerWeights layer(ins, true);
  const auto attention = floatsIf(ins.nextIf(bits & HasAttention));
  const rnn::Lengths lengths(ins.nextIf(bits & HasLengths), s.batch, s.steps);
  Trace trace;
  if (bits & HasIntermediates)
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
  openipu::AttributeReader reader(args.attributes);
  const auto s = readShape(reader, args.rounding);
  const auto bits = reader.get<std::uint32_t>();
  rnn::Operands outs(args.outputs), ins(args.inputs);
  const FloatsOut dh(outs.next());
  FloatsOut dx, dGates, dAttention;
  if (bits & WantsInputGradient)
    dx = FloatsOut(outs.next());
  if (bits & WantsGateGradients)
    dGates = FloatsOut(outs.next());
  if (bits & WantsAttentionGradient)
    dAttention = FloatsOut(outs.next());
  const Floats h0(ins.next()), kept(ins.next());
  const rnn::LayerWeights layer(ins, true);
  const Floats x(ins.next()), dy(ins.next());
  const auto y = floatsIf(ins.nextIf(bits & HasOutput)),
             attention = floatsIf(ins.nextIf(bits & HasAttention));
  const rnn::Lengths lengths(ins.nextIf(bits & HasLengths), s.batch, s.steps);

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
  if (bits & WantsInputGradient)
    rnn::inputGradient(s, gates, s.gradients() * s.out, layer.input.data(), dx.data());
  if (bits & WantsWeightGradients)
    updateWeights(s, outs, gates, x.data(), h0.data(), trace);
  for (const auto *result :
       {&dh, &std::as_const(dx), &std::as_const(dGates), &std::as_const(dAttention)})
    result->flush();
}

void runUpdate(const KernelArgs &args) {
  openipu::AttributeReader reader(args.attributes);
  const auto s = readShape(reader, args.rounding);
  const auto bits = reader.get<std::uint32_t>();
  rnn::Operands outs(args.outputs), ins(args.inputs);
  const Floats h0(ins.next()), kept(ins.next()), gates(ins.next()), x(ins.next());
  const auto y = floatsIf(ins.nextIf(bits & HasOutput));
  updateWeights(s, outs, gates.data(), x.data(), h0.data(), traceFrom(s, kept.data(), dataOf(y)));
}

const openipu::Registered registeredForward{
    {"popnn.gruForward", runForward, {}, {}, nullptr, openipu::alwaysGivesFloats}};
const openipu::Registered registeredBackward{
    {"popnn.gruBackward", runBackward, {}, {}, nullptr, openipu::alwaysGivesFloats}};
const openipu::Registered registeredUpdate{
    {"popnn.gruUpdate", runUpdate, {}, {}, nullptr, openipu::alwaysGivesFloats}};

} // namespace

} // namespace popnn::gru
