// SPDX-License-Identifier: MIT
// Losses that measure how far predictions are from targets, element by element.
#include "core/Elementwise.hpp"
#include <cmath>

namespace poptorch {

namespace {

// Reduced as torch's argument says, and a loss of the model.
Values loss(Call &c, Value each) {
  const Value y = c.reduced(each, c.integer("reduction"));
  c.markLoss(y);
  return {y};
}

Value difference(Call &c) {
  const auto [x, t] = c.operands("self", "target");
  return c.m.sub(x, t);
}

Values l1(Call &c) { return loss(c, c.m.op("Abs", {difference(c)})); }
Values mse(Call &c) { return loss(c, c.m.square(difference(c))); }

// With d = |self - target|: d^2 / (2 beta) below beta, d - beta / 2 from there
Values smoothL1(Call &c) {
  const double beta = c.real("beta");
  if (beta == 0)
    return l1(c);
  const Value d = c.m.op("Abs", {difference(c)});
  const Value inner = c.m.mul(c.m.square(d), 0.5 / beta), outer = c.m.sub(d, beta / 2);
  return loss(c, c.m.where(compared(c, "Less", d, beta), inner, outer));
}

// d^2 / 2 up to delta, delta * (d - delta / 2) beyond
Values huber(Call &c) {
  const double delta = c.real("delta");
  const Value d = c.m.op("Abs", {difference(c)});
  const Value inner = c.m.mul(c.m.square(d), 0.5);
  const Value outer = c.m.mul(c.m.sub(d, delta / 2), delta);
  return loss(c, c.m.where(compared(c, "LessOrEqual", d, delta), inner, outer));
}

// target * (log(target) - self), with 0 log 0 = 0; or of logarithms exp(target) * (target - self)
Values klDiv(Call &c) {
  const auto [x, t] = c.operands("self", "target");
  if (c.flag("log_target"))
    return loss(c, c.m.mul(c.m.exp(t), c.m.sub(t, x)));
  const Value nothing = compared(c, "Equal", t, 0);
  const Value logs = c.m.log(c.m.where(nothing, c.m.scalar(1, t), t));
  return loss(c, c.m.mul(t, c.m.sub(logs, x)));
}

// exp(x) - t x, or x - t log(x + eps); in full also Stirling's t log t - t + log(2 pi t) / 2
// where t > 1
Values poissonNll(Call &c) {
  auto [x, t] = c.operands("input", "target");
  x = c.floating(x), t = c.floating(t);
  Value each = c.flag("log_input") ? c.m.sub(c.m.exp(x), c.m.mul(t, x))
                                   : c.m.sub(x, c.m.mul(t, c.m.log(c.m.add(x, c.real("eps")))));
  if (c.flag("full")) {
    const Value few = compared(c, "LessOrEqual", t, 1), n = c.m.where(few, c.m.scalar(2, t), t);
    const Value half = c.m.mul(c.m.log(c.m.mul(n, 2 * M_PI)), 0.5);
    const Value stirling = c.m.add(c.m.sub(c.m.mul(n, c.m.log(n)), n), half);
    each = c.m.add(each, c.m.where(few, c.m.scalar(0, t), stirling));
  }
  return loss(c, each);
}

} // namespace

void addRegressionLosses(Registry &r) {
  r.add("l1_loss", l1);
  r.add("mse_loss", mse);
  r.add("smooth_l1_loss", smoothL1);
  r.add("huber_loss", huber);
  r.add("kl_div", klDiv);
  r.add("poisson_nll_loss", poissonNll);
}

} // namespace poptorch
