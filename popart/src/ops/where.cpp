// SPDX-License-Identifier: MIT
// Where: z = condition ? a : b, with broadcasting.   da = condition ? dz : 0, db the rest
#include "ops/shared/elementwise.hpp"
#include "ops/shared/hostviews.hpp"

namespace popart::ops {

OpDef whereOp() {
  OpDef op;
  op.type = "Where";
  op.doc = "Elements of the second input where the first is true, of the third elsewhere.";
  op.in = {3, 3};
  op.infer = [](const OpView &op) -> Infos {
    op.require(op.in(0).type() == DataType::BOOL, "its condition must be BOOL. Add a Cast.");
    if (op.in(1).type() != op.in(2).type())
      op.fail("it chooses between ", op.in(1).info(), " and ", op.in(2).info(),
              "; the types must be equal. Add a Cast.");
    const Shape both = broadcast(op, op.in(1).shape(), op.in(2).shape());
    return {{op.in(1).type(), broadcast(op, op.in(0).shape(), both)}};
  };
  op.expr = [](const OpView &, const Exprs &x) -> Expr { return pe::Select(x[1], x[2], x[0]); };
  op.fold = [](const OpView &op) -> std::vector<HostTensor> {
    const Shape shape =
        broadcast(op, op.in(0).shape(), broadcast(op, op.in(1).shape(), op.in(2).shape()));
    const auto condition = spread(op.in(0).data(), shape).integers();
    const auto both = joined({spread(op.in(1).data(), shape).reshaped({ir::elementsOf(shape)}),
                              spread(op.in(2).data(), shape).reshaped({ir::elementsOf(shape)})},
                             0);
    Integers offsets(condition.size());
    for (std::size_t i = 0; i < offsets.size(); ++i)
      offsets[i] = std::int64_t(condition[i] ? i : i + offsets.size());
    return {picked(both, shape, offsets)};
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    const Value zero = g.scalar(0, op.in(1));
    return {none, g.unbroadcast(g.where(op.in(0), g.dy(), zero), op.in(1)),
            g.unbroadcast(g.where(op.in(0), zero, g.dy()), op.in(2))};
  };
  return op;
}

} // namespace popart::ops
