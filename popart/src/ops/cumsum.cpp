// SPDX-License-Identifier: MIT
// CumSum: running sums along an axis; exclusive ones leave out the element itself, reverse ones run
// from the end.   dx = the running sums of dy in the other direction
#include "lowering/lowering.hpp"
#include "opdef/importing.hpp"
#include <popops/CumulativeSum.hpp>

namespace popart::ops {

namespace {

std::int64_t axisOf(const OpView &op) { return op.axis("axis", 0, op.in(0).rank()); }

Tensors lower(lowering::Lowering &l, const OpView &op) {
  auto x = l.tensor(op.in(0));
  const auto axis = unsigned(axisOf(op));
  const bool reverse = op.integer("reverse", 0) != 0;
  if (x.numElements() == 0)
    return {x};
  if (reverse)
    x = x.reverse(axis);
  auto y = popops::cumulativeSum(l.graph(), x, axis, l.program(), l.name());
  if (op.integer("exclusive", 0)) { // one element later, after a zero
    auto zero = l.constant(HostTensor::scalar(op.in(0).type(), 0))
                    .reshape(std::vector<std::size_t>(x.rank(), 1));
    for (unsigned d = 0; d < x.rank(); ++d)
      if (d != axis)
        zero = zero.broadcast(unsigned(x.dim(d)), d);
    y = poplar::concat(zero, y.slice(0, x.dim(axis) - 1, axis), axis);
  }
  return {reverse ? y.reverse(axis) : y};
}

} // namespace

OpDef cumsumOp() {
  OpDef op;
  op.type = "CumSum";
  op.in = {1, 2};
  op.doc = "Running sums along an axis.";
  op.canonical = [](Importing &i) { i.integerFromInput(1, "axis"); };
  op.infer = [](const OpView &op) -> Infos {
    axisOf(op);
    const auto type = op.in(0).type();
    if (!isFloatingPoint(type) && bytesOf(type) < 4)
      op.fail("input \"", op.in(0).name(), "\" is ", op.in(0).info(),
              "; use FLOAT, FLOAT16, INT32 or UINT32.");
    return {op.in(0).info()};
  };
  op.lower = lower;
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.op("CumSum", {g.dy()},
                 {{"axis", axisOf(op)},
                  {"exclusive", op.integer("exclusive", 0)},
                  {"reverse", std::int64_t(op.integer("reverse", 0) == 0)}})};
  };
  return op;
}

} // namespace popart::ops
