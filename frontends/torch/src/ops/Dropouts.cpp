// SPDX-License-Identifier: MIT
// Elements or whole channels dropped at random while a model is trained. The gradient drops the
// same ones.
#include "core/Conversion.hpp"
#include "core/Elementwise.hpp"
#include <cmath>

namespace poptorch {

namespace {

// An inference drops nothing, whatever the module is told.
bool drops(Call &c) {
  const double p = c.real("p");
  if (!(p >= 0 && p <= 1))
    c.fail("the probability is ", p, "; it must be between 0 and 1.");
  return c.conversion().settings().training && c.flag("train", true) && p > 0 &&
         c.result().nelms() > 0;
}

Attributes ratio(Call &c) { return {{"ratio", float(c.real("p"))}}; }

// Decisions for batch and channels alone: [N, C, 1, ...]
Shape channels(Call &c) {
  Shape shape = c.shape();
  if (shape.size() < 2)
    c.fail("features of a tensor of shape ", popart::ir::text(shape),
           " cannot be dropped: it needs a batch and a channel dimension.");
  std::fill(shape.begin() + 2, shape.end(), 1);
  return shape;
}

// x / (1 - p), or 0 with probability p
Values dropout(Call &c) {
  const Value x = c.in(c.has("input") ? "input" : "self"); // in place: self
  return {drops(c) ? c.m.op("Dropout", {x}, ratio(c)) : x};
}

// The second result says which are kept.
Values nativeDropout(Call &c) {
  const Value x = c.in(c.has("input") ? "input" : "self"); // in place: self
  if (!drops(c))
    return {x, filled(c, c.shape(1), 1, DataType::BOOL)};
  return c.m.ops("Dropout", {x}, 2, ratio(c));
}

Values featureDropout(Call &c) {
  const Value x = c.in(c.has("input") ? "input" : "self"); // in place: self
  if (!drops(c))
    return {x};
  Attributes attributes = ratio(c);
  attributes.set("shape", channels(c));
  return {c.m.op("ShapedDropout", {x}, attributes)};
}

// Dropped elements become Selu's lowest value, -alpha, and all are scaled so that mean and
// variance stay:   a * (kept ? x : -alpha) + a * alpha * p,   a = 1 / sqrt((1 + p alpha^2)(1 - p))
Values alphaDropout(Call &c, bool wholeChannels) {
  const Value x = c.in(c.has("input") ? "input" : "self"); // in place: self
  const double p = c.real("p"), alpha = 1.7580993408473766;
  if (!drops(c))
    return {x};
  if (p == 1)
    return {c.m.mul(x, 0.0)};
  const double a = 1 / std::sqrt((alpha * alpha * p + 1) * (1 - p));
  const Shape shape = wholeChannels ? channels(c) : c.shape();
  const Value kept =
      c.cast(c.m.op("Bernoulli", {filled(c, shape, 1 - p, DataType::FLOAT)}), DataType::BOOL);
  const Value y = c.m.where(kept, x, c.m.scalar(-alpha, x));
  return {c.m.add(c.m.mul(y, a), a * alpha * p)};
}

} // namespace

void addDropouts(Registry &r) {
  r.add("dropout", dropout);
  r.add("native_dropout", nativeDropout);
  r.add("feature_dropout", featureDropout);
  r.add("alpha_dropout", [](Call &c) { return alphaDropout(c, false); });
  r.add("feature_alpha_dropout", [](Call &c) { return alphaDropout(c, true); });
}

} // namespace poptorch
