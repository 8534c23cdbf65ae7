// SPDX-License-Identifier: MIT
// Scale: y = s x.   ScaledAdd: y = s0 a + s1 b, with the scales as attributes or inputs 2 and 3.
#include "ops/shared/arithmetic.hpp"

namespace popart::ops {

namespace {

Expr scaleOf(const OpView &op, const Exprs &x, std::size_t which) {
  return op.hasIn(2 + which) ? x[2 + which] : number(op.real(which ? "scale1" : "scale0", 1));
}
Value scaled(GradBuilder &g, const OpView &op, std::size_t which) {
  return op.hasIn(2 + which) ? g.mul(g.dy(), op.in(2 + which))
                             : g.mul(g.dy(), op.real(which ? "scale1" : "scale0", 1));
}

} // namespace

std::vector<OpDef> scaleOps() {
  OpDef scale = realUnary("Scale", "Every element times a number.");
  scale.domain = "ai.graphcore";
  scale.expr = [](const OpView &op, const Exprs &x) -> Expr {
    return pe::Mul(x[0], number(op.real("scale")));
  };
  scale.fold = [](const OpView &op) -> std::vector<HostTensor> {
    auto values = op.in(0).data().doubles();
    for (double &v : values)
      v *= op.real("scale");
    return {HostTensor::fromDoubles(op.in(0).info(), values)};
  };
  scale.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.mul(g.dy(), op.real("scale"))};
  };

  OpDef add = realBinary("ScaledAdd", "Sum of two tensors, each times a number.");
  add.domain = "ai.graphcore";
  add.in = {2, 4};
  add.infer = [](const OpView &op) -> Infos {
    requireFloat(op);
    requireSameTypes(op);
    for (std::size_t i : {2, 3})
      if (op.hasIn(i) && op.in(i).elements() != 1)
        op.fail("the scale \"", op.in(i).name(), "\" has shape ", ir::text(op.in(i).shape()),
                "; it must be one number.");
    return {{op.in(0).type(), broadcast(op, op.in(0).shape(), op.in(1).shape())}};
  };
  add.expr = [](const OpView &op, const Exprs &x) -> Expr {
    return pe::Add(pe::Mul(x[0], scaleOf(op, x, 0)), pe::Mul(x[1], scaleOf(op, x, 1)));
  };
  add.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.unbroadcast(scaled(g, op, 0), op.in(0)), g.unbroadcast(scaled(g, op, 1), op.in(1))};
  };
  return {scale, add};
}

} // namespace popart::ops
