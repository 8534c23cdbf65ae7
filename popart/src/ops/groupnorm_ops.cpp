// SPDX-License-Identifier: MIT
// GroupNormalization: every group of channels of every batch element gets mean 0 and variance 1,
// then scale and bias per channel. x [N, C, ...] -> y, mean [N * groups], 1/deviation [N * groups].
// Layer and instance normalisation are the cases of one group and of one channel per group.
// GroupNormGrad reuses the statistics: dy, x, scale, mean, 1/deviation -> dx, dscale, dbias.
#include "lowering/lowering.hpp"
#include "ops/shared/elementwise.hpp"
#include <poplin/NormOperations.hpp>

namespace popart::ops {

namespace {

constexpr float usualEpsilon = 1e-5f;

std::int64_t groupsOf(const OpView &op, const ValueView &x) {
  const auto groups = op.integer("num_groups");
  if (groups < 1 || x.dim(1) % groups)
    op.fail("num_groups is ", groups, ", but the ", x.dim(1), " channels of ", ir::text(x.shape()),
            " must divide into groups of equal size.");
  return groups;
}

void check(const OpView &op) {
  requireFloat(op);
  requireSameTypes(op);
  const auto x = op.in(0);
  if (x.rank() < 2)
    op.fail("input \"", x.name(), "\" is ", x.info(),
            "; it needs a batch and a channel dimension.");
  for (unsigned i : {1u, 2u})
    if (op.in(i).shape() != Shape{x.dim(1)})
      op.fail(i == 1 ? "scale" : "bias", " is ", op.in(i).info(), "; it must have shape ",
              ir::text(Shape{x.dim(1)}), ", one value per channel of ", ir::text(x.shape()), ".");
}

// A session may ask for groups of every n-th channel; recognised norms know which they mean.
poplin::NormGroups grouping(lowering::Lowering &l, const OpView &op, std::int64_t groups) {
  const bool strided = l.options().stridedChannelGrouping && !op.integer("contiguous_groups", 0);
  return {std::uint32_t(groups), strided};
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  const auto x = l.tensor(op.in(0)), gamma = l.tensor(op.in(1)), beta = l.tensor(op.in(2));
  const auto made = poplin::norms::normalised(
      l.graph(), x, grouping(l, op, groupsOf(op, op.in(0))),
      {op.real("epsilon", usualEpsilon), false, l.options().stableNorm, poplar::FLOAT}, gamma, beta,
      l.program(), l.name(), "GroupNormalization");
  return {made.normalised, made.mean, made.invStdDev};
}

Tensors lowerGrad(lowering::Lowering &l, const OpView &op) {
  const auto dy = l.tensor(op.in(0)), x = l.tensor(op.in(1)), gamma = l.tensor(op.in(2)),
             mean = l.tensor(op.in(3)), deviation = l.tensor(op.in(4));
  const auto groups = op.in(3).elements() / std::max<std::int64_t>(1, op.in(1).dim(0));
  const auto made = poplin::norms::allGradients(
      l.graph(), x, dy, mean, deviation, gamma, grouping(l, op, std::max<std::int64_t>(1, groups)),
      poplar::FLOAT, l.program(), l.name(), "GroupNormGrad");
  return {made.acts, made.gamma, made.beta};
}

} // namespace

std::vector<OpDef> groupnormOps() {
  OpDef norm;
  norm.type = "GroupNormalization";
  norm.domain = "ai.graphcore";
  norm.in = {3, 3};
  norm.out = {3, 3};
  norm.doc = "Normalisation over groups of channels, with scale and bias per channel.";
  norm.infer = [](const OpView &op) -> Infos {
    check(op);
    const TensorInfo statistics(op.in(0).type(), {op.in(0).dim(0) * groupsOf(op, op.in(0))});
    return {op.in(0).info(), statistics, statistics};
  };
  norm.lower = lower;
  norm.grad = [](GradBuilder &g, const OpView &op) -> Values {
    if (g.dy(0) == none)
      return {};
    return g.ops("GroupNormGrad", {g.dy(), op.in(0), op.in(1), op.out(1), op.out(2)}, 3,
                 {{"contiguous_groups", op.integer("contiguous_groups", 0)}});
  };

  norm.fresh = norm.norm = true;
  OpDef grad;
  grad.type = "GroupNormGrad";
  grad.domain = "openipu";
  grad.in = {5, 5};
  grad.out = {3, 3};
  grad.doc = "Gradients of GroupNormalization by input, scale and bias.";
  grad.infer = [](const OpView &op) -> Infos {
    return {op.in(1).info(), op.in(2).info(), op.in(2).info()};
  };
  grad.lower = lowerGrad;
  grad.gradientError = "it is a gradient already";
  grad.fresh = true;
  return {norm, grad};
}

} // namespace popart::ops
