// SPDX-License-Identifier: MIT
// HostCall: what the host makes of the inputs. The program stops, sends them, and waits for the
// outputs; Session::connectHostFunction says who computes them, by the attribute `handle`.
//   types, shapes, ranks   of the outputs: numbers in DataType, and all extents one after the other
#include "lowering/lowering.hpp"
#include "ops/core/elementwise.hpp"

namespace popart::ops {

namespace {

Infos infer(const OpView &op) {
  Infos out;
  const Integers types = op.integers("types"), ranks = op.integers("ranks");
  const Integers extents = op.integers("shapes", {});
  auto next = extents.begin();
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto rank = ranks.at(i);
    if (rank < 0 || rank > extents.end() - next)
      op.fail("the shapes ", ir::text(extents), " are not those of tensors with ", ir::text(ranks),
              " dimensions.");
    out.emplace_back(DataType(types[i]), Shape(next, next + rank));
    next += rank;
  }
  return out;
}

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
  op.infer = infer;
  op.lower = lower;
  op.noGradient = "the host computes it";
  return op;
}

} // namespace popart::ops
