// SPDX-License-Identifier: MIT
// Accumulate: changes accumulators a by what every micro-batch gives, x. f is a factor.
//   Add a + f x     AddSquare a + f x^2     Mean a + (x - a) f, f = 1 / (number of x so far)
//   MovingAverage f a + (1 - f) x     MovingAverageSquare f a + (1 - f) x^2
//   Infinity max(f a, |x|)
// A third group of inputs is not read: accumulators lie as these tensors do.
#include "ops/shared/updating.hpp"

namespace popart::ops {

namespace {

Term accumulated(const OpView &op, const Term &a, const Term &x, const Term &f) {
  const auto kind = op.text("kind", "Add");
  if (kind == "Add")
    return a + f * x;
  if (kind == "AddSquare")
    return a + f * square(x);
  if (kind == "Mean")
    return a + (x - a) * f;
  if (kind == "MovingAverage")
    return f * a + (1.0 - f) * x;
  if (kind == "MovingAverageSquare")
    return f * a + (1.0 - f) * square(x);
  if (kind == "Infinity")
    return maximum(f * a, abs(x));
  op.fail("unknown kind \"", kind,
          "\"; kinds are Add, AddSquare, Mean, MovingAverage, MovingAverageSquare and Infinity.");
}

poplar::Tensor create(lowering::Lowering &l, const OpView &op, unsigned input) {
  const auto n = static_cast<unsigned>(op.integer("weights", 1));
  if (input >= n || op.inputs() - op.texts("scalars").size() < 3 * n ||
      !l.canHave(op.in(2 * n + input)))
    return {};
  return l.graph().clone(lowering::deviceType(op.in(input).type()), l.tensor(op.in(2 * n + input)),
                         poplar::DebugContext(op.in(input).name()));
}

} // namespace

OpDef accumulateOp() {
  OpDef op = updateOp("Accumulate", "Changes accumulators by the values of one micro-batch.",
                      [](Updating &u, const OpView &op) {
                        u.write(0, accumulated(op, u[0], u[1], u.scalar("factor", 1)));
                      });
  op.create = create;
  op.accumulates = true;
  return op;
}

} // namespace popart::ops
