// SPDX-License-Identifier: MIT
// Sin, Cos, Tan and their inverses Asin, Acos, Atan, and Atan2, with their derivatives:
//   cos x   -sin x   1 + y^2   1/sqrt(1-x^2)   -1/sqrt(1-x^2)   1/(1+x^2)
#include "ops/shared/arithmetic.hpp"

namespace popart::ops {

namespace {

// pi/2 - asin(x) would cancel near x = 1.
Expr acos(const Expr &x) {
  const Expr one = number(1);
  const Expr half = pe::Atan2(pe::Sqrt(pe::Sub(one, x)), pe::Sqrt(pe::Add(one, x)));
  return pe::Mul(half, number(2));
}

Value overRootOfOneMinusSquare(GradBuilder &g, Value x, Value dy) {
  return g.div(dy, g.sqrt(g.sub(1.0, g.square(x))));
}

Values atan2Grad(GradBuilder &g, const OpView &op) {
  const Value y = op.in(0), x = op.in(1);
  const Value scaled = g.div(g.dy(), g.add(g.square(y), g.square(x)));
  return {g.unbroadcast(g.mul(scaled, x), y), g.unbroadcast(g.neg(g.mul(scaled, y)), x)};
}

std::vector<OpDef> circle() {
  OpDef sin = realUnary("Sin", "Sine of every element.");
  sin.expr = [](const OpView &, const Exprs &x) -> Expr { return pe::Sin(x[0]); };
  sin.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.mul(g.dy(), g.op("Cos", {op.in(0)}))};
  };
  OpDef cos = realUnary("Cos", "Cosine of every element.");
  cos.expr = [](const OpView &, const Exprs &x) -> Expr { return pe::Cos(x[0]); };
  cos.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.neg(g.mul(g.dy(), g.op("Sin", {op.in(0)})))};
  };
  OpDef tan = realUnary("Tan", "Tangent of every element.");
  tan.expr = [](const OpView &, const Exprs &x) -> Expr { return pe::Tan(x[0]); };
  tan.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.mul(g.dy(), g.add(g.square(op.out(0)), 1.0))};
  };
  return {sin, cos, tan};
}

} // namespace

std::vector<OpDef> trigonometryOps() {
  std::vector<OpDef> all = circle();
  OpDef asin = realUnary("Asin", "Arcus sine of every element.");
  asin.expr = [](const OpView &, const Exprs &x) -> Expr { return pe::Asin(x[0]); };
  asin.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {overRootOfOneMinusSquare(g, op.in(0), g.dy())};
  };
  OpDef acosine = realUnary("Acos", "Arcus cosine of every element.");
  acosine.expr = [](const OpView &op, const Exprs &x) { return inFloat(op, x[0], acos); };
  acosine.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.neg(overRootOfOneMinusSquare(g, op.in(0), g.dy()))};
  };
  OpDef atan = realUnary("Atan", "Arcus tangent of every element.");
  atan.expr = [](const OpView &, const Exprs &x) -> Expr { return pe::Atan2(x[0], number(1)); };
  atan.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.div(g.dy(), g.add(g.square(op.in(0)), 1.0))};
  };
  OpDef atan2 = realBinary("Atan2", "Angle of the point (second input, first input).");
  atan2.domain = "ai.graphcore";
  atan2.expr = [](const OpView &, const Exprs &x) -> Expr { return pe::Atan2(x[0], x[1]); };
  atan2.grad = atan2Grad;
  all.insert(all.end(), {asin, acosine, atan, atan2});
  return all;
}

} // namespace popart::ops
