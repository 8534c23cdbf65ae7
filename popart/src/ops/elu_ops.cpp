// SPDX-License-Identifier: MIT
// Elu, Selu and Celu: linear above zero, an exponential that levels off below.
//   y = gamma x   or   gamma alpha (exp(x / width) - 1)
//   dx = gamma dy   or   dy (y + gamma alpha) / width
#include "ops/shared/arithmetic.hpp"

namespace popart::ops {

namespace {

struct Curve {
  double alpha, gamma, width;
};
using CurveOf = Curve (*)(const OpView &);

OpDef exponentialUnit(const std::string &type, const std::string &doc, CurveOf curveOf) {
  OpDef op = realUnary(type, doc);
  op.expr = [curveOf](const OpView &op, const Exprs &x) {
    const Curve c = curveOf(op);
    return inFloat(op, x[0], [&](const Expr &x) -> Expr {
      const Expr below =
          pe::Mul(pe::Expm1(pe::Mul(x, number(1 / c.width))), number(c.gamma * c.alpha));
      return pe::Select(pe::Mul(x, number(c.gamma)), below, pe::Gt(x, number(0)));
    });
  };
  op.grad = [curveOf](GradBuilder &g, const OpView &op) -> Values {
    const Curve c = curveOf(op);
    const Value slope = g.mul(g.add(op.out(0), c.gamma * c.alpha), 1 / c.width);
    return {g.where(isGreater(g, op.in(0), 0), g.mul(g.dy(), c.gamma), g.mul(g.dy(), slope))};
  };
  return op;
}

} // namespace

std::vector<OpDef> eluOps() {
  return {exponentialUnit("Elu", "x above zero, alpha * (exp(x) - 1) below.",
                          [](const OpView &op) {
                            return Curve{op.real("alpha", 1), 1, 1};
                          }),
          exponentialUnit("Selu", "gamma * x above zero, gamma * alpha * (exp(x) - 1) below.",
                          [](const OpView &op) {
                            return Curve{op.real("alpha", 1.67326319217681884765625f),
                                         op.real("gamma", 1.05070102214813232421875f), 1};
                          }),
          exponentialUnit("Celu", "x above zero, alpha * (exp(x / alpha) - 1) below.",
                          [](const OpView &op) {
                            const double alpha = op.real("alpha", 1);
                            return Curve{alpha, 1, alpha};
                          })};
}

} // namespace popart::ops
