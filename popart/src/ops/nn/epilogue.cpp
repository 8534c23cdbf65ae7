// SPDX-License-Identifier: MIT
#include "ops/nn/epilogue.hpp"

#include "opdef/activations.hpp"

namespace popart::ops {

openipu::Epilogue epilogueOf(lowering::Lowering &l, const OpView &op, std::size_t groups,
                             const std::vector<std::size_t> &shape) {
  openipu::Epilogue out;
  if (op.hasIn(2))
    out.bias = l.tensor(op.in(2)).flatten().broadcast(unsigned(groups), 0);
  if (op.hasIn(3))
    out.addend = l.tensor(op.in(3)).reshape(shape);
  out.activation = activationNamed(op.text("activation", ""));
  return out;
}

OpDef withEpilogue(OpDef plain) {
  OpDef op;
  op.type = "Epilogue" + plain.type;
  op.domain = "openipu";
  op.doc = plain.type + " with a bias, an addend and an activation behind it.";
  op.in = {2, 4};
  op.infer = [infer = plain.infer](const OpView &op) -> Infos {
    ir::Node bare = op.node();
    bare.inputs.resize(2);
    return infer(OpView(op.graph(), bare));
  };
  op.create = [create = plain.create](lowering::Lowering &l, const OpView &op, unsigned input) {
    return input < 2 ? create(l, op, input) : poplar::Tensor();
  };
  op.gradientError = "operators get their epilogues after differentiation";
  return op;
}

} // namespace popart::ops
