// SPDX-License-Identifier: MIT
// Activation functions that other front ends have not. Where a derivative jumps, the formula takes
// torch's side.
#include "frontend/Activations.hpp"
#include "core/Conversion.hpp"
#include "core/Elementwise.hpp"

namespace poptorch {

namespace {

Value self(Call &c) { return c.in("self"); }

Converter function(const char *type) {
  return [type](Call &c) -> Values { return {c.m.op(type, {self(c)})}; };
}

// scale * x above zero, scale * alpha * (exp(input_scale * x) - 1) below
Values elu(Call &c) {
  const Value x = self(c);
  const double alpha = c.real("alpha"), scale = c.real("scale"), inner = c.real("input_scale");
  if (inner == 1 && scale == 1)
    return {frontend::elu(c, x, alpha)};
  if (inner == 1)
    return {frontend::selu(c, x, alpha, scale)};
  const Value below = c.m.where(c.compared("Greater", x, 0), c.m.scalar(0, x), x);
  const Value curve = c.m.mul(c.m.op("Expm1", {c.m.mul(below, inner)}), alpha * scale);
  return {c.m.where(c.compared("Greater", x, 0), c.m.mul(x, scale), curve)};
}

Values gelu(Call &c) { return {frontend::gelu(c, self(c), c.text("approximate") == "tanh")}; }

// a * sigmoid(b), the halves of self along dim
Values glu(Call &c) {
  const Value x = self(c);
  const auto axis = c.axis("dim", c.rank(x)), extent = c.shapeOf(x)[std::size_t(axis)];
  if (extent % 2)
    c.fail("it halves dimension ", axis, ", which has ", extent, " elements.");
  const Value a = c.slice(x, axis, 0, extent / 2), b = c.slice(x, axis, extent / 2, extent);
  return {c.m.mul(a, c.m.op("Sigmoid", {b}))};
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
  return {frontend::withSlope(c, x, slope)};
}

// The slope is drawn anew for every element while training, and is the middle of the range else.
// The form with noise also writes the slopes there.
Values rrelu(Call &c) {
  const Value x = self(c);
  const double lower = c.real("lower"), upper = c.real("upper");
  if (!c.flag("training"))
    return {frontend::leakyRelu(c, x, (lower + upper) / 2)};
  if (c.m.info(x).nelms() == 0)
    return {x};
  const Value slope =
      c.m.op("RandomUniformLike", {x}, {{"low", float(lower)}, {"high", float(upper)}});
  if (c.has("noise"))
    c.write("noise", c.m.where(c.compared("Greater", x, 0), c.m.scalar(1, x), slope));
  return {frontend::withSlope(c, x, slope)};
}

void addRectifiers(Registry &r) {
  r.add("relu", function("Relu"));
  r.add("relu6", [](Call &c) -> Values { return {frontend::relu6(c, self(c))}; });
  r.add("hardtanh", [](Call &c) -> Values {
    return {frontend::between(c, self(c), c.real("min_val"), c.real("max_val"))};
  });
  r.add("prelu", prelu);
  r.add("_prelu_kernel", prelu);
  r.add("rrelu", rrelu);
  r.add("rrelu_with_noise", rrelu);
}

} // namespace

void addActivations(Registry &r) {
  addRectifiers(r);
  r.add("elu", elu);
  r.add("celu", [](Call &c) -> Values {
    return {c.m.op("Celu", {self(c)}, {{"alpha", float(c.real("alpha"))}})};
  });
  r.add("selu", function("Selu"));
  r.add("gelu", gelu);
  r.add("glu", glu);
  r.add("hardswish", function("HardSwish"));
  r.add("log_sigmoid_forward", [](Call &c) -> Values { // its buffer is for torch's own gradient
    return {frontend::logSigmoid(c, self(c)), filled(c, c.shape(1), 0, c.type(1))};
  });
}

} // namespace poptorch
