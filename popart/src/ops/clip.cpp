// SPDX-License-Identifier: MIT
// Clip: y = x, but not below min and not above max (either may be left out); both may be computed.
//   dx = dy where min <= x <= max     dmin = dy where x < min     dmax = dy where x > max
#include "ops/shared/arithmetic.hpp"

namespace popart::ops {

namespace {

// Opset 6 has the bounds as attributes. Later ones are scalars; some models write them as [1].
void boundsAsInputs(Importing &i) {
  for (std::size_t k = 1; k < i.node.inputs.size(); ++k)
    if (i.op.hasIn(k) && i.op.in(k).elements() == 1)
      i.node.inputs[k] = i.builder.reshape(i.node.inputs[k], {});
  if (i.version >= 11)
    return;
  i.node.inputs.resize(3, none);
  for (const auto &[name, input] : {std::pair("min", 1), std::pair("max", 2)}) {
    if (i.op.has(name))
      i.node.inputs[std::size_t(input)] = i.builder.scalar(i.op.real(name), i.node.inputs[0]);
    i.node.attributes.erase(name);
  }
}

Infos infer(const OpView &op) {
  requireSameTypes(op);
  for (std::size_t i : {1, 2})
    if (op.hasIn(i) && broadcast(op, op.in(0).shape(), op.in(i).shape()) != op.in(0).shape())
      op.fail("the bound \"", op.in(i).name(), "\" of shape ", ir::text(op.in(i).shape()),
              " does not broadcast to ", ir::text(op.in(0).shape()), ".");
  return {op.in(0).info()};
}

Expr clipped(const OpView &op, const Exprs &x) {
  Expr y = x[0];
  if (op.hasIn(1))
    y = pe::Max(y, x[1]);
  if (op.hasIn(2))
    y = pe::Min(y, x[2]);
  return y;
}

Values grad(GradBuilder &g, const OpView &op) {
  const Value zero = g.scalar(0, op.in(0));
  Values grads{g.dy(), none, none};
  Value raised = op.in(0); // to the minimum; a maximum below that wins
  if (op.hasIn(1)) {
    const Value below = g.op("Less", {op.in(0), op.in(1)});
    grads[0] = g.where(below, zero, g.dy());
    grads[1] = g.where(below, g.dy(), zero);
    raised = g.op("Max", {op.in(0), op.in(1)});
  }
  if (op.hasIn(2)) {
    const Value above = g.op("Greater", {raised, op.in(2)});
    for (Value &other : grads)
      other = other == none ? none : g.where(above, zero, other);
    grads[2] = g.where(above, g.dy(), zero);
  }
  grads.resize(op.inputs());
  for (std::size_t i = 0; i < grads.size(); ++i)
    grads[i] = op.hasIn(i) ? g.unbroadcast(grads[i], op.in(i)) : none;
  return grads;
}

template <class T> void clip(std::vector<T> &values, const std::vector<T> &bound, bool isMaximum) {
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = isMaximum ? std::min(values[k], bound[k]) : std::max(values[k], bound[k]);
}
std::vector<HostTensor> fold(const OpView &op) {
  const HostTensor &x = op.in(0).data();
  auto reals = x.doubles();
  auto integers = x.integers();
  for (std::size_t i : {1, 2})
    if (op.hasIn(i)) {
      const HostTensor bound = spread(op.in(i).data(), x.shape());
      clip(reals, bound.doubles(), i == 2);
      clip(integers, bound.integers(), i == 2);
    }
  return {isFloatingPoint(x.type()) ? HostTensor::fromDoubles(x.info(), reals)
                                    : HostTensor::fromIntegers(x.info(), integers)};
}

} // namespace

OpDef clipOp() {
  OpDef op;
  op.type = "Clip";
  op.doc = "Elements cut off below a minimum and above a maximum.";
  op.in = {1, 3};
  op.canonical = boundsAsInputs;
  op.infer = infer;
  op.expr = [](const OpView &op, const Exprs &x) -> Expr {
    return computed(op, x, [&](const Exprs &x) { return clipped(op, x); });
  };
  op.fold = fold;
  op.grad = grad;
  op.monotone = [](const OpView &op) { // with the same bounds everywhere
    return (!op.hasIn(1) || op.in(1).elements() == 1) && (!op.hasIn(2) || op.in(2).elements() == 1);
  };
  return op;
}

} // namespace popart::ops
