// SPDX-License-Identifier: MIT
// Functions of one number. Where a derivative jumps, it is that of Paddle's formula.
#include "frontend/Activations.hpp"
#include "core/Call.hpp"

namespace paddleipu {

namespace {

using Formula = Value (*)(Call &c, Value x);

Converter of(Formula formula) {
  return [formula](Call &c) { c.out("Out", formula(c, c.floating(c.in("X")))); };
}
// Of one number, with its default.
Converter of(Value (*formula)(const frontend::Writing &, Value, double), const char *attribute,
             double otherwise) {
  return [=](Call &c) {
    c.out("Out", formula(c, c.floating(c.in("X")), c.real(attribute, otherwise)));
  };
}
Converter function(const std::string &type) {
  return [type](Call &c) { c.out("Out", c.m.op(type, {c.floating(c.in("X"))})); };
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

using frontend::between;

Value gelu(Call &c, Value x) { return frontend::gelu(c, x, c.flag("approximate")); }
Value brelu(Call &c, Value x) { return between(c, x, c.real("t_min", 0), c.real("t_max", 24)); }
Value hardSigmoid(Call &c, Value x) {
  return frontend::hardSigmoid(c, x, c.real("slope", 0.2), c.real("offset", 0.5));
}
// x * min(max(x + offset, 0), threshold) / scale
Value hardSwish(Call &c, Value x) {
  const double threshold = c.real("threshold", 6), scale = c.real("scale", 6),
               offset = c.real("offset", 3);
  return c.m.mul(x, c.m.mul(between(c, c.m.add(x, offset), 0, threshold), 1 / scale));
}
Value softplus(Call &c, Value x) {
  return frontend::softplus(c, x, c.real("beta", 1), c.real("threshold", 20));
}
Value thresholdedRelu(Call &c, Value x) {
  return c.m.where(c.compared("Greater", x, c.real("threshold", 1)), x, c.m.scalar(0, x));
}
Value selu(Call &c, Value x) {
  return frontend::selu(c, x, c.real("alpha", 1.6732632423543772848170429916717),
                        c.real("scale", 1.0507009873554804934193349852946));
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

void addRectifiers(Registry &r) {
  r.add("relu", keeping("Relu"));
  r.add("relu6", of([](Call &c, Value x) { return between(c, x, 0, c.real("threshold", 6)); }));
  r.add("brelu", of(brelu));
  r.add("leaky_relu", of(frontend::leakyRelu, "alpha", 0.02));
  r.add("elu", of(frontend::elu, "alpha", 1));
  r.add("selu", of(selu));
  r.add("prelu", prelu);
  r.add("thresholded_relu", of(thresholdedRelu));
  r.add("hard_shrink", of(frontend::hardShrink, "threshold", 0.5));
  r.add("softshrink", of(frontend::softShrink, "lambda", 0.5));
  r.add("tanh_shrink", of([](Call &c, Value x) { return c.m.sub(x, c.m.op("Tanh", {x})); }));
}
void addSigmoids(Registry &r) {
  r.add("sigmoid", function("Sigmoid"));
  r.add("hard_sigmoid", of(hardSigmoid));
  r.add("hard_swish", of(hardSwish));
  r.add("logsigmoid", of([](Call &c, Value x) { return frontend::logSigmoid(c, x); }));
  r.add("softplus", of(softplus));
  r.add("softsign", function("Softsign"));
  r.add("silu", of([](Call &c, Value x) { return frontend::swish(c, x); }));
  r.add("swish", of(frontend::swish, "beta", 1));
  r.add("mish", of([](Call &c, Value x) { return frontend::mish(c, x); }));
  r.add("gelu", of(gelu));
  r.add("stanh", of(stanh));
}

} // namespace

void addActivations(Registry &r) {
  addRectifiers(r);
  addSigmoids(r);
  for (const char *name : {"abs", "ceil", "floor", "sign"})
    r.add(name, keeping(frontend::capital(name)));
  r.add("round", round);
  for (const char *name : {"acos", "asin", "atan", "cos", "cosh", "sin", "sinh", "tan", "tanh",
                           "erf", "exp", "log", "log1p", "sqrt", "reciprocal"})
    r.add(name, function(frontend::capital(name)));
  r.add("log2", of([](Call &c, Value x) { return frontend::logarithm(c, x, 2); }));
  r.add("log10", of([](Call &c, Value x) { return frontend::logarithm(c, x, 10); }));
  r.add("rsqrt", of([](Call &c, Value x) { return frontend::rsqrt(c, x); }));
  r.add("square", [](Call &c) { c.out("Out", c.m.square(c.in("X"))); });
  r.add("pow", of(power));
}

} // namespace paddleipu
