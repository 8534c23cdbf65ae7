// SPDX-License-Identifier: MIT
// GatherElements: y[i][j].. = x with coordinate `axis` replaced by the index at that place.
//   dx = the elements of dy added up where they came from
#include "opdef/graphbuilder.hpp"
#include "ops/shared/hostviews.hpp"
#include "ops/shared/lookups.hpp"

namespace popart::ops {

namespace {

std::int64_t axisOf(const OpView &op) { return op.axis("axis", 0, op.in(0).rank()); }

Infos infer(const OpView &op) {
  requireIndices(op, 1);
  const Shape &x = op.in(0).shape(), &indices = op.in(1).shape();
  const std::int64_t axis = axisOf(op);
  bool fits = x.size() == indices.size() && !x.empty();
  for (std::size_t d = 0; fits && d < x.size(); ++d)
    fits = std::int64_t(d) == axis || indices[d] <= x[d];
  if (!fits)
    op.fail("indices of shape ", ir::text(indices), " do not select from ", ir::text(x),
            " along axis ", axis, ": apart from the axis, no dimension may be larger.");
  if (op.in(1).isConstant())
    constantIndices(op, 1, op.in(0).dim(axis));
  return {{op.in(0).type(), indices}};
}

std::vector<HostTensor> fold(const OpView &op) {
  Integers strides = rowMajorStrides(op.in(0).shape());
  const std::int64_t axis = axisOf(op), stride = std::exchange(strides[std::size_t(axis)], 0);
  const Integers indices = constantIndices(op, 1, op.in(0).dim(axis));
  Integers offsets = viewOffsets(op.in(1).shape(), 0, strides);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    offsets[i] += indices[i] * stride;
  return {picked(op.in(0).data(), op.in(1).shape(), offsets)};
}

} // namespace

OpDef gatherelementsOp() {
  OpDef op;
  op.type = "GatherElements";
  op.doc = "Elements of a tensor at indices along one axis.";
  op.in = {2, 2};
  op.infer = infer;
  op.fold = fold;
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    const auto offsets = elementOffsets(l, op, 1, op.in(0).shape(), axisOf(op));
    const auto rows = rowsAt(l, l.tensor(op.in(0)).flatten().expand({1}), offsets);
    return {rows.reshape(op.out(0).info().shape_szt())};
  };
  op.grad = [](GradBuilder &g, const OpView &op) -> Values {
    return {g.op("ScatterElements", {g.zerosLike(op.in(0)), op.in(1), g.dy()},
                 {{"axis", axisOf(op)}, {"reduction", std::string("add")}}),
            none};
  };
  return op;
}

} // namespace popart::ops
