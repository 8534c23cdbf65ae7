// SPDX-License-Identifier: MIT
// LayerNormalization: normalises all dimensions from `axis` on together; group normalisation with
// one group of [rows, elements]. Outputs y and, in the shape of x with ones from the axis on, mean
// and 1/deviation.
#include "opdef/graphbuilder.hpp"

namespace popart::ops {

OpDef layernormalizationOp() {
  OpDef op;
  op.type = "LayerNormalization";
  op.in = {2, 3};
  op.out = {1, 3};
  op.doc = "All dimensions from an axis on normalised together, with scale and bias per element.";
  op.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    const Shape whole = op.in(0).shape();
    const auto axis = op.axis("axis", -1, op.in(0).rank());
    if (const auto stash = op.integer("stash_type", 1); stash != 1)
      op.fail("stash_type is ", stash, "; statistics are computed as FLOAT (1) only.");
    const Shape normalised(whole.begin() + axis, whole.end());
    Shape statistics(whole.begin(), whole.begin() + axis);
    const auto rows = ir::elementsOf(statistics), width = ir::elementsOf(normalised);
    statistics.resize(whole.size(), 1);
    auto parameter = [&](Value v) { return b.reshape(b.expand(v, normalised), {width}); };
    const Value scale = parameter(op.in(1));
    const Value bias = op.hasIn(2) ? parameter(op.in(2)) : b.zerosLike(scale);
    const Values made =
        b.ops("GroupNormalization", {b.reshape(op.in(0), {rows, width}), scale, bias}, 3,
              {{"num_groups", std::int64_t(1)}, {"epsilon", op.real("epsilon", 1e-5f)}});
    return {b.reshape(made[0], whole), b.reshape(made[1], statistics),
            b.reshape(made[2], statistics)};
  };
  return op;
}

} // namespace popart::ops
