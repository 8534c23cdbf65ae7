// SPDX-License-Identifier: MIT
// Functions of one tensor, elementwise.
#include "frontend/Functions.hpp"
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

Values identity(Call &c) { return {c.in(0)}; }
Values stopGradient(Call &c) { return {c.m.op("Detach", {c.in(0)})}; }
Values zerosLike(Call &c) { return {c.full(c.shapeOf(c.in(0)), 0, c.m.type(c.in(0)))}; }
Values onesLike(Call &c) { return {c.full(c.shapeOf(c.in(0)), 1, c.m.type(c.in(0)))}; }

} // namespace

void addFunctions(Registry &r) {
  forFunctionsOf(&frontend::Function::tensorflow, [&](const auto &f, const auto &own) {
    r.add(own.operation, [&](Call &c) -> Values { return {f.formula(c, c.in(0), own.read(c))}; });
  });
  for (const char *name : {"Abs", "Neg", "Sign", "Floor", "Ceil", "Relu", "Selu", "Softplus"})
    r.add(name, unary(name));
  r.add("LogicalNot", unary("Not"));
  r.add("IsNan", unary("IsNaN"));
  r.add("IsInf", unary("IsInf"));
  r.add("IsFinite", [](Call &c) -> Values { return {frontend::isFinite(c, c.in(0))}; });
  r.add("Rint", rint);
  r.add("Round", rint);
  r.add("Cast", cast);
  r.add("Gelu",
        [](Call &c) -> Values { return {frontend::gelu(c, c.in(0), c.flag("approximate"))}; });
  r.add("Identity", identity);
  r.add("StopGradient", stopGradient);
  r.add("ZerosLike", zerosLike);
  r.add("OnesLike", onesLike);
}

} // namespace tensorflow
