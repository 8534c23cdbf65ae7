// SPDX-License-Identifier: MIT
// LeakyRelu, PRelu, ThresholdedRelu, Shrink and HardTanh: linear in pieces.
#include "lowering/lowering.hpp"
#include "ops/shared/arithmetic.hpp"

namespace popart::ops {

namespace {

OpDef leakyRelu() { // dx = dy or alpha dy
  OpDef op = realUnary("LeakyRelu", "x above zero, alpha * x below.");
  op.expr = [](const OpView &op, const Exprs &x) -> Expr {
    return pe::Select(pe::Mul(x[0], number(op.real("alpha", 0.01f))), x[0],
                      pe::Lt(x[0], number(0)));
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    const Value leaked = g.mul(g.dy(), op.real("alpha", 0.01f));
    return {g.where(isGreater(g, op.in(0), 0), g.dy(), leaked)};
  };
  op.monotone = [](const OpView &op) { return op.real("alpha", 0.01f) >= 0; };
  return op;
}

// Opset 6 gives one slope per channel; since then it broadcasts to x.
void slopePerChannel(Importing &i) {
  const auto x = i.op.in(0), slope = i.op.in(1);
  if (i.version >= 7 || slope.elements() == 1 || slope.rank() != 1 || x.rank() < 2)
    return;
  Shape shape = slope.shape();
  shape.resize(static_cast<std::size_t>(x.rank() - 1), 1);
  i.node.inputs[1] = i.builder.reshape(slope, shape);
}

OpDef preLu() { // dx = dy or slope dy; dslope = x dy where x < 0
  OpDef op = binary("PRelu", "x above zero, slope * x below; the slope broadcasts to x.");
  op.canonical = slopePerChannel;
  op.infer = [](const OpView &op) -> Infos {
    requireSameTypes(op);
    if (broadcast(op, op.in(0).shape(), op.in(1).shape()) != op.in(0).shape())
      op.fail("the slope of shape ", ir::text(op.in(1).shape()), " does not broadcast to ",
              ir::text(op.in(0).shape()), ".");
    return {op.in(0).info()};
  };
  op.expr = [](const OpView &op, const Exprs &x) -> Expr {
    return computed(op, x, [](const Exprs &x) {
      return pe::Select(pe::Mul(x[0], x[1]), x[0], pe::Lt(x[0], pe::Const(0)));
    });
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    const Value below = isLess(g, op.in(0), 0), zero = g.scalar(0, op.in(0));
    const Value dx = g.where(below, g.mul(g.dy(), op.in(1)), g.dy());
    const Value dSlope = g.where(below, g.mul(g.dy(), op.in(0)), zero);
    return {dx, g.unbroadcast(dSlope, op.in(1))};
  };
  return op;
}

OpDef thresholdedRelu() { // dx = dy where x > alpha
  OpDef op = realUnary("ThresholdedRelu", "x where it is above alpha, else 0.");
  op.expr = [](const OpView &op, const Exprs &x) -> Expr {
    return pe::Select(x[0], number(0), pe::Gt(x[0], number(op.real("alpha", 1))));
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.where(isGreater(g, op.in(0), op.real("alpha", 1)), g.dy(), g.scalar(0, g.dy()))};
  };
  return op;
}

OpDef shrink() { // dx = dy where |x| > lambd
  OpDef op = realUnary("Shrink", "x + bias below -lambd, x - bias above lambd, else 0.");
  op.infer = [](const OpView &op) -> Infos { return {op.in(0).info()}; };
  op.expr = [](const OpView &op, const Exprs &x) -> Expr {
    const float lambd = op.real("lambd", 0.5f), bias = op.real("bias", 0);
    const bool real = isFloatingPoint(op.in(0).type());
    const auto shrunk = [&](const Expr &x) -> Expr {
      const Expr above = pe::Select(pe::Sub(x, number(bias)), number(0), pe::Gt(x, number(lambd)));
      return pe::Select(pe::Add(x, number(bias)), above, pe::Lt(x, number(-lambd)));
    };
    if (real)
      return shrunk(x[0]);
    return pe::Cast(shrunk(pe::Cast(x[0], poplar::FLOAT)), lowering::deviceType(op.in(0).type()));
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    const Value size = g.op("Abs", {op.in(0)});
    return {g.where(isGreater(g, size, op.real("lambd", 0.5f)), g.dy(), g.scalar(0, g.dy()))};
  };
  return op;
}

// Clip with bounds that are known; dx = dy between them, 0 at the bounds already (torch's
// hardtanh).
OpDef hardTanh() {
  OpDef op = realUnary("HardTanh", "x, but not below min and not above max.");
  op.domain = "openipu";
  op.expr = [](const OpView &op, const Exprs &x) -> Expr {
    return pe::Min(pe::Max(x[0], number(op.real("min", -1))), number(op.real("max", 1)));
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    const Value zero = g.scalar(0, g.dy());
    const Value above = g.where(isGreater(g, op.in(0), op.real("min", -1)), g.dy(), zero);
    return {g.where(isLess(g, op.in(0), op.real("max", 1)), above, zero)};
  };
  return op;
}

} // namespace

std::vector<OpDef> rectifierOps() {
  return {leakyRelu(), preLu(), thresholdedRelu(), shrink(), hardTanh()};
}

} // namespace popart::ops
