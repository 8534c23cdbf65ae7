// SPDX-License-Identifier: MIT
// Functions of one number. Where a derivative jumps, it is that of Paddle's formula.
#include "frontend/Activations.hpp"
#include "core/Call.hpp"
#include "frontend/Functions.hpp"

namespace paddleipu {

namespace {

using Formula = Value (*)(Call &c, Value x);

Converter of(Formula formula) {
  return [formula](Call &c) { c.out("Out", formula(c, c.floating(c.in("X")))); };
}
// abs, ceil, floor, sign and relu leave integers what they are.
Converter keeping(const std::string &type) {
  return [type](Call &c) { c.out("Out", c.m.op(type, {c.in("X")})); };
}
// So does round; halves go away from zero.
void round(Call &c) {
  const Value x = c.in("X");
  if (!c.isFloating(x))
    return c.out("Out", x);
  const Value size = c.m.op("Abs", {x}), whole = c.m.op("Floor", {size});
  const Value up =
      c.cast(c.m.op("GreaterOrEqual", {c.m.sub(size, whole), c.m.scalar(0.5, size)}), c.m.type(x));
  c.out("Out", c.m.mul(c.m.op("Sign", {x}), c.m.add(whole, up)));
}

Value gelu(Call &c, Value x) { return frontend::gelu(c, x, c.flag("approximate")); }
// x * min(max(x + offset, 0), threshold) / scale
Value hardSwish(Call &c, Value x) {
  const double threshold = c.real("threshold", 6), scale = c.real("scale", 6),
               offset = c.real("offset", 3);
  return c.m.mul(x, c.m.mul(frontend::between(c, c.m.add(x, offset), 0, threshold), 1 / scale));
}
Value stanh(Call &c, Value x) {
  return c.m.mul(c.m.op("Tanh", {c.m.mul(x, c.real("scale_a", 0.67))}), c.real("scale_b", 1.7159));
}
Value power(Call &c, Value x) {
  const Value exponent = c.has("FactorTensor")
                             ? c.m.reshape(c.cast(c.in("FactorTensor"), c.m.type(x)), {})
                             : c.m.scalar(c.real("factor", 1), x);
  return c.m.op("Pow", {x, exponent});
}

// One slope (all), one for every channel, or one for every element.
void prelu(Call &c) {
  const Value x = c.in("X");
  Value slope = c.cast(c.in("Alpha"), c.m.type(x));
  const auto mode = c.text("mode", "all");
  Shape shape(c.rank(x), 1);
  if (mode == "channel")
    shape[c.text("data_format", "NCHW") == "NHWC" ? c.rank(x) - 1 : 1] = c.m.info(slope).nelms();
  else if (mode == "element") {
    shape = c.shapeOf(x);
    shape[0] = 1;
  } else if (mode != "all")
    c.fail("mode \"", mode, "\" is not one of all, channel, element.");
  slope = c.m.reshape(slope, shape);
  c.out("Out", frontend::withSlope(c, x, slope));
}

} // namespace

void addActivations(Registry &r) {
  forFunctionsOf(&frontend::Function::paddle, [&](const auto &f, const auto &own) {
    r.add(own.operation,
          [&](Call &c) { c.out("Out", f.formula(c, c.floating(c.in("X")), own.read(c))); });
  });
  for (const char *name : {"abs", "ceil", "floor", "sign", "relu"})
    r.add(name, keeping(frontend::capital(name)));
  r.add("round", round);
  r.add("prelu", prelu);
  r.add("hard_swish", of(hardSwish));
  r.add("gelu", of(gelu));
  r.add("stanh", of(stanh));
  r.add("pow", of(power));
}

} // namespace paddleipu
