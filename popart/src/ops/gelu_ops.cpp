// SPDX-License-Identifier: MIT
// Gelu (by tanh), GeluErf (exact) and Swish: x times a smooth step s(x).   dx = dy (s + x s')
#include "ops/shared/arithmetic.hpp"
#include <cmath>

namespace popart::ops {

namespace {

constexpr double cubic = 0.044715;
const double rootOfTwoOverPi = std::sqrt(2 / M_PI);

OpDef gelu() { // with u = c (x + 0.044715 x^3): y = x/2 (1 + tanh u)
  OpDef op = realUnary("Gelu", "Gauss error linear unit, approximated with tanh.");
  op.domain = "ai.graphcore";
  op.expr = [](const OpView &op, const Exprs &x) {
    return inFloat(op, x[0], [](const Expr &x) -> Expr {
      const Expr bent =
          pe::Add(pe::Mul(pe::Square(x), number(rootOfTwoOverPi * cubic)), number(rootOfTwoOverPi));
      const Expr step = pe::Add(pe::Tanh(pe::Mul(x, bent)), number(1));
      return pe::Mul(pe::Mul(x, number(0.5)), step);
    });
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return gradientInFloat(g, op, [&](Value x, Value dy) {
      const Value square = g.square(x);
      const Value u = g.mul(x, g.add(g.mul(square, rootOfTwoOverPi * cubic), rootOfTwoOverPi));
      const Value t = g.op("Tanh", {u});
      const Value du = g.add(g.mul(square, 3 * rootOfTwoOverPi * cubic), rootOfTwoOverPi);
      const Value bend = g.mul(g.mul(x, du), g.sub(1.0, g.square(t)));
      return g.mul(g.mul(dy, 0.5), g.add(g.add(t, 1.0), bend));
    });
  };
  return op;
}

OpDef geluErf() { // dx = dy (Phi(x) + x phi(x)) with the normal distribution and its density
  OpDef op = realUnary("GeluErf", "Gauss error linear unit, exact.");
  op.domain = "ai.graphcore";
  op.expr = [](const OpView &, const Exprs &x) -> Expr { return pe::GeluErf(x[0]); };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return gradientInFloat(g, op, [&](Value x, Value dy) {
      const Value below = g.mul(g.add(g.op("Erf", {g.mul(x, M_SQRT1_2)}), 1.0), 0.5);
      const Value density = g.mul(g.exp(g.mul(g.square(x), -0.5)), rootOfTwoOverPi / 2);
      return g.mul(dy, g.add(below, g.mul(x, density)));
    });
  };
  return op;
}

OpDef swish() { // dx = dy (s + y (1 - s))
  OpDef op = realUnary("Swish", "x * sigmoid(x) of every element.");
  op.domain = "ai.graphcore";
  op.expr = [](const OpView &, const Exprs &x) -> Expr { return pe::Mul(x[0], pe::Sigmoid(x[0])); };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    const Value s = g.op("Sigmoid", {op.in(0)});
    return {g.mul(g.dy(), g.add(s, g.mul(op.out(0), g.sub(1.0, s))))};
  };
  return op;
}

} // namespace

std::vector<OpDef> geluOps() { return {gelu(), geluErf(), swish()}; }

} // namespace popart::ops
