// SPDX-License-Identifier: MIT
// HostCall: what the host makes of the inputs. The program stops, sends them, and waits for the
// outputs; Session::connectHostFunction says who computes them, by the attribute `handle`.
//   types, shapes, ranks   of the outputs (ops/shared/declared.hpp)
#include "lowering/lowering.hpp"
#include "ops/shared/declared.hpp"
#include "ops/shared/elementwise.hpp"

namespace popart::ops {

namespace {

using Arguments = std::vector<poplar::Graph::HostFunctionArgument>;

Tensors lower(lowering::Lowering &l, const OpView &op) {
  Arguments takes, gives;
  Tensors inputs, outputs, received;
  for (unsigned i = 0; i < op.inputs(); ++i) {
    inputs.push_back(l.tensor(op.in(i)).flatten());
    takes.emplace_back(inputs.back().elementType(), inputs.back().numElements());
  }
  for (unsigned i = 0; i < op.outputs(); ++i) {
    outputs.push_back(l.newTensor(op.out(i)));
    received.push_back(outputs.back().flatten());
    gives.emplace_back(outputs.back().elementType(), outputs.back().numElements());
  }
  const auto function = l.wholeGraph().addHostFunction(op.text("handle"), takes, gives);
  l.program().add(poplar::program::Call(function, inputs, received, l.name()));
  return outputs;
}

} // namespace

OpDef hostcallOp() {
  OpDef op;
  op.type = "HostCall";
  op.domain = "openipu";
  op.doc = "What a function of the host makes of the inputs.";
  op.in = {0, any};
  op.out = {1, any};
  op.sideEffect = true;
  op.infer = declaredOutputs;
  op.lower = lower;
  op.noGradient = "the host computes it";
  return op;
}

} // namespace popart::ops
