// SPDX-License-Identifier: MIT
// Functions of one number. Where a derivative jumps, it is that of Paddle's formula.
#include "core/Call.hpp"
#include <cmath>
#include <numbers>

namespace paddleipu {

namespace {

using Formula = Value (*)(Call &c, Value x);

Converter of(Formula formula) {
  return [formula](Call &c) { c.out("Out", formula(c, c.floating(c.in("X")))); };
}
Converter function(const char *type) {
  return [type](Call &c) { c.out("Out", c.m.op(type, {c.floating(c.in("X"))})); };
}
// abs, ceil, floor, round, sign and relu leave integers what they are.
Converter keeping(const char *type) {
  return [type](Call &c) { c.out("Out", c.m.op(type, {c.in("X")})); };
}

Attributes number(const char *name, double value) { return {{name, float(value)}}; }
Value between(Call &c, Value x, double low, double high) {
  return c.m.op("HardTanh", {x}, {{"min", float(low)}, {"max", float(high)}});
}
Value sigmoid(Call &c, Value x) { return c.m.op("Sigmoid", {x}); }
Value logarithm(Call &c, Value x, double base) { return c.m.mul(c.m.log(x), 1 / std::log(base)); }

Value gelu(Call &c, Value x) { return c.m.op(c.flag("approximate") ? "Gelu" : "GeluErf", {x}); }
Value brelu(Call &c, Value x) { return between(c, x, c.real("t_min", 0), c.real("t_max", 24)); }
Value hardSigmoid(Call &c, Value x) {
  return c.m.op("HardSigmoid", {x},
                {{"alpha", float(c.real("slope", 0.2))}, {"beta", float(c.real("offset", 0.5))}});
}
// x * min(max(x + offset, 0), threshold) / scale
Value hardSwish(Call &c, Value x) {
  const double threshold = c.real("threshold", 6), scale = c.real("scale", 6),
               offset = c.real("offset", 3);
  return c.m.mul(x, c.m.mul(between(c, c.m.add(x, offset), 0, threshold), 1 / scale));
}
Value hardShrink(Call &c, Value x) {
  const Value small = c.compared("LessOrEqual", c.m.op("Abs", {x}), c.real("threshold", 0.5));
  return c.m.where(small, c.m.scalar(0, x), x);
}
Value softShrink(Call &c, Value x) {
  const auto by = float(c.real("lambda", 0.5));
  return c.m.op("Shrink", {x}, {{"lambd", by}, {"bias", by}});
}
Value logSigmoid(Call &c, Value x) { return c.m.neg(c.m.op("Softplus", {c.m.neg(x)})); }
// log(1 + exp(beta x)) / beta; x itself where beta x is above the threshold
Value softplus(Call &c, Value x) {
  const double beta = c.real("beta", 1), threshold = c.real("threshold", 20);
  const Value scaled = beta == 1 ? x : c.m.mul(x, beta);
  Value y = c.m.op("Softplus", {scaled});
  if (beta != 1)
    y = c.m.div(y, beta);
  return threshold >= 17
             ? y
             : c.m.where(c.compared("Greater", scaled, threshold), x, y); // no float sees it beyond
}
Value mish(Call &c, Value x) { return c.m.mul(x, c.m.op("Tanh", {c.m.op("Softplus", {x})})); }
Value swish(Call &c, Value x) {
  const double beta = c.real("beta", 1);
  return beta == 1 ? c.m.op("Swish", {x}) : c.m.mul(x, sigmoid(c, c.m.mul(x, beta)));
}
Value thresholdedRelu(Call &c, Value x) {
  return c.m.where(c.compared("Greater", x, c.real("threshold", 1)), x, c.m.scalar(0, x));
}
Value selu(Call &c, Value x) {
  return c.m.op("Selu", {x},
                {{"alpha", float(c.real("alpha", 1.6732632423543772848170429916717))},
                 {"gamma", float(c.real("scale", 1.0507009873554804934193349852946))}});
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
  c.out("Out", c.m.where(c.compared("Greater", x, 0), x, c.m.mul(slope, x)));
}

void addRectifiers(Registry &r) {
  r.add("relu", keeping("Relu"));
  r.add("relu6", of([](Call &c, Value x) { return between(c, x, 0, c.real("threshold", 6)); }));
  r.add("brelu", of(brelu));
  r.add("leaky_relu", of([](Call &c, Value x) {
          return c.m.op("LeakyRelu", {x}, number("alpha", c.real("alpha", 0.02)));
        }));
  r.add("elu", of([](Call &c, Value x) {
          return c.m.op("Elu", {x}, number("alpha", c.real("alpha", 1)));
        }));
  r.add("selu", of(selu));
  r.add("prelu", prelu);
  r.add("thresholded_relu", of(thresholdedRelu));
  r.add("hard_shrink", of(hardShrink));
  r.add("softshrink", of(softShrink));
  r.add("tanh_shrink", of([](Call &c, Value x) { return c.m.sub(x, c.m.op("Tanh", {x})); }));
}
void addSigmoids(Registry &r) {
  r.add("sigmoid", function("Sigmoid"));
  r.add("hard_sigmoid", of(hardSigmoid));
  r.add("hard_swish", of(hardSwish));
  r.add("logsigmoid", of(logSigmoid));
  r.add("softplus", of(softplus));
  r.add("softsign", function("Softsign"));
  r.add("silu", function("Swish"));
  r.add("swish", of(swish));
  r.add("mish", of(mish));
  r.add("gelu", of(gelu));
  r.add("stanh", of(stanh));
}

} // namespace

void addActivations(Registry &r) {
  addRectifiers(r);
  addSigmoids(r);
  for (const auto &[name, type] :
       std::initializer_list<std::pair<const char *, const char *>>{{"abs", "Abs"},
                                                                    {"ceil", "Ceil"},
                                                                    {"floor", "Floor"},
                                                                    {"round", "Round"},
                                                                    {"sign", "Sign"}})
    r.add(name, keeping(type));
  for (const auto &[name, type] :
       std::initializer_list<std::pair<const char *, const char *>>{{"acos", "Acos"},
                                                                    {"asin", "Asin"},
                                                                    {"atan", "Atan"},
                                                                    {"cos", "Cos"},
                                                                    {"cosh", "Cosh"},
                                                                    {"sin", "Sin"},
                                                                    {"sinh", "Sinh"},
                                                                    {"tan", "Tan"},
                                                                    {"tanh", "Tanh"},
                                                                    {"erf", "Erf"},
                                                                    {"exp", "Exp"},
                                                                    {"log", "Log"},
                                                                    {"log1p", "Log1p"},
                                                                    {"sqrt", "Sqrt"},
                                                                    {"reciprocal", "Reciprocal"}})
    r.add(name, function(type));
  r.add("log2", of([](Call &c, Value x) { return logarithm(c, x, 2); }));
  r.add("log10", of([](Call &c, Value x) { return logarithm(c, x, 10); }));
  r.add("rsqrt", of([](Call &c, Value x) { return c.m.reciprocal(c.m.sqrt(x)); }));
  r.add("square", [](Call &c) { c.out("Out", c.m.square(c.in("X"))); });
  r.add("pow", of(power));
}

} // namespace paddleipu
