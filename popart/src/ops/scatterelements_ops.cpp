// SPDX-License-Identifier: MIT
// ScatterElements and its older name Scatter: updates go where coordinate `axis` is replaced by the
// index at their place, and replace, add to or multiply what is there. Of several updates of one
// element the last one stays.
#include "opdef/importing.hpp"
#include "ops/shared/elementwise.hpp"
#include "ops/shared/hostviews.hpp"
#include "ops/shared/scattering.hpp"

namespace popart::ops {

namespace {

std::int64_t axisOf(const OpView &op) { return op.axis("axis", 0, op.in(0).rank()); }

Infos infer(const OpView &op) {
  requireIndices(op, 1);
  if (op.in(2).type() != op.in(0).type())
    op.fail("updates are ", op.in(2).info(), ", data are ", op.in(0).info(),
            "; the types must be equal. Add a Cast.");
  const Shape &x = op.in(0).shape(), &indices = op.in(1).shape();
  if (op.in(2).shape() != indices)
    op.fail("updates of shape ", ir::text(op.in(2).shape()), " and indices of shape ",
            ir::text(indices), " must be of one shape.");
  const std::int64_t axis = axisOf(op);
  bool fits = x.size() == indices.size() && !x.empty();
  for (std::size_t d = 0; fits && d < x.size(); ++d)
    fits = std::int64_t(d) == axis || indices[d] <= x[d];
  if (!fits)
    op.fail("indices of shape ", ir::text(indices), " do not fit into ", ir::text(x),
            " along axis ", axis, ": apart from the axis, no dimension may be larger.");
  requireCombinable(op, combineOf(op), op.in(0).type());
  if (op.in(1).isConstant())
    constantIndices(op, 1, op.in(0).dim(axis));
  return {op.in(0).info()};
}

std::vector<HostTensor> fold(const OpView &op) {
  if (combineOf(op) != Combine::Replace)
    return {};
  Integers strides = rowMajorStrides(op.in(0).shape());
  const std::int64_t axis = axisOf(op), stride = std::exchange(strides[std::size_t(axis)], 0);
  const Integers indices = constantIndices(op, 1, op.in(0).dim(axis));
  Integers offsets = viewOffsets(op.in(1).shape(), 0, strides);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    offsets[i] += indices[i] * stride;
  return {replaced(op.in(0).data(), op.in(2).data(), offsets)};
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  const auto y = writableCopy(l, l.tensor(op.in(0)));
  const auto offsets = elementOffsets(l, op, 1, op.in(0).shape(), axisOf(op));
  combineRows(l, y.flatten().expand({1}), l.tensor(op.in(2)).flatten().expand({1}), offsets,
              combineOf(op));
  return {y};
}

Values grad(GradBuilder &g, const OpView &op) {
  const Value indices = op.in(1);
  const std::int64_t axis = axisOf(op);
  const auto scatter = [&](const char *reduction) {
    return [&g, indices, axis, reduction](Value to, Value updates) {
      return g.op("ScatterElements", {to, indices, updates},
                  {{"axis", axis}, {"reduction", std::string(reduction)}});
    };
  };
  const auto read = [&](Value from) {
    return g.op("GatherElements", {from, indices}, {{"axis", axis}});
  };
  const auto grads =
      scatterGrads(g, combineOf(op), {read, scatter("none"), scatter("mul"), scatter("add")},
                   op.in(0), op.in(2), op.out(0));
  return {grads.data, none, grads.updates};
}

// Indices with fewer dimensions than the updates, or dimensions of one, hold for all updates there:
// a list of them is one along the axis.
void spreadIndices(Importing &i) {
  const Shape updates = i.op.in(2).shape();
  const Shape &given = i.op.in(1).shape();
  if (given == updates || updates.size() != i.op.in(0).shape().size() || updates.empty())
    return;
  const auto axis = std::size_t(axisOf(i.op));
  Shape shape = given;
  if (given.size() == 1) {
    shape.assign(updates.size(), 1);
    shape[axis] = given[0];
  }
  bool fits = shape.size() == updates.size() && shape[axis] == updates[axis];
  for (std::size_t d = 0; fits && d < shape.size(); ++d)
    fits = shape[d] == updates[d] || shape[d] == 1;
  if (fits)
    i.node.inputs[1] = i.builder.expand(i.builder.reshape(i.node.inputs[1], shape), updates);
}

OpDef scatter(const std::string &type) {
  OpDef op;
  op.type = type;
  op.canonical = spreadIndices;
  op.doc = "A tensor with elements replaced, added to or multiplied at indices along one axis.";
  op.in = {3, 3};
  op.infer = infer;
  op.fold = fold;
  op.lower = lower;
  op.grad = grad;
  return op;
}

} // namespace

std::vector<OpDef> scatterelementsOps() { return {scatter("ScatterElements"), scatter("Scatter")}; }

} // namespace popart::ops
