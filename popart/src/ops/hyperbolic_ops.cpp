// SPDX-License-Identifier: MIT
// Sinh, Cosh, Tanh and their inverses Asinh, Acosh, Atanh, written so that nothing cancels near
// zero or one; and their derivatives:
//   cosh x   sinh x   1 - y^2   1/sqrt(x^2+1)   1/sqrt(x^2-1)   1/(1-x^2)
#include "ops/shared/arithmetic.hpp"

namespace popart::ops {

namespace {

Expr sinhOf(const Expr &x) { // with e = exp(x) - 1: (e + e / (e + 1)) / 2
  const Expr e = pe::Expm1(x);
  return pe::Mul(pe::Add(e, pe::Divide(e, pe::Add(e, number(1)))), number(0.5));
}
Expr coshOf(const Expr &x) {
  return pe::Mul(pe::Add(pe::Exp(x), pe::Exp(pe::Neg(x))), number(0.5));
}
Expr asinhOf(const Expr &x) { // sign(x) log(|x| + sqrt(x^2 + 1))
  const Expr a = pe::Abs(x), one = number(1);
  const Expr root = pe::Sqrt(pe::Add(pe::Square(a), one));
  const Expr beyond = pe::Add(a, pe::Divide(pe::Square(a), pe::Add(root, one)));
  return pe::Mul(pe::Signum(x), pe::Log1p(beyond));
}
Expr acoshOf(const Expr &x) { // with t = x - 1: log(1 + t + sqrt(t (t + 2)))
  const Expr t = pe::Sub(x, number(1));
  return pe::Log1p(pe::Add(t, pe::Mul(pe::Sqrt(t), pe::Sqrt(pe::Add(t, number(2))))));
}
Expr atanhOf(const Expr &x) {
  return pe::Mul(pe::Sub(pe::Log1p(x), pe::Log1p(pe::Neg(x))), number(0.5));
}

using Gradient = Value (*)(GradBuilder &, Value x, Value dy);
OpDef function(const std::string &type, const std::string &doc, Expr (*expr)(const Expr &),
               Gradient gradient) {
  OpDef op = realUnary(type, doc);
  op.expr = [expr](const OpView &op, const Exprs &x) { return inFloat(op, x[0], expr); };
  op.grad = [gradient](GradBuilder &g, const OpView &op) -> Values {
    return gradientInFloat(g, op, [&](Value x, Value dy) { return gradient(g, x, dy); });
  };
  return op;
}

} // namespace

std::vector<OpDef> hyperbolicOps() {
  OpDef tanh = realUnary("Tanh", "Hyperbolic tangent of every element.");
  tanh.expr = [](const OpView &, const Exprs &x) -> Expr { return pe::Tanh(x[0]); };
  tanh.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.mul(g.dy(), g.sub(1.0, g.square(op.out(0))))};
  };
  tanh.monotone = [](const OpView &) { return true; };
  return {tanh,
          function("Sinh", "Hyperbolic sine of every element.", sinhOf,
                   [](GradBuilder &g, Value x, Value dy) { return g.mul(dy, g.op("Cosh", {x})); }),
          function("Cosh", "Hyperbolic cosine of every element.", coshOf,
                   [](GradBuilder &g, Value x, Value dy) { return g.mul(dy, g.op("Sinh", {x})); }),
          function("Asinh", "Inverse of the hyperbolic sine of every element.", asinhOf,
                   [](GradBuilder &g, Value x, Value dy) {
                     return g.div(dy, g.sqrt(g.add(g.square(x), 1.0)));
                   }),
          function("Acosh", "Inverse of the hyperbolic cosine of every element.", acoshOf,
                   [](GradBuilder &g, Value x, Value dy) {
                     return g.div(dy, g.sqrt(g.add(g.square(x), -1.0)));
                   }),
          function("Atanh", "Inverse of the hyperbolic tangent of every element.", atanhOf,
                   [](GradBuilder &g, Value x, Value dy) {
                     return g.div(dy, g.sub(1.0, g.square(x)));
                   })};
}

} // namespace popart::ops
