// SPDX-License-Identifier: MIT
// dropout: elements that become zero at random while training. upscale_in_train makes the others
// larger then; downgrade_in_infer makes all smaller when nothing is dropped. Its gradient uses the
// very Mask.
#include "core/Environment.hpp"

namespace paddleipu {

namespace {

struct Rate {
  double p;
  bool upscale;
  explicit Rate(const Call &c) : p(c.real("dropout_prob", 0.5)) {
    const auto how = c.text("dropout_implementation", "downgrade_in_infer");
    upscale = how == "upscale_in_train";
    if (!upscale && how != "downgrade_in_infer")
      c.fail("dropout_implementation \"", how,
             "\" is not one of downgrade_in_infer, upscale_in_train.");
    if (!(p >= 0 && p <= 1))
      c.fail("dropout_prob is ", p, "; it must be between 0 and 1.");
  }
};

// The elements that stay, made larger, and the mask. PopART's operator drops nothing where nothing
// is trained.
Values dropped(Call &c, Value x, double p) {
  Attributes seed;
  if (c.flag("fix_seed"))
    seed.set("seed", float(c.integer("seed", 0)));
  if (!c.environment().asWritten) {
    seed.set("ratio", float(p));
    return c.m.ops("Dropout", {x}, 2, seed);
  }
  const Value mask = c.m.op("Bernoulli", {c.full(c.shapeOf(x), 1 - p, DataType::FLOAT)}, seed);
  return {c.m.mul(c.m.mul(x, c.cast(mask, c.m.type(x))), 1 / (1 - p)), mask};
}

void dropout(Call &c) {
  const Value x = c.in("X");
  const Rate rate(c);
  if (c.testing()) {
    c.out("Out", rate.upscale ? x : c.m.mul(x, 1 - rate.p));
    return c.unused("Mask", c.shapeOf(x), VarType::UINT8);
  }
  if (rate.p == 0 || rate.p == 1) {
    c.out("Out", rate.p == 0 ? x : c.m.zerosLike(x));
    return c.out("Mask", c.full(c.shapeOf(x), 1 - rate.p, DataType::UINT8), 0, VarType::UINT8);
  }
  const auto made = dropped(c, x, rate.p);
  c.out("Out", rate.upscale ? made[0] : c.m.mul(made[0], 1 - rate.p));
  c.out("Mask", c.cast(made[1], DataType::UINT8), 0, VarType::UINT8);
}

void gradient(Call &c) {
  const Value dy = c.in("Out@GRAD");
  const Rate rate(c);
  if (c.testing())
    return c.out("X@GRAD", rate.upscale ? dy : c.m.mul(dy, 1 - rate.p));
  const double scale = rate.upscale && rate.p < 1 ? 1 / (1 - rate.p) : 1;
  c.out("X@GRAD", c.m.mul(c.m.mul(dy, c.cast(c.in("Mask"), c.m.type(dy))), scale));
}

} // namespace

void addDropouts(Registry &r) {
  r.add("dropout", dropout);
  r.add("dropout_grad", gradient);
}

} // namespace paddleipu
