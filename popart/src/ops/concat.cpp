// SPDX-License-Identifier: MIT
// Concat: tensors one after the other along an axis.   each gradient is a slice of dy
#include "lowering/lowering.hpp"
#include "ops/shared/elementwise.hpp"
#include "ops/shared/hostviews.hpp"

namespace popart::ops {

namespace {

std::int64_t axisOf(const OpView &op) {
  return op.axis("axis", op.integer("axis"), op.in(0).rank());
}

Infos infer(const OpView &op) {
  requireSameTypes(op);
  op.require(op.in(0).rank() > 0, "scalars cannot be joined. Unsqueeze them first.");
  const std::int64_t axis = axisOf(op);
  Shape out = op.in(0).shape();
  auto &length = out[std::size_t(axis)];
  for (std::size_t i = 1; i < op.inputs(); ++i) {
    Shape other = op.in(i).shape();
    if (other.size() == out.size()) {
      const std::int64_t added = std::exchange(other[std::size_t(axis)], length);
      if (other == out) {
        length += added;
        continue;
      }
    }
    op.fail("inputs of shapes ", ir::text(op.in(0).shape()), " and ", ir::text(op.in(i).shape()),
            " do not join along axis ", axis, ": all other dimensions must be equal.");
  }
  return {{op.in(0).type(), out}};
}

Values grad(GradBuilder &g, const OpView &op) {
  const std::int64_t axis = axisOf(op);
  Values grads;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < op.inputs(); ++i) {
    const std::int64_t end = begin + op.in(i).dim(axis);
    grads.push_back(
        g.op("Slice", {g.dy()},
             {{"starts", Integers{begin}}, {"ends", Integers{end}}, {"axes", Integers{axis}}}));
    begin = end;
  }
  return grads;
}

} // namespace

OpDef concatOp() {
  OpDef op;
  op.type = "Concat";
  op.doc = "Tensors one after the other along an axis.";
  op.in = {1, any};
  op.infer = infer;
  op.fold = [](const OpView &op) -> std::vector<HostTensor> {
    std::vector<HostTensor> parts;
    for (std::size_t i = 0; i < op.inputs(); ++i)
      parts.push_back(op.in(i).data());
    return {joined(parts, axisOf(op))};
  };
  op.grad = grad;
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    Tensors parts;
    for (std::size_t i = 0; i < op.inputs(); ++i)
      parts.push_back(l.tensor(op.in(i)));
    return {poplar::concat(parts, unsigned(axisOf(op)))};
  };
  op.batch = Batch::Joined;
  return op;
}

} // namespace popart::ops
