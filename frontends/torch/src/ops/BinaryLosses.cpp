// SPDX-License-Identifier: MIT
// Cross entropy of yes-or-no predictions, given as probabilities or as logits.
#include "core/Conversion.hpp"
#include "core/Elementwise.hpp"
#include "frontend/Losses.hpp"

namespace poptorch {

namespace {

Values weighed(Call &c, Value each) {
  if (c.has("weight"))
    each = c.m.mul(each, c.cast(c.in("weight"), c.m.type(each)));
  return c.loss(each);
}

Values binary(Call &c) {
  const Value x = wide(c, c.in("self")), t = wide(c, c.in("target"));
  return weighed(c, frontend::binaryCrossEntropy(c, x, t, c.conversion().settings().training));
}

Values withLogits(Call &c) {
  const auto [x, t] = c.operands("self", "target");
  const Value more = c.has("pos_weight") ? c.cast(c.in("pos_weight"), c.m.type(x)) : none;
  return weighed(c, frontend::sigmoidCrossEntropy(c, x, t, more));
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
