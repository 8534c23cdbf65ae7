// SPDX-License-Identifier: MIT
// Gather: entries of a tensor along an axis, at indices that may be known only when it runs. The
// table is laid out by a plan for lookups; indices known now make a view.
//   dx = GatherGrad: the rows of dy added up where they came from
#include "lowering/lowering.hpp"
#include "opdef/graphbuilder.hpp"
#include "ops/shared/hostviews.hpp"
#include "ops/shared/lookups.hpp"
#include "ops/shared/selection.hpp"

namespace popart::ops {

namespace {

std::int64_t axisOf(const OpView &op) { return op.axis("axis", 0, op.in(0).rank()); }
std::int64_t entries(const OpView &op) { return op.in(0).dim(axisOf(op)); }

Infos infer(const OpView &op) {
  op.require(op.in(0).rank() > 0, "nothing can be gathered from a scalar.");
  requireIndices(op, 1);
  if (op.in(1).isConstant())
    constantIndices(op, 1, entries(op));
  const Shape &x = op.in(0).shape(), &i = op.in(1).shape();
  const auto axis = x.begin() + axisOf(op);
  Shape out(x.begin(), axis);
  out.insert(out.end(), i.begin(), i.end());
  out.insert(out.end(), axis + 1, x.end());
  return {{op.in(0).type(), out}};
}

std::vector<HostTensor> fold(const OpView &op) {
  const TensorInfo out = infer(op).front();
  if (!smallEnoughToFold(out.shape()))
    return {};
  const auto strides = rowMajorStrides(op.in(0).shape());
  const std::int64_t inner = strides[std::size_t(axisOf(op))], n = entries(op);
  const Integers indices = constantIndices(op, 1, n);
  Integers offsets;
  for (std::int64_t outer = 0; outer < op.in(0).elements() / std::max<std::int64_t>(n * inner, 1);
       ++outer)
    for (auto index : indices)
      for (std::int64_t k = 0; k < inner; ++k)
        offsets.push_back((outer * n + index) * inner + k);
  return {picked(op.in(0).data(), out.shape(), offsets)};
}

popops::SlicePlan planFor(lowering::Lowering &l, const OpView &op) {
  const std::int64_t n = entries(op);
  return lookupPlan(l, op, op.in(0).type(), n, n ? op.in(0).elements() / n : 0,
                    op.in(1).elements());
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  const auto axis = std::size_t(axisOf(op));
  const auto x = l.tensor(op.in(0));
  const auto shape = op.out(0).info().shape_szt();
  if (op.in(1).isConstant())
    if (auto view = selected(x, constantIndices(op, 1, entries(op)), axisOf(op)))
      return {view->reshape(shape)};
  const auto offsets = offsetsOf(l, op, 1, entries(op)).flatten().expand({1});
  const auto rows = popops::multiSlice(l.graph(), x, offsets, {axis}, {1}, l.program(),
                                       planFor(l, op), {}, l.name());
  return {rows.squeeze({axis + 1}).dimRoll(0, unsigned(axis)).reshape(shape)};
}

poplar::Tensor create(lowering::Lowering &l, const OpView &op, unsigned input) {
  if (input != 0 || op.in(1).isConstant() || op.in(0).elements() == 0)
    return {};
  return popops::createSliceableTensor(l.graph(), lowering::deviceType(op.in(0).type()),
                                       op.in(0).info().shape_szt(), {std::size_t(axisOf(op))}, {1},
                                       planFor(l, op), {}, op.in(0).name());
}

Values grad(GradBuilder &g, const OpView &op) {
  const std::int64_t axis = axisOf(op), n = entries(op);
  const Shape x = op.in(0).shape();
  if (op.in(1).isConstant())
    if (auto times = repetition(constantIndices(op, 1, n), n)) { // nearest upsampling, or nothing
      Shape shape = x;
      shape.insert(shape.begin() + axis + 1, *times);
      return {g.reduceSum(g.reshape(g.dy(), shape), {axis + 1}, false), none};
    }
  return {g.op("GatherGrad", {g.dy(), op.in(1)}, {{"axis", axis}, {"shape", x}}), none};
}

} // namespace

OpDef gatherOp() {
  OpDef op;
  op.type = "Gather";
  op.doc = "Entries of a tensor along an axis, at given indices.";
  op.in = {2, 2};
  op.infer = infer;
  op.fold = fold;
  op.lower = lower;
  op.create = create;
  op.grad = grad;
  op.fresh = true;
  op.viewIfConstant = 1; // entries that are known now
  op.batch = Batch::Gathered;
  return op;
}

} // namespace popart::ops
