// SPDX-License-Identifier: MIT
// Cross entropy of yes-or-no predictions, given as probabilities or as logits.
#include "core/Conversion.hpp"
#include "core/Elementwise.hpp"

namespace poptorch {

namespace {

Values weighed(Call &c, Value each) {
  if (c.has("weight"))
    each = c.m.mul(each, c.cast(c.in("weight"), c.m.type(each)));
  const Value y = c.reduced(each, c.integer("reduction"));
  c.markLoss(y);
  return {y};
}

// (t - 1) log(1 - x) - t log(x), with no logarithm below -100.
//   dx = (x - t) / max(x (1 - x), 1e-12): not that of the formula where x is 0 or 1, so the slope
//   is written down: x - detached(x) is 0 and brings it in.
Values binary(Call &c) {
  const Value x = wide(c, c.in("self")), t = wide(c, c.in("target"));
  const bool training = c.conversion().settings().training;
  const auto fixed = [&](Value v) { return training ? detached(c, v) : v; };
  const Value no = fixed(atLeast(c, c.m.op("Log1p", {c.m.neg(x)}), -100));
  const Value yes = fixed(atLeast(c, c.m.log(x), -100));
  Value each = c.m.sub(c.m.mul(c.m.sub(t, 1.0), no), c.m.mul(t, yes));
  if (training) {
    const Value spread = atLeast(c, c.m.mul(x, c.m.sub(1.0, x)), 1e-12);
    const Value slope = fixed(c.m.div(c.m.sub(x, t), spread));
    each = c.m.add(each, c.m.mul(c.m.sub(x, fixed(x)), slope));
  }
  return weighed(c, each);
}

// (1 - t) x + (1 + (pos_weight - 1) t) log(1 + exp(-x))
Values withLogits(Call &c) {
  const auto [x, t] = c.operands("self", "target");
  Value log = c.m.op("Softplus", {c.m.neg(x)});
  if (c.has("pos_weight")) {
    const Value more = c.m.sub(c.cast(c.in("pos_weight"), c.m.type(x)), 1.0);
    log = c.m.mul(c.m.add(c.m.mul(more, t), 1.0), log);
  }
  return weighed(c, c.m.add(c.m.mul(c.m.sub(1.0, t), x), log));
}

// log(1 + exp(-t x)) for targets of 1 and -1
Values softMargin(Call &c) {
  const auto [x, t] = c.operands("self", "target");
  return weighed(c, c.m.op("Softplus", {c.m.neg(c.m.mul(t, x))}));
}

} // namespace

void addBinaryLosses(Registry &r) {
  r.add("binary_cross_entropy", binary);
  r.add("binary_cross_entropy_with_logits", withLogits);
  r.add("soft_margin_loss", softMargin);
}

} // namespace poptorch
