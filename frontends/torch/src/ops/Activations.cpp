// SPDX-License-Identifier: MIT
// Activation functions. Where a derivative jumps, the formula takes torch's side.
#include "core/Conversion.hpp"
#include "core/Elementwise.hpp"
#include <cmath>

namespace poptorch {

namespace {

Value self(Call &c) { return c.in("self"); }

Converter function(const char *type) {
  return [type](Call &c) -> Values { return {c.m.op(type, {self(c)})}; };
}

Attributes real(const char *name, double value) { return {{name, float(value)}}; }

// x between the bounds, whose derivative is 0 at the bounds already
Value hardTanh(Call &c, Value x, double low, double high) {
  if (!c.isFloating(x))
    return c.m.op("Clip", {x, c.m.scalar(std::trunc(low), x), c.m.scalar(std::trunc(high), x)});
  return c.m.op("HardTanh", {x}, {{"min", float(low)}, {"max", float(high)}});
}

// scale * x above zero, scale * alpha * (exp(input_scale * x) - 1) below
Values elu(Call &c) {
  const Value x = self(c);
  const double alpha = c.real("alpha"), scale = c.real("scale"), inner = c.real("input_scale");
  if (inner == 1 && scale == 1)
    return {c.m.op("Elu", {x}, real("alpha", alpha))};
  if (inner == 1)
    return {c.m.op("Selu", {x}, {{"alpha", float(alpha)}, {"gamma", float(scale)}})};
  const Value below = c.m.where(compared(c, "Greater", x, 0), c.m.scalar(0, x), x);
  const Value curve = c.m.mul(c.m.op("Expm1", {c.m.mul(below, inner)}), alpha * scale);
  return {c.m.where(compared(c, "Greater", x, 0), c.m.mul(x, scale), curve)};
}

Values gelu(Call &c) {
  return {c.m.op(c.text("approximate") == "tanh" ? "Gelu" : "GeluErf", {self(c)})};
}

// a * sigmoid(b), the halves of self along dim
Values glu(Call &c) {
  const Value x = self(c);
  const auto axis = c.axis("dim", c.rank(x)), extent = c.shapeOf(x)[std::size_t(axis)];
  if (extent % 2)
    c.fail("it halves dimension ", axis, ", which has ", extent, " elements.");
  const Value a = c.slice(x, axis, 0, extent / 2), b = c.slice(x, axis, extent / 2, extent);
  return {c.m.mul(a, c.m.op("Sigmoid", {b}))};
}

// x unless |x| <= lambd
Values hardShrink(Call &c) {
  const Value x = self(c);
  const Value small = compared(c, "LessOrEqual", c.m.op("Abs", {x}), c.real("lambd"));
  return {c.m.where(small, c.m.scalar(0, x), x)};
}

// x moved towards zero by lambd
Values softShrink(Call &c) {
  const auto lambd = float(c.real("lambd"));
  return {c.m.op("Shrink", {self(c)}, {{"lambd", lambd}, {"bias", lambd}})};
}

// -log(1 + exp(-x))
Value logSigmoid(Call &c) { return c.m.neg(c.m.op("Softplus", {c.m.neg(self(c))})); }

// log(1 + exp(beta x)) / beta; x itself where beta x is above the threshold
Values softplus(Call &c) {
  const Value x = self(c);
  const double beta = c.real("beta"), threshold = c.real("threshold");
  const Value scaled = beta == 1 ? x : c.m.mul(x, beta);
  Value y = c.m.op("Softplus", {scaled});
  if (beta != 1)
    y = c.m.div(y, beta);
  if (threshold >= 17) // beyond that the difference is less than half a unit in the last place
    return {y};
  return {c.m.where(compared(c, "Greater", scaled, threshold), x, y)};
}

// x * tanh(log(1 + exp(x)))
Values mish(Call &c) {
  const Value x = wide(c, self(c));
  return {c.m.mul(x, c.m.op("Tanh", {c.m.op("Softplus", {x})}))};
}

// x above zero, slope * x elsewhere
Value withSlope(Call &c, Value x, Value slope) {
  return c.m.where(compared(c, "Greater", x, 0), x, c.m.mul(slope, x));
}

// One slope, or one for every channel (dimension 1).
Values prelu(Call &c) {
  const Value x = self(c);
  Value slope = c.cast(c.in("weight"), c.m.type(x));
  const auto slopes = c.m.info(slope).nelms();
  if (slopes == 1)
    slope = c.m.reshape(slope, {});
  else if (c.rank(slope) == 1 && c.rank(x) > 1) {
    Shape shape(c.rank(x) - 1, 1);
    shape[0] = slopes;
    slope = c.m.reshape(slope, shape);
  }
  return {withSlope(c, x, slope)};
}

// The slope is drawn anew for every element while training, and is the middle of the range else.
// The form with noise also writes the slopes there.
Values rrelu(Call &c) {
  const Value x = self(c);
  const double lower = c.real("lower"), upper = c.real("upper");
  if (!c.flag("training"))
    return {c.m.op("LeakyRelu", {x}, real("alpha", (lower + upper) / 2))};
  if (c.m.info(x).nelms() == 0)
    return {x};
  const Value slope =
      c.m.op("RandomUniformLike", {x}, {{"low", float(lower)}, {"high", float(upper)}});
  if (c.has("noise"))
    c.write("noise", c.m.where(compared(c, "Greater", x, 0), c.m.scalar(1, x), slope));
  return {withSlope(c, x, slope)};
}

void addRectifiers(Registry &r) {
  r.add("relu", function("Relu"));
  r.add("relu6", [](Call &c) -> Values { return {hardTanh(c, self(c), 0, 6)}; });
  r.add("hardtanh", [](Call &c) -> Values {
    return {hardTanh(c, self(c), c.real("min_val"), c.real("max_val"))};
  });
  r.add("leaky_relu", [](Call &c) -> Values {
    return {c.m.op("LeakyRelu", {self(c)}, real("alpha", c.real("negative_slope")))};
  });
  r.add("prelu", prelu);
  r.add("_prelu_kernel", prelu);
  r.add("rrelu", rrelu);
  r.add("rrelu_with_noise", rrelu);
  r.add("hardshrink", hardShrink);
  r.add("softshrink", softShrink);
}

} // namespace

void addActivations(Registry &r) {
  addRectifiers(r);
  r.add("elu", elu);
  r.add("celu", [](Call &c) -> Values {
    return {c.m.op("Celu", {self(c)}, real("alpha", c.real("alpha")))};
  });
  r.add("selu", function("Selu"));
  r.add("gelu", gelu);
  r.add("glu", glu);
  r.add("silu", function("Swish"));
  r.add("mish", mish);
  r.add("hardsigmoid", [](Call &c) -> Values {
    return {c.m.op("HardSigmoid", {self(c)}, {{"alpha", float(1.0 / 6)}, {"beta", 0.5f}})};
  });
  r.add("hardswish", function("HardSwish"));
  r.add("log_sigmoid", [](Call &c) -> Values { return {logSigmoid(c)}; });
  r.add("log_sigmoid_forward", [](Call &c) -> Values { // its buffer is for torch's own gradient
    return {logSigmoid(c), filled(c, c.shape(1), 0, c.type(1))};
  });
  r.add("softplus", softplus);
}

} // namespace poptorch
