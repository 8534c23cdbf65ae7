// SPDX-License-Identifier: MIT
// Remainders of a division. Fmod has the sign of the dividend (C), Remainder that of the divisor
// (Python); Mod is either, by its attribute. IncrementMod adds a number first.
//   da = dz   db = -dz * (a - z) / b
#include "ops/shared/arithmetic.hpp"
#include <cmath>

namespace popart::ops {

namespace {

Expr cRemainder(const Expr &a, const Expr &b) { return pe::Rem(a, b); }
Expr pythonRemainder(const Expr &a, const Expr &b) {
  const Expr rest = pe::Rem(a, b), zero = pe::Const(0);
  const Expr otherSign =
      pe::And(pe::NotEqual(rest, zero), pe::NotEqual(pe::Lt(rest, zero), pe::Lt(b, zero)));
  return pe::Select(pe::Add(rest, b), rest, otherSign);
}
Expr remainder(const OpView &op, const Exprs &x, bool c) {
  return computed(op, x, [c](const Exprs &x) {
    return c ? cRemainder(x[0], x[1]) : pythonRemainder(x[0], x[1]);
  });
}

double cReal(double a, double b) { return std::fmod(a, b); }
// -1 would make the processor divide the smallest number, whose quotient it does not have.
std::int64_t cInteger(std::int64_t a, std::int64_t b) { return b && b != -1 ? a % b : 0; }
template <class T> T withSignOf(T b, T rest) {
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
Fold folds(bool c) {
  if (c)
    return foldBinary(cReal, cInteger);
  return foldBinary([](double a, double b) { return withSignOf(b, cReal(a, b)); },
                    [](std::int64_t a, std::int64_t b) { return withSignOf(b, cInteger(a, b)); });
}

Values grad(GradBuilder &g, const OpView &op) {
  const Value whole = g.op("Round", {g.div(g.sub(op.in(0), op.out(0)), op.in(1))});
  return {g.unbroadcast(g.dy(), op.in(0)), g.unbroadcast(g.neg(g.mul(g.dy(), whole)), op.in(1))};
}

OpDef modulo(const std::string &type, const std::string &doc, bool c) {
  OpDef op = binary(type, doc);
  op.domain = "ai.graphcore";
  op.expr = [c](const OpView &op, const Exprs &x) { return remainder(op, x, c); };
  op.fold = folds(c);
  op.grad = grad;
  return op;
}

} // namespace

std::vector<OpDef> modOps() {
  OpDef mod = binary("Mod", "Remainder of the division of two tensors, with broadcasting.");
  mod.expr = [](const OpView &op, const Exprs &x) {
    return remainder(op, x, op.integer("fmod", 0) != 0);
  };
  mod.fold = [](const OpView &op) { return folds(op.integer("fmod", 0) != 0)(op); };
  mod.grad = grad;
  OpDef increment = unary("IncrementMod", "Elements plus an increment, modulo a number.");
  increment.domain = "ai.graphcore";
  increment.expr = [](const OpView &op, const Exprs &x) -> Expr {
    const float by = op.real("increment"), modulus = op.real("modulus");
    return computed(op, x, [&](const Exprs &x) -> Expr {
      if (isFloatingPoint(op.in(0).type()))
        return pe::Rem(pe::Add(x[0], number(by)), number(modulus));
      return pe::Rem(pe::Add(x[0], pe::Const(static_cast<int>(by))),
                     pe::Const(static_cast<int>(modulus)));
    });
  };
  increment.noGradient = "it counts";
  return {mod, modulo("Fmod", "Remainder with the sign of the dividend, as in C.", true),
          modulo("Remainder", "Remainder with the sign of the divisor, as in Python.", false),
          increment};
}

} // namespace popart::ops
