// SPDX-License-Identifier: MIT
// Losses that measure how far predictions are from targets, element by element.
#include "core/Elementwise.hpp"
#include "frontend/Losses.hpp"
#include <cmath>

namespace poptorch {

namespace {

Value difference(Call &c) {
  const auto [x, t] = c.operands("self", "target");
  return c.m.sub(x, t);
}

Values l1(Call &c) { return c.loss(c.m.op("Abs", {difference(c)})); }
Values mse(Call &c) { return c.loss(c.m.square(difference(c))); }
Values smoothL1(Call &c) { return c.loss(frontend::smoothL1(c, difference(c), c.real("beta"))); }
Values huber(Call &c) { return c.loss(frontend::huber(c, difference(c), c.real("delta"))); }

// target * (log(target) - self), with 0 log 0 = 0; or of logarithms exp(target) * (target - self)
Values klDiv(Call &c) {
  const auto [x, t] = c.operands("self", "target");
  if (c.flag("log_target"))
    return c.loss(c.m.mul(c.m.exp(t), c.m.sub(t, x)));
  const Value nothing = c.compared("Equal", t, 0);
  const Value logs = c.m.log(c.m.where(nothing, c.m.scalar(1, t), t));
  return c.loss(c.m.mul(t, c.m.sub(logs, x)));
}

// exp(x) - t x, or x - t log(x + eps); in full also Stirling's t log t - t + log(2 pi t) / 2
// where t > 1
Values poissonNll(Call &c) {
  auto [x, t] = c.operands("input", "target");
  x = c.floating(x), t = c.floating(t);
  Value each = c.flag("log_input") ? c.m.sub(c.m.exp(x), c.m.mul(t, x))
                                   : c.m.sub(x, c.m.mul(t, c.m.log(c.m.add(x, c.real("eps")))));
  if (c.flag("full")) {
    const Value few = c.compared("LessOrEqual", t, 1), n = c.m.where(few, c.m.scalar(2, t), t);
    const Value half = c.m.mul(c.m.log(c.m.mul(n, 2 * M_PI)), 0.5);
    const Value stirling = c.m.add(c.m.sub(c.m.mul(n, c.m.log(n)), n), half);
    each = c.m.add(each, c.m.where(few, c.m.scalar(0, t), stirling));
  }
  return c.loss(each);
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
