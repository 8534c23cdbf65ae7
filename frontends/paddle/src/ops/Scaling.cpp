// SPDX-License-Identifier: MIT
// Copies, casts, and a number times a tensor.
#include "core/Environment.hpp"

namespace paddleipu {

namespace {

void scale(Call &c) {
  Value x = c.in("X");
  const Value factor = c.has("ScaleTensor")
                           ? c.m.reshape(c.cast(c.in("ScaleTensor"), c.m.type(x)), {})
                           : c.m.scalar(c.real("scale", 1), x);
  const double bias = c.real("bias", 0);
  const bool plain = !c.has("ScaleTensor") && c.real("scale", 1) == 1;
  const bool after = c.flag("bias_after_scale", true);
  if (bias != 0 && !after)
    x = c.m.add(x, bias);
  if (!plain)
    x = c.m.mul(x, factor);
  if (bias != 0 && after)
    x = c.m.add(x, bias);
  c.out("Out", x);
}

void castTo(Call &c) {
  const auto type = VarType::Type(c.integer("out_dtype"));
  c.out("Out", c.cast(c.in("X"), c.environment().device(type)), 0, type);
}

void copy(Call &c) { c.out("Out", c.m.op("Identity", {c.in("X")})); }

// No gradient at the bounds.
void clip(Call &c) {
  const Value x = c.in("X");
  const auto bound = [&](const char *slot, const char *attribute) {
    return c.has(slot) ? c.m.reshape(c.cast(c.in(slot), c.m.type(x)), {})
                       : c.m.scalar(c.real(attribute, 0), x);
  };
  const Attributes ties{{"first_of_ties", std::int64_t(1)}};
  const Value raised = c.m.op("Max", {bound("Min", "min"), x}, ties);
  c.out("Out", c.m.op("Min", {bound("Max", "max"), raised}, ties));
}
// The whole tensor made shorter if its norm is above max_norm.
void clipByNorm(Call &c) {
  const Value x = c.in("X");
  const double most = c.real("max_norm", 1);
  const Value norm = c.m.sqrt(c.sum(c.m.square(x)));
  const Value factor =
      c.m.where(c.compared("Greater", norm, most), c.m.div(most, norm), c.m.scalar(1, norm));
  c.out("Out", c.m.mul(x, factor));
}

} // namespace

void addScaling(Registry &r) {
  r.add("scale", scale);
  r.add("cast", castTo);
  r.add("clip", clip);
  r.add("clip_by_norm", clipByNorm);
  for (const char *name : {"assign", "identity", "share_data", "checkpointoutput"})
    r.add(name, copy);
  r.add("detach", [](Call &c) { c.out("Out", c.m.op("Detach", {c.in("X")})); });
  r.add("print", [](Call &c) {
    const auto title = c.text("message");
    c.out("Out", c.m.op("PrintTensor", {c.in("In")},
                        {{"title", title.empty() ? std::string("tensor") : title}}));
  });
  r.add("identity_loss", [](Call &c) { // reduction: 0 sum, 1 mean, 2 none
    const Value x = c.in("X");
    const auto reduction = c.integer("reduction", 1);
    c.out("Out", reduction == 2 ? c.m.op("Identity", {x})
                                : c.m.reshape(reduction == 1 ? c.mean(x) : c.sum(x), {1}));
  });
}

} // namespace paddleipu
