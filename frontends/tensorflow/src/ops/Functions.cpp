// SPDX-License-Identifier: MIT
// Functions of one tensor, elementwise.
#include "core/Call.hpp"
#include <cmath>

namespace tensorflow {

namespace {

Converter unary(const char *type) {
  return [type](Call &c) -> Values { return {c.m.op(type, {c.in(0)})}; };
}

Values rsqrt(Call &c) { return {c.m.reciprocal(c.m.sqrt(c.in(0)))}; }

Values cast(Call &c) { return {c.cast(c.in(0), c.type("DstT"))}; }

// Halves to the nearest even one.
Values rint(Call &c) { return {c.isFloating(c.in(0)) ? c.m.op("Round", {c.in(0)}) : c.in(0)}; }

Values leakyRelu(Call &c) {
  return {c.m.op("LeakyRelu", {c.in(0)}, {{"alpha", float(c.real("alpha", 0.2))}})};
}
Values elu(Call &c) { return {c.m.op("Elu", {c.in(0)}, {{"alpha", float(c.real("alpha", 1))}})}; }

Values relu6(Call &c) { // no gradient at 6
  const Value x = c.in(0);
  return {
      c.m.op("Min", {c.m.scalar(6, x), c.m.op("Relu", {x})}, {{"first_of_ties", std::int64_t(1)}})};
}

// x * sigmoid(x)
Values silu(Call &c) { return {c.m.mul(c.in(0), c.m.op("Sigmoid", {c.in(0)}))}; }

Values identity(Call &c) { return {c.in(0)}; }
Values stopGradient(Call &c) { return {c.m.op("Detach", {c.in(0)})}; }
Values zerosLike(Call &c) { return {c.full(c.shapeOf(c.in(0)), 0, c.m.type(c.in(0)))}; }
Values onesLike(Call &c) { return {c.full(c.shapeOf(c.in(0)), 1, c.m.type(c.in(0)))}; }

Values isFinite(Call &c) {
  const Value x = c.in(0);
  const Value bad = c.m.op("Or", {c.m.op("IsNaN", {x}), c.m.op("IsInf", {x})});
  return {c.m.op("Not", {bad})};
}

} // namespace

void addFunctions(Registry &r) {
  for (const char *name :
       {"Abs",   "Neg",  "Exp",      "Log",      "Log1p",  "Expm1", "Sqrt", "Sign",
        "Floor", "Ceil", "Sin",      "Cos",      "Tan",    "Asin",  "Acos", "Atan",
        "Sinh",  "Cosh", "Tanh",     "Asinh",    "Acosh",  "Atanh", "Erf",  "Erfc",
        "Relu",  "Selu", "Softplus", "Softsign", "Sigmoid"})
    r.add(name, unary(name));
  r.add("LogicalNot", unary("Not"));
  r.add("Reciprocal", unary("Reciprocal"));
  r.add("Square", [](Call &c) -> Values { return {c.m.square(c.in(0))}; });
  r.add("IsNan", unary("IsNaN"));
  r.add("IsInf", unary("IsInf"));
  r.add("IsFinite", isFinite);
  r.add("Rsqrt", rsqrt);
  r.add("Rint", rint);
  r.add("Round", rint);
  r.add("Cast", cast);
  r.add("LeakyRelu", leakyRelu);
  r.add("Elu", elu);
  r.add("Relu6", relu6);
  r.add("Silu", silu);
  r.add("Gelu", [](Call &c) -> Values {
    return {c.m.op(c.flag("approximate") ? "Gelu" : "GeluErf", {c.in(0)})};
  });
  r.add("Identity", identity);
  r.add("StopGradient", stopGradient);
  r.add("ZerosLike", zerosLike);
  r.add("OnesLike", onesLike);
}

} // namespace tensorflow
