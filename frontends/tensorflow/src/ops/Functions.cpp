// SPDX-License-Identifier: MIT
// Functions of one tensor, elementwise.
#include "core/Call.hpp"
#include "frontend/Activations.hpp"

namespace tensorflow {

namespace {

Converter unary(const char *type) {
  return [type](Call &c) -> Values { return {c.m.op(type, {c.in(0)})}; };
}

Values cast(Call &c) { return {c.cast(c.in(0), c.type("DstT"))}; }

// Halves to the nearest even one.
Values rint(Call &c) { return {c.isFloating(c.in(0)) ? c.m.op("Round", {c.in(0)}) : c.in(0)}; }

// With one attribute.
Converter of(Value (*formula)(const frontend::Writing &, Value, double), const char *attribute,
             double otherwise) {
  return [=](Call &c) -> Values { return {formula(c, c.in(0), c.real(attribute, otherwise))}; };
}
Converter of(Value (*formula)(const frontend::Writing &, Value)) {
  return [formula](Call &c) -> Values { return {formula(c, c.in(0))}; };
}

Values identity(Call &c) { return {c.in(0)}; }
Values stopGradient(Call &c) { return {c.m.op("Detach", {c.in(0)})}; }
Values zerosLike(Call &c) { return {c.full(c.shapeOf(c.in(0)), 0, c.m.type(c.in(0)))}; }
Values onesLike(Call &c) { return {c.full(c.shapeOf(c.in(0)), 1, c.m.type(c.in(0)))}; }

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
  r.add("IsFinite", of(frontend::isFinite));
  r.add("Rsqrt", of(frontend::rsqrt));
  r.add("Rint", rint);
  r.add("Round", rint);
  r.add("Cast", cast);
  r.add("LeakyRelu", of(frontend::leakyRelu, "alpha", 0.2));
  r.add("Elu", of(frontend::elu, "alpha", 1));
  r.add("Relu6", of(frontend::relu6));
  r.add("Silu", [](Call &c) -> Values { return {frontend::swish(c, c.in(0))}; });
  r.add("Gelu",
        [](Call &c) -> Values { return {frontend::gelu(c, c.in(0), c.flag("approximate"))}; });
  r.add("Identity", identity);
  r.add("StopGradient", stopGradient);
  r.add("ZerosLike", zerosLike);
  r.add("OnesLike", onesLike);
}

} // namespace tensorflow
