// SPDX-License-Identifier: MIT
// Exp, Expm1, Log, Log1p, Sqrt, Reciprocal, Erf and Erfc with their derivatives:
//   y   y + 1   1/x   1/(1+x)   1/(2y)   -y^2   2/sqrt(pi) exp(-x^2)   -2/sqrt(pi) exp(-x^2)
#include "ops/shared/arithmetic.hpp"
#include <cmath>

namespace popart::ops {

namespace {

template <class E>
OpDef function(const std::string &type, const std::string &doc, double (*fold)(double),
               const std::string &domain = "") {
  OpDef op = realUnary(type, doc);
  op.domain = domain;
  op.expr = [](const OpView &, const Exprs &x) -> Expr { return E(x[0]); };
  op.fold = foldUnary(fold);
  return op;
}

// 1 - erf(x) would lose all digits of its tail. The exact Gelu is u/2 erfc(-u/sqrt(2)), so of
// u = -sqrt(2) x it is twice that over u. Beyond the bounds the result is 0 or 2 anyway.
Expr erfcOf(const Expr &x) {
  const Expr u = pe::Mul(pe::Clamp(x, number(-16), number(16)), number(-M_SQRT2));
  const Expr y = pe::Divide(pe::Mul(pe::GeluErf(u), number(2)), u);
  return pe::Select(number(1), y, pe::Equal(x, number(0)));
}
OpDef erfcDef() {
  OpDef op = realUnary("Erfc", "One minus the Gauss error function; its tail keeps its digits.");
  op.domain = "openipu";
  op.expr = [](const OpView &op, const Exprs &x) { return inFloat(op, x[0], erfcOf); };
  op.fold = foldUnary(std::erfc);
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return gradientInFloat(g, op, [&](Value x, Value dy) {
      return g.mul(dy, g.mul(g.exp(g.neg(g.square(x))), -M_2_SQRTPI));
    });
  };
  return op;
}

} // namespace

std::vector<OpDef> exponentialOps() {
  OpDef exp = function<pe::Exp>("Exp", "e to the power of every element.", std::exp);
  exp.grad = [](GradBuilder &g, const OpView &op) -> Values { return {g.mul(g.dy(), op.out(0))}; };

  OpDef expm1 = function<pe::Expm1>("Expm1", "e to the power of every element, minus one.",
                                    std::expm1, "ai.graphcore");
  expm1.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.mul(g.dy(), g.add(op.out(0), 1.0))};
  };

  OpDef log = function<pe::Log>("Log", "Natural logarithm of every element.", std::log);
  log.grad = [](GradBuilder &g, const OpView &op) -> Values { return {g.div(g.dy(), op.in(0))}; };

  OpDef log1p = function<pe::Log1p>("Log1p", "Natural logarithm of one plus every element.",
                                    std::log1p, "ai.graphcore");
  log1p.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.div(g.dy(), g.add(op.in(0), 1.0))};
  };

  OpDef sqrt = function<pe::Sqrt>("Sqrt", "Square root of every element.", std::sqrt);
  sqrt.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.div(g.dy(), g.mul(op.out(0), 2.0))};
  };

  OpDef reciprocal = function<pe::Inv>("Reciprocal", "One divided by every element.",
                                       [](double x) { return 1 / x; });
  reciprocal.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.neg(g.mul(g.dy(), g.square(op.out(0))))};
  };

  OpDef erf = function<pe::Erf>("Erf", "The Gauss error function of every element.", std::erf);
  erf.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return gradientInFloat(g, op, [&](Value x, Value dy) {
      return g.mul(dy, g.mul(g.exp(g.neg(g.square(x))), M_2_SQRTPI));
    });
  };
  return {exp, expm1, log, log1p, sqrt, reciprocal, erf, erfcDef()};
}

} // namespace popart::ops
