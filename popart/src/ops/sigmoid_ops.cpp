// SPDX-License-Identifier: MIT
// Sigmoid and what looks like it: HardSigmoid, HardSwish, Softplus, Softsign.
#include "ops/shared/arithmetic.hpp"

namespace popart::ops {

namespace {

OpDef sigmoid() { // dx = dy y (1 - y)
  OpDef op = realUnary("Sigmoid", "1 / (1 + exp(-x)) of every element.");
  op.expr = [](const OpView &, const Exprs &x) -> Expr { return pe::Sigmoid(x[0]); };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.mul(g.dy(), g.mul(op.out(0), g.sub(1.0, op.out(0))))};
  };
  op.monotone = [](const OpView &) { return true; };
  return op;
}

OpDef hardSigmoid() { // dx = alpha dy where 0 < y < 1
  OpDef op = realUnary("HardSigmoid", "alpha * x + beta, cut off below 0 and above 1.");
  op.expr = [](const OpView &op, const Exprs &x) -> Expr {
    const Expr line =
        pe::Add(pe::Mul(x[0], number(op.real("alpha", 0.2f))), number(op.real("beta", 0.5f)));
    return pe::Clamp(line, number(0), number(1));
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    const Value y = op.out(0);
    const Value inside = g.op("And", {isGreater(g, y, 0), isLess(g, y, 1)});
    return {g.where(inside, g.mul(g.dy(), op.real("alpha", 0.2f)), g.scalar(0, y))};
  };
  op.monotone = [](const OpView &op) { return op.real("alpha", 0.2f) >= 0; };
  return op;
}

OpDef hardSwish() { // dx = 0, dy (x/3 + 1/2), dy: below -3, between, above 3
  OpDef op = realUnary("HardSwish", "x * max(0, min(1, x/6 + 1/2)) of every element.");
  op.expr = [](const OpView &, const Exprs &x) -> Expr {
    const Expr line = pe::Add(pe::Mul(x[0], number(1.0 / 6)), number(0.5));
    return pe::Mul(x[0], pe::Clamp(line, number(0), number(1)));
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    const Value x = op.in(0), between = g.mul(g.dy(), g.add(g.mul(x, 1.0 / 3), 0.5));
    const Value upper = g.where(isGreater(g, x, 3), g.dy(), between);
    return {g.where(isLess(g, x, -3), g.scalar(0, x), upper)};
  };
  return op;
}

OpDef softplus() { // log(1 + exp(x)) without overflow; dx = dy sigmoid(x)
  OpDef op = realUnary("Softplus", "log(1 + exp(x)) of every element.");
  op.expr = [](const OpView &op, const Exprs &x) {
    return inFloat(op, x[0], [](const Expr &x) -> Expr {
      return pe::Add(pe::Max(x, number(0)), pe::Log1p(pe::Exp(pe::Neg(pe::Abs(x)))));
    });
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.mul(g.dy(), g.op("Sigmoid", {op.in(0)}))};
  };
  op.monotone = [](const OpView &) { return true; };
  return op;
}

OpDef softsign() { // dx = dy / (1 + |x|)^2
  OpDef op = realUnary("Softsign", "x / (1 + |x|) of every element.");
  op.expr = [](const OpView &, const Exprs &x) -> Expr {
    return pe::Divide(x[0], pe::Add(pe::Abs(x[0]), number(1)));
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return gradientInFloat(g, op, [&](Value x, Value dy) {
      return g.div(dy, g.square(g.add(g.op("Abs", {x}), 1.0)));
    });
  };
  op.monotone = [](const OpView &) { return true; };
  return op;
}

} // namespace

std::vector<OpDef> sigmoidOps() {
  return {sigmoid(), hardSigmoid(), hardSwish(), softplus(), softsign()};
}

} // namespace popart::ops
